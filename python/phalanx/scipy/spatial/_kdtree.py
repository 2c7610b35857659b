"""Trees of points, for neighbors of many points at once."""

import numbers
import operator

import phalanx as np

from .._arguments import array, beside, host, refuse
from . import _tree_nodes, _tree_search
from ._described import COLLECTIVE, described
from ._tree_build import Levels, columns

_POINTS = ("array_like", "The points: coordinates along the last axis.")
_RADIUS = ("float or array_like", "The radius; one for each point, or one for all.")
_ONE_RADIUS = ("float", "The radius.")
_RADII = ("float or array_like", "The radius, or a vector of radii.")
_DIMENSIONS = {"ValueError": "The trees have points of different dimensions."}


class KDTree:
    """A tree of points, for their neighbors in any number of dimensions.

    The tree is balanced, and built by sorting on devices, when the first search needs it. Searches
    handle all points at once, and return exact results. Points and results stay on devices.
    Collective: whether points are finite is read.

    Parameters
    ----------
    data : array_like
        The points, one in each row.
    leafsize : int, default: 10
        The most points of a leaf of `tree`. It has no effect on searches.
    compact_nodes : bool, default: True
        An option of SciPy's, without effect: the boxes of nodes are tight.
    copy_data : bool, default: False
        Whether the points are copied. Arrays of `float64` are not, otherwise.
    balanced_tree : bool, default: True
        An option of SciPy's, without effect: the tree is balanced.
    boxsize : float or array_like, optional
        The extents of a periodic space, which starts at 0; 0 for dimensions that are not periodic.
    """

    node, leafnode, innernode = _tree_nodes.node, _tree_nodes.leafnode, _tree_nodes.innernode

    @beside
    def __init__(
        self,
        data,
        leafsize=10,
        compact_nodes=True,
        copy_data=False,
        balanced_tree=True,
        boxsize=None,
    ):
        given = _real(data)
        if given.ndim != 2:
            raise refuse("data must be of shape (n, m), where there are n points of dimension m")
        if given.shape[1] == 0:
            raise refuse("points need at least one dimension", IndexError)
        if not bool(np.isfinite(given).all()):
            raise refuse("data must be finite, check for nan or inf values")
        if operator.index(leafsize) < 1:
            raise refuse("leafsize must be at least 1")
        self.data = given.copy() if copy_data else given
        self.n, self.m = given.shape
        self.leafsize = int(leafsize)
        self.boxsize = None
        if boxsize is not None:
            import numpy

            extents = numpy.broadcast_to(host(boxsize, float), self.m)
            self.boxsize = np.asarray(extents.copy())
            is_periodic = self.boxsize > 0
            if bool((is_periodic & (self.data >= self.boxsize)).any()):
                raise refuse("Some input data are greater than the size of the periodic box.")
            if bool((is_periodic & (self.data < 0)).any()):
                raise refuse("Negative input data are outside of the periodic box.")
        self._built = self._nodes = None

    def _home(self):
        # The constructor is called without data yet.
        return getattr(self, "data", None)

    @property
    @beside
    def _levels(self):
        if self._built is None:
            self._built = Levels(self.data)
        return self._built

    @property
    @beside
    def mins(self):
        """The least coordinates of the points."""
        return self.data.min(0) if self.n else np.zeros(self.m)

    @property
    @beside
    def maxes(self):
        """The greatest coordinates of the points."""
        return self.data.max(0) if self.n else np.zeros(self.m)

    @property
    @beside
    def indices(self):
        """The numbers of the points in the order of the leaves: those of `tree` if it is made, else
        those of the searches."""
        return self._levels.order if self._nodes is None else np.asarray(self._nodes[2])

    @property
    def tree(self):
        """The root of the nodes. They are made on the host: trees of many points are refused."""
        if self._nodes is None:
            self._nodes = _tree_nodes.made(self)
        return self._nodes[0]

    @property
    def size(self):
        """The number of the nodes, for which `tree` is made."""
        self.tree
        return self._nodes[1]

    def __getstate__(self):
        boxsize = None if self.boxsize is None else self.boxsize.get()
        return {"data": self.data.get(), "leafsize": self.leafsize, "boxsize": boxsize}

    def __setstate__(self, state):
        self.__init__(**state)

    def _points(self, x):
        """Points of a call as vectors, and the shape of their axes."""
        x = np.atleast_1d(_real(x))
        if x.shape[-1] != self.m:
            raise refuse(
                f"x must consist of vectors of length {self.m} but has shape {x.shape}"
            )
        if not bool(np.isfinite(x).all()):
            raise refuse("'x' must be finite, check for nan or inf values")
        lead = x.shape[:-1]
        x = x.reshape(-1, self.m)
        return (x if self.boxsize is None else self._inside(x)), lead

    def _inside(self, x):
        """Points moved into the periodic space."""
        extents = np.where(self.boxsize > 0, self.boxsize, 1.0)
        moved = x - np.floor(x / extents) * extents
        moved = np.where(moved >= extents, 0.0, np.maximum(moved, 0.0))
        return np.where(self.boxsize > 0, moved, x)

    @beside
    @described(
        "(ndarray, ndarray): Distances, infinite where there is no neighbor, and numbers, `n` "
        "there. The last axis has the neighbors, unless `k` is 1.",
        {"ValueError": "`k`, `p` or the shape of `x` is not allowed, or `x` is not finite."},
        COLLECTIVE,
        x=_POINTS,
    )
    def query(self, x, k=1, eps=0, p=2, distance_upper_bound=np.inf, workers=1):
        """The nearest neighbors of points."""
        import numpy

        x, lead = self._points(x)
        if k is None:
            raise refuse("k must be an integer or a sequence of integers")
        is_one = isinstance(k, (numbers.Number, numpy.number)) and k == 1
        wanted = numpy.arange(1, k + 1) if numpy.ndim(k) == 0 else host(k).astype(int)
        if wanted.ndim != 1 or wanted.size == 0 or wanted.min() < 1:
            raise refuse("k must be an integer or a sequence of integers, of at least 1")
        _check_workers(workers)
        if not p >= 1:
            raise refuse("Only p-norms with 1<=p<=infinity permitted")
        limit = _tree_search.power(float(distance_upper_bound), p)
        most = int(wanted.max())
        levels = self._levels
        apart, number = _tree_search.nearest(levels, x, most, p, self.boxsize, limit)
        if wanted.size < most or (wanted != range(1, most + 1)).any():
            chosen = np.asarray(wanted - 1)
            apart, number = np.take(apart, chosen, axis=1), np.take(number, chosen, axis=1)
        shape = lead if is_one else (*lead, wanted.size)
        return _tree_search.root(apart, p).reshape(shape), number.reshape(shape)

    @beside
    @described(
        "list, numpy.ndarray of lists, or ndarray: The sorted numbers of the points, on the host, "
        "for each point of `x`; their count on devices with `return_length`.",
        {"ValueError": "The shape of `x` is not allowed, or `x` is not finite."},
        COLLECTIVE,
        x=_POINTS,
        r=_RADIUS,
    )
    def query_ball_point(
        self, x, r, p=2.0, eps=0, workers=1, return_sorted=None, return_length=False
    ):
        """The points within a radius around points."""
        import numpy

        x, lead = self._points(x)
        _check_workers(workers)
        r = array(r).astype(np.float64)
        if r.shape != lead:
            r = np.broadcast_to(r, lead)
        r = r.reshape(-1)
        if not return_length:
            found = self._lists(x, r, p, self.boxsize)
            if not lead:
                return found[0]
            lists = numpy.empty(len(found), object)
            lists[:] = found
            return lists.reshape(lead)
        counts = np.zeros(x.shape[0], dtype=np.int64)
        for point, _, _ in self._within(x, r, p, self.boxsize):
            counts = counts + np.diff(_tree_search.edges(point, x.shape[0]))
        return counts.reshape(lead)

    def _within(self, x, r, p, box):
        """Pairs of points of `x` and of this tree that are at most `r` apart, by blocks."""
        return _tree_search.within(self._levels, columns(x), _tree_search.power(r, p), p, box)

    def _lists(self, x, r, p, box):
        """The sorted numbers of the points within radii, as a list for each point of `x`."""
        import numpy

        lists = [[] for _ in range(x.shape[0])]
        for point, number, _ in self._within(x, r, p, box):
            if not point.shape[0]:
                continue
            order = np.lexsort((number, point))
            points, numbers_of = point[order].get(), number[order].get()
            edges = numpy.flatnonzero(numpy.diff(points)) + 1
            parts = numpy.split(numbers_of, edges)
            for first, part in zip(points[numpy.concatenate([[0], edges])], parts):
                lists[first] += part.tolist()
        # A point may be in several blocks.
        return [sorted(one) for one in lists]

    def _other(self, other, name):
        if not isinstance(other, KDTree):
            raise refuse(
                f"Argument 'other' has incorrect type (expected KDTree, got "
                f"{type(other).__name__})", TypeError,
            )
        if other.m != self.m:
            raise refuse(f"Trees passed to {name} have different dimensionality")
        return other

    @beside
    @described(
        "list of lists: The sorted numbers of the other tree's points, on the host.",
        _DIMENSIONS, COLLECTIVE, r=_ONE_RADIUS,
    )
    def query_ball_tree(self, other, r, p=2.0, eps=0):
        """The points of another tree within a radius around each point of this one."""
        other = self._other(other, "query_ball_tree")
        radii = np.full(self.n, float(r))
        return other._lists(self.data, radii, p, self.boxsize)

    @beside
    @described(
        "set or ndarray: Pairs of numbers, the smaller one first: a set of tuples on the host, or "
        "an array of two columns.",
        {"ValueError": "`output_type` is unknown."}, COLLECTIVE,
        r=_ONE_RADIUS,
        output_type=("{'set', 'ndarray'}", "The type of the result."),
    )
    def query_pairs(self, r, p=2.0, eps=0, output_type="set"):
        """The pairs of points that are at most a radius apart."""
        if output_type not in ("set", "ndarray"):
            raise refuse("Invalid output type", mistake="choice")
        radii = np.full(self.n, float(r))
        blocks = []
        for one, another, _ in self._within(self.data, radii, p, self.boxsize):
            chosen = np.flatnonzero(one < another)
            blocks.append(np.stack([one[chosen], another[chosen]], axis=1))
        pairs = _tree_search.joined(blocks) if blocks else np.zeros((0, 2), dtype=np.int64)
        pairs = np.take(pairs, np.lexsort((pairs[:, 1], pairs[:, 0])), axis=0)
        return pairs if output_type == "ndarray" else set(map(tuple, pairs.get().tolist()))

    @beside
    @described(
        "int, float or ndarray: The number of pairs, or the sum of the products of their weights, "
        "for each radius.",
        {"ValueError": "The trees or the weights do not fit, or radii descend."}, COLLECTIVE,
        r=_RADII,
    )
    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
        """The number of pairs of points of two trees that are at most a radius apart."""
        from ._tree_counts import counted

        other = self._other(other, "count_neighbors")
        import numpy

        radii = host(r, float)
        if radii.ndim > 1:
            raise refuse(
                "r must be either a single value or a one-dimensional array of values"
            )
        flat = radii.reshape(-1)
        if not cumulative and (numpy.diff(flat) < 0).any():
            raise refuse("r must be non-decreasing for non-cumulative counting.")
        both = weights if isinstance(weights, tuple) else (weights, weights)
        both = [_weights(one, tree) for one, tree in zip(both, (self, other), strict=True)]
        sums = counted(self, other, flat, p, both, cumulative)
        if radii.ndim:
            return sums
        return sums[0].item() if weights is None else sums[0]

    @beside
    @described(
        "dok_matrix, coo_matrix, dict or numpy.ndarray: The distances; a dictionary and a "
        "structured array are on the host.",
        {"ValueError": "`output_type` is unknown, or the trees have different dimensions."},
        COLLECTIVE,
        output_type=("{'dok_matrix', 'coo_matrix', 'dict', 'ndarray'}", "The type of the result."),
    )
    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="dok_matrix"):
        """The distances of the points of two trees, as far as they are small."""
        import numpy

        other = self._other(other, "sparse_distance_matrix")
        if output_type not in ("dok_matrix", "coo_matrix", "dict", "ndarray"):
            raise refuse("Invalid output type", mistake="choice")
        radii = np.full(self.n, float(max_distance))
        blocks = list(other._within(self.data, radii, p, self.boxsize))
        if not blocks:
            blocks = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
        i, j, v = (_tree_search.joined([one[side] for one in blocks]) for side in range(3))
        v = _tree_search.root(v, p)
        if output_type.endswith("_matrix"):
            from .. import sparse

            made = sparse.coo_matrix((v, (i, j)), shape=(self.n, other.n))
            return made if output_type == "coo_matrix" else made.todok()
        i, j, v = i.get(), j.get(), v.get()
        if output_type == "dict":
            return dict(zip(zip(i.tolist(), j.tolist()), v.tolist()))
        kind = numpy.dtype([("i", numpy.intp), ("j", numpy.intp), ("v", float)], align=True)
        made = numpy.empty(i.size, kind)
        made["i"], made["j"], made["v"] = i, j, v
        return made


