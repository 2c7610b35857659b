"""Distances of all rows of arrays, and the conversion of condensed distance matrices."""

import inspect
import math

import phalanx as np

from .. import _host
from .._arguments import array, refuse
from . import _metrics
from ._described import COLLECTIVE, RECORDED, described

# Coordinates that are copied to the host for a metric that is a Python function.
_MOST = 1 << 22
# Blocks of rows of `pdist`. Half of a block on the diagonal is computed for nothing.
_BLOCKS = 16
# Distances in a block of `pdist`, of more rows than in one of them.
_BLOCK = 1 << 22

_METRIC = ("str or callable", "The metric: a name, or a function of two vectors. A Python function "
           "is called for each pair on the host, with vectors of NumPy.")
_OUT = ("ndarray", "An array of `float64` for the result.")
_KWARGS = ("object", "Options of the metric: the weights `w`; `p` of minkowski; `V`, the variances "
           "of seuclidean; `VI`, the inverse covariance of mahalanobis.")
_ERRORS = {
    "ValueError": "The metric is unknown, or shapes or options do not fit.",
    "TypeError": "The metric is no string and no function, or has no such option.",
}
_NOTES = (
    "Local: recorded, and computed when a value is observed. The first array stays in its blocks; "
    "the other one is gathered. Collective if there are weights, which are read to check them, or "
    "if the metric is a Python function."
)


def _name(given):
    """The name of a metric; None for a function that is to be called."""
    if isinstance(given, str):
        lower = given.lower()
        found = _metrics.ALIASES.get(lower.removeprefix("test_"))
        if found is None:
            raise refuse(f"Unknown Distance Metric: {lower}", mistake="choice")
        return found
    if not callable(given):
        raise refuse("2nd argument metric must be a string identifier or a function.", TypeError)
    module = getattr(given, "__module__", None) or ""
    name = getattr(given, "__name__", "")
    # The functions of this module and of SciPy's have loops of their own.
    is_known = module.startswith("phalanx.scipy.spatial") or module == "scipy.spatial.distance"
    return _metrics.ALIASES.get(name) if is_known else None


def _written(result, out):
    if out is None:
        return result
    if out.shape != result.shape:
        raise refuse("Output array has incorrect shape.")
    if out.dtype != np.float64:
        raise refuse(f"wrong out dtype, expected float64, found {out.dtype}")
    out[...] = result
    return out


def _named_options(given, name, options):
    """The options of a function, by their names."""
    if callable(given) and name not in (None, "minkowski"):
        known = inspect.signature(given).parameters
        return {key: value for key, value in options.items() if key in known or key == "w"}
    return options


@described(
    "ndarray: The distances: the rows of `XA`, and those of `XB` as columns.", _ERRORS, _NOTES,
    XA=("array_like", "The first vectors, one in each row."),
    XB=("array_like", "The other vectors, one in each row."),
    metric=_METRIC, out=_OUT, kwargs=_KWARGS,
)
def cdist(XA, XB, metric="euclidean", *, out=None, **kwargs):
    """The distances of all pairs of vectors of two arrays."""
    XA, XB = array(XA), array(XB)
    for name, one in (("XA", XA), ("XB", XB)):
        if one.ndim != 2:
            raise refuse(f"{name} must be a 2-dimensional array.")
    columns = XA.shape[1]
    if columns != XB.shape[1]:
        raise refuse(
            "XA and XB must have the same number of columns (i.e. feature dimension.)"
        )
    name = _name(metric)
    if name is None:
        made = _called(metric, XA, XB, kwargs)
    else:
        a, b = (_metrics.operand(name, one) for one in (XA, XB))
        options = _named_options(metric, name, kwargs)
        with np.errstate(all="ignore"):
            distance = _metrics.metric(name, columns, lambda: np.concatenate([a, b]), options)
            if not a.shape[0] or not b.shape[0]:
                made = np.zeros((a.shape[0], b.shape[0]))
            else:
                made = distance(a, b)
    return _written(made, out)


