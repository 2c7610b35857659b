"""Points in space: the functions and classes of `scipy.spatial`.

Trees of points, distances and rotations compute on devices. Triangulations and hulls are SciPy's,
by Qhull on the host, if it is installed: ``pip install phalanx[scipy]``.
"""

import types as _types

from .._arguments import beside as _beside
from . import distance, transform
from ._geometry import (
    Rectangle,
    convex_hull_plot_2d,
    delaunay_plot_2d,
    distance_matrix,
    geometric_slerp,
    minkowski_distance,
    minkowski_distance_p,
    procrustes,
    tsearch,
    voronoi_plot_2d,
)
from ._kdtree import KDTree, cKDTree
from ._qhull import ConvexHull, Delaunay, HalfspaceIntersection, SphericalVoronoi, Voronoi

__all__ = [
    "ConvexHull", "Delaunay", "HalfspaceIntersection", "KDTree", "QhullError", "Rectangle",
    "SphericalVoronoi", "Voronoi", "cKDTree", "convex_hull_plot_2d", "delaunay_plot_2d", "distance",
    "distance_matrix", "geometric_slerp", "minkowski_distance", "minkowski_distance_p",
    "procrustes", "transform", "tsearch", "voronoi_plot_2d",
]

for _name in __all__:
    _value = globals().get(_name)
    if isinstance(_value, _types.FunctionType):
        globals()[_name] = _beside(_value)


def __getattr__(name):
    # SciPy's own class, so that programs can catch the errors of its functions.
    if name == "QhullError":
        from ._host import scipy_spatial

        return scipy_spatial(name).QhullError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