class cKDTree(KDTree):
    """A tree of points, for their neighbors in any number of dimensions; the same as `KDTree`.

    Collective: whether points are finite is read.

    Parameters
    ----------
    data : array_like
        The points, one in each row.
    leafsize : int, default: 16
        The most points of a leaf of `tree`. It has no effect on searches.
    compact_nodes : bool, default: True
        An option of SciPy's, without effect: the boxes of nodes are tight.
    copy_data : bool, default: False
        Whether the points are copied. Arrays of `float64` are not, otherwise.
    balanced_tree : bool, default: True
        An option of SciPy's, without effect: the tree is balanced.
    boxsize : float or array_like, optional
        The extents of a periodic space, which starts at 0; 0 for dimensions that are not periodic.
    """

    def __init__(
        self,
        data,
        leafsize=16,
        compact_nodes=True,
        copy_data=False,
        balanced_tree=True,
        boxsize=None,
    ):
        super().__init__(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)


def _real(x):
    """Coordinates as an array of `float64`."""
    x = array(x)
    if x.dtype.kind == "c":
        raise refuse("KDTree does not work with complex data", TypeError)
    return x.astype(np.float64, copy=False)


def _check_workers(workers):
    if workers is not None and workers != -1 and workers <= 0:
        raise refuse(f"Invalid number of workers {workers}, must be -1 or > 0")


def _weights(weights, tree):
    if weights is None:
        return None
    weights = array(weights).astype(np.float64, copy=False)
    if weights.shape != (tree.n,):
        raise refuse("Number of weights differ from the number of data points")
    return weights
