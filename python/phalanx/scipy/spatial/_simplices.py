"""The simplices of a triangulation in which points are, found on devices.

Points walk from simplex to simplex across the side beyond which they are. Such a walk ends in a
Delaunay triangulation, and starts near its end: a coarse grid has a simplex for each of its cells.
Source: Devillers, Pion and Teillaud, Walking in a Triangulation, 2002.
"""

import phalanx as np

# Cells of the grid in which walks start.
_CELLS = 1 << 16
# Steps of all points between two looks at whether one still walks, and looks.
_STEPS, _LOOKS = 4, 64
# How far a point may be outside of a simplex, as a part of its height, as in SciPy.
_TOLERANCE = 100 * 2.0**-52
# Points that are copied to the host at once.
_FEW = 1 << 22
# Barycentric coordinates that are computed in one block, where points have those in all simplices.
_BLOCK = 1 << 24


class Triangulation:
    """A Delaunay triangulation with its tables on devices."""

    def __init__(self, tri):
        """`tri` is SciPy's object, or has one."""
        self.tri = getattr(tri, "_of_scipy", tri)
        self.ndim = self.tri.ndim
        self.simplices = np.asarray(self.tri.simplices.astype("i8")).with_sharding(None)
        self._neighbours = np.asarray(self.tri.neighbors.astype("i8").ravel()).with_sharding(None)
        self.maps, origins = _barycentric_maps(self.tri)
        self._maps = np.asarray(self.maps).with_sharding(None)
        self._origins = np.asarray(origins).with_sharding(None)
        self._cells = None

    def _start(self, x):
        """A simplex near each point."""
        if self._cells is None:
            import numpy
            import scipy.spatial

            low, high = self.tri.min_bound, self.tri.max_bound
            count = max(1, int(min(len(self.tri.simplices), _CELLS) ** (1 / self.ndim)))
            width = (high - low) / count
            width[width == 0] = 1.0
            axes = [a + w * (numpy.arange(count) + 0.5) for a, w in zip(low, width)]
            centres = numpy.stack(numpy.meshgrid(*axes, indexing="ij"), axis=-1)
            # The centre of a cell starts at the simplex of its nearest point.
            used = numpy.unique(self.tri.simplices)
            tree = scipy.spatial.cKDTree(self.tri.points[used])
            _, near = tree.query(centres.reshape(-1, self.ndim))
            found = self.tri.vertex_to_simplex[used[near]]
            self._cells = low, width, count, np.asarray(found.astype("i8")).with_sharding(None)
        low, width, count, table = self._cells
        place = None
        for axis in range(self.ndim):
            cell = np.floor((x[:, axis] - float(low[axis])) / float(width[axis]))
            cell = np.clip(np.nan_to_num(cell), 0, count - 1).astype(np.int64)
            place = cell if place is None else place * count + cell
        return np.take(table, place, mode="clip")

    def barycentric(self, simplex, x):
        """The barycentric coordinates of points in simplices, along the last axis."""
        apart = x - np.take(self._origins, simplex, axis=0, mode="clip")
        maps = np.take(self._maps, simplex, axis=0, mode="clip")
        parts = (maps * apart[:, None, :]).sum(axis=-1)
        return np.concatenate([parts, 1 - parts.sum(axis=-1, keepdims=True)], axis=-1)

    def _step(self, simplex, walks, x, tol):
        """The simplices after a step, and which points still walk; -1 beyond the hull."""
        parts = self.barycentric(simplex, x)
        # Comparisons with NaN, of a simplex without extent, are false: such points stay.
        walks = walks & (parts.min(axis=-1) < -tol)
        side = simplex * (self.ndim + 1) + parts.argmin(axis=-1)
        simplex = np.where(walks, np.take(self._neighbours, side, mode="clip"), simplex)
        return simplex, walks & (simplex >= 0)

    def _walked(self, simplex, walks, x, tol):
        """The simplices after some steps, and which points still walk."""
        for _ in range(_STEPS):
            simplex, walks = self._step(simplex, walks, x, tol)
        return simplex, walks

    def _known(self, x, tol):
        """Whether points are in the box of the triangulation; one that has NaN is not."""
        return ((x >= self.tri.min_bound - tol) & (x <= self.tri.max_bound + tol)).all(axis=1)

    def locate(self, x, tol=_TOLERANCE):
        """The simplex of each point, -1 for points outside, and the barycentric coordinates.

        `tol` is how far the coordinates may be below 0. Collective.
        """
        known = self._known(x, tol)
        simplex, walks = self._walked(self._start(x), known, x, tol)
        if bool(walks.any()):
            # Few points start far from where they are.
            rest = np.flatnonzero(walks)
            at, goes, points = simplex[rest], walks[rest], np.take(x, rest, axis=0)
            for _ in range(_LOOKS):
                at, goes = self._walked(at, goes, points, tol)
                if not bool(goes.any()):
                    break
            simplex[rest], walks[rest] = at, goes
        parts = self.barycentric(np.maximum(simplex, 0), x)
        lost = known & (simplex >= 0) & (walks | ~np.isfinite(parts).all(axis=-1))
        simplex = np.where(known, simplex, -1)
        if bool(lost.any()):
            simplex = self._found_on_host(simplex, lost, x, tol)
            parts = self.barycentric(np.maximum(simplex, 0), x)
        return simplex, parts

    def _found_on_host(self, simplex, lost, x, tol):
        """Finds the few points whose walk came to a simplex without extent, in bounded blocks."""
        places = np.flatnonzero(lost)
        for start in range(0, places.shape[0], _FEW):
            block = places[start : start + _FEW]
            found = self.tri.find_simplex(np.take(x, block, axis=0).get(), tol=tol)
            simplex[block] = np.asarray(found.astype("i8"))
        return simplex

    def compared(self, x, tol=_TOLERANCE):
        """The first simplex of each point, of all simplices; -1 for none."""
        count = self.maps.shape[0]
        step = max(_BLOCK // (count * self.ndim), 1)
        found = []
        for first in range(0, max(x.shape[0], 1), step):
            apart = x[first : first + step, None, :] - self._origins
            rest, least = 1.0, None
            for row in range(self.ndim):
                part = (self._maps[:, row, :] * apart).sum(axis=-1)
                rest = rest - part
                least = part if least is None else np.minimum(least, part)
            is_inside = np.minimum(least, rest) >= -tol
            number = np.argmax(is_inside, axis=1)
            found.append(np.where(is_inside.any(axis=1), number, -1))
        found = found[0] if len(found) == 1 else np.concatenate(found)
        return np.where(self._known(x, tol), found, -1)


def _barycentric_maps(tri):
    """The linear maps to barycentric coordinates, NaN for simplices without extent, and the points
    from which they start, on the host."""
    import numpy

    corners = tri.points[tri.simplices]
    edges = numpy.swapaxes(corners[:, :-1] - corners[:, -1:], 1, 2)
    is_flat = numpy.linalg.det(edges) == 0
    edges[is_flat] = numpy.eye(tri.ndim)
    maps = numpy.linalg.inv(edges)
    # The bound of the condition is SciPy's.
    sizes = [abs(one).sum(axis=1).max(axis=1) for one in (edges, maps)]
    maps[is_flat | (sizes[0] * sizes[1] > 2.0**52 / 1000)] = numpy.nan
    return maps, corners[:, -1].copy()