def _called(function, XA, XB, options):
    """Distances by a Python function."""
    import numpy

    rows = [_host.copied(one, _MOST, "cdist of a Python function") for one in (XA, XB)]
    made = [[float(function(a, b, **options)) for b in rows[1]] for a in rows[0]]
    return np.asarray(numpy.array(made, float).reshape(XA.shape[0], XB.shape[0]))


@described(
    "ndarray: The distances of each row and those after it, as a vector.", _ERRORS, _NOTES,
    X=("array_like", "The vectors, one in each row."), metric=_METRIC, out=_OUT, kwargs=_KWARGS,
)
def pdist(X, metric="euclidean", *, out=None, **kwargs):
    """The distances of all pairs of vectors of an array."""
    X = array(X)
    if X.ndim != 2:
        raise refuse(f"A 2-dimensional array must be passed. (Shape was {X.shape}).")
    count, columns = X.shape
    name = _name(metric)
    if name is None:
        import numpy

        rows = _host.copied(X, _MOST, "pdist of a Python function")
        made = [float(metric(rows[i], rows[j], **kwargs))
                for i in range(count) for j in range(i + 1, count)]
        return _written(np.asarray(numpy.array(made, float)), out)
    x = _metrics.operand(name, X)
    with np.errstate(all="ignore"):
        options = _named_options(metric, name, kwargs)
        distance = _metrics.metric(name, columns, lambda: x, options)
        step = max(-(-count // _BLOCKS), min(_BLOCK // max(count, 1), count), 1)
        blocks = [
            _above(distance(x[first : first + step], x[first:]))
            for first in range(0, count - 1, step)
        ]
    made = np.concatenate(blocks) if blocks else np.zeros(0)
    return _written(made, out)


def _above(block):
    """The elements right of the diagonal, row by row."""
    rows, columns = block.shape
    rows = min(rows, columns - 1)
    twice = 2 * columns - 1

    def before(row):
        # Row `i` has columns - 1 - i of them.
        return row * (twice - row) >> 1

    place = np.arange(before(rows))
    row = ((twice - np.sqrt(twice * twice - 8 * place)) / 2).astype(np.int64)
    # The root is rounded.
    row = row - (before(row) > place)
    row = row + (before(row + 1) <= place)
    return np.take(block.reshape(-1), row * (columns + 1) + 1 + place - before(row), mode="clip")


def _side(length):
    """The number of vectors with so many pairs; None if there is none."""
    count = math.isqrt(2 * length)
    for one in (count, count + 1):
        if one * (one - 1) == 2 * length and one >= 1:
            found = one
            break
    else:
        return None
    return found


@described(
    "ndarray: The other form of the distances, of the same dtype.",
    {"ValueError": "The shape is not allowed, or the matrix is no distance matrix."}, COLLECTIVE,
    X=("array_like", "A vector of distances, or a square matrix."),
    force=("{'no', 'tomatrix', 'tovector'}", "The form that is wanted, which is checked."),
    checks=("bool", "Whether symmetry and zeros on the diagonal of a matrix are checked."),
)
def squareform(X, force="no", checks=True):
    """A distance matrix from a vector of distances, or the reverse."""
    X = array(X)
    force = force.lower()
    if force == "tomatrix" and X.ndim != 1:
        raise refuse("Forcing 'tomatrix' but input X is not a distance vector.")
    if force == "tovector" and X.ndim != 2:
        raise refuse("Forcing 'tovector' but input X is not a distance matrix.")
    if X.ndim == 1:
        if X.shape[0] == 0:
            return np.zeros((1, 1), dtype=X.dtype)
        count = _side(X.shape[0])
        if count is None:
            raise refuse("Incompatible vector size. It must be a binomial coefficient n choose 2 "
                         "for some integer n >= 2.")
        i, j = np.arange(count)[:, None], np.arange(count)[None, :]

        def before(row):
            # The pairs of rows before one, without those left of its diagonal.
            return (row * (2 * count - 3 - row) >> 1) - 1

        place = np.where(i < j, before(i) + j, before(j) + i)
        found = np.take(X, place, mode="clip")
        return np.where(i == j, np.zeros((), dtype=X.dtype), found)
    if X.ndim == 2:
        if X.shape[0] != X.shape[1]:
            raise refuse("The matrix argument must be square.")
        if checks:
            is_valid_dm(X, throw=True, name="X")
        return np.zeros(0, dtype=X.dtype) if X.shape[0] <= 1 else _above(X)
    raise refuse("The first argument must be one or two dimensional array. A "
                 f"{X.ndim}-dimensional array is not permitted")


_THROW = ("bool", "Whether an error is raised if it is not valid.")
_WARNING = ("bool", "Whether a warning is issued if it is not valid.")
_INVALID = {"ValueError": "It is not valid, and `throw` is true."}
_CALLED = ("str", "The name in the text of errors.")


def _judged(mistake, throw, warning):
    if mistake is None:
        return True
    if throw:
        raise refuse(mistake)
    if warning:
        import warnings

        warnings.warn(mistake, stacklevel=4)
    return False


@described(
    "bool: Whether it is valid.", _INVALID, COLLECTIVE,
    D=("array_like", "The matrix."), tol=("float", "The difference that is allowed."),
    throw=_THROW, name=_CALLED, warning=_WARNING,
)
def is_valid_dm(D, tol=0.0, throw=False, name="D", warning=False):
    """Whether a matrix is symmetric with zeros on its diagonal."""
    return _judged(_mistake_of_matrix(array(D), tol, name), throw, warning)


def _mistake_of_matrix(D, tol, name):
    called = f"Distance matrix '{name}'" if name else "Distance matrix"
    if D.ndim != 2:
        return f"{called} must have shape=2 (i.e. be two-dimensional)."
    if D.shape[0] != D.shape[1]:
        return f"{called} must be square."
    diagonal = np.diagonal(D)
    if tol == 0:
        if not bool((D == D.T).all()):
            return f"{called} must be symmetric."
        return None if bool((diagonal == 0).all()) else f"{called} diagonal must be zero."
    if not bool((D - D.T <= tol).all()):
        return f"{called} must be symmetric within tolerance {tol:5.5f}."
    if not bool((diagonal <= tol).all()):
        return f"{called} diagonal must be close to zero within tolerance {tol:5.5f}."
    return None


@described(
    "bool: Whether it is valid.", _INVALID, RECORDED,
    y=("array_like", "The vector."), warning=_WARNING, throw=_THROW, name=_CALLED,
)
def is_valid_y(y, warning=False, throw=False, name=None):
    """Whether an array has the shape of the distances of all pairs of vectors."""
    return _judged(_mistake_of_vector(array(y), name), throw, warning)


def _mistake_of_vector(y, name):
    called = f"Condensed distance matrix '{name}'" if name else "Condensed distance matrix"
    if y.ndim != 1:
        return f"{called} must have shape=1 (i.e. be one-dimensional)."
    if y.shape[0] and _side(y.shape[0]) is None:
        return (f"Length of {called} must be a binomial coefficient, the number of the pairs of "
                "some number of vectors.")
    return None


@described(
    "int: The number of vectors.", {"ValueError": "It is no distance matrix."}, COLLECTIVE,
    d=("array_like", "The distance matrix."),
)
def num_obs_dm(d):
    """The number of vectors of a distance matrix."""
    d = array(d)
    is_valid_dm(d, tol=np.inf, throw=True, name="d")
    return d.shape[0]


@described(
    "int: The number of vectors.", {"ValueError": "It is no vector of distances."}, RECORDED,
    Y=("array_like", "The distances of all pairs."),
)
def num_obs_y(Y):
    """The number of vectors of a vector of distances."""
    Y = array(Y)
    is_valid_y(Y, throw=True, name="Y")
    if Y.shape[0] == 0:
        raise refuse("The number of observations cannot be determined on an empty distance matrix.")
    return _side(Y.shape[0])
