"""The Hausdorff distance of sets of points."""

import phalanx as np

from .._arguments import array, refuse
from . import _tree_search
from ._described import COLLECTIVE, described
from ._tree_build import Levels, columns

# More pairs of points than these are searched in a tree, if dimensions are few.
_PAIRS = 1 << 24
_DIMENSIONS = 8


@described(
    "(ndarray, int, int): The distance, and the numbers of the points of `u` and `v` between which "
    "it is.",
    {"ValueError": "The points have different dimensions."}, COLLECTIVE,
    u=("array_like", "The points from which distances are measured, one in each row."),
    v=("array_like", "The other points, one in each row."),
    rng=("object", "An option of SciPy's, without effect."),
    seed=("object", "An option of SciPy's, without effect."),
)
def directed_hausdorff(u, v, rng=0, *, seed=None):
    """The largest distance of a point of `u` and the point of `v` that is nearest to it."""
    u, v = (array(one).astype(np.float64, copy=False) for one in (u, v))
    if u.shape[1] != v.shape[1]:
        raise refuse("u and v need to have the same number of columns")
    if u.shape[0] * v.shape[0] <= _PAIRS or u.shape[1] > _DIMENSIONS:
        nearest = np.square(columns(u)[:, :, None] - columns(v)[:, None, :]).sum(0).min(1)
    else:
        nearest = _tree_search.nearest(Levels(v), u, 1, 2, None)[0][:, 0]
    first = int(np.argmax(nearest))
    # Both distances are computed alike, so that numbers belong to the distance.
    apart = np.square(u[first] - v).sum(-1)
    second = int(np.argmin(apart))
    return np.sqrt(apart[second]), first, second
