"""Distances: the functions of `scipy.spatial.distance`."""

from .._arguments import beside as _beside
from ._hausdorff import directed_hausdorff
from ._pairwise import (
    cdist,
    is_valid_dm,
    is_valid_y,
    num_obs_dm,
    num_obs_y,
    pdist,
    squareform,
)
from ._vectors import (
    braycurtis,
    canberra,
    chebyshev,
    cityblock,
    correlation,
    cosine,
    dice,
    euclidean,
    hamming,
    jaccard,
    jensenshannon,
    mahalanobis,
    minkowski,
    rogerstanimoto,
    russellrao,
    seuclidean,
    sokalsneath,
    sqeuclidean,
    yule,
)

__all__ = [
    "braycurtis", "canberra", "cdist", "chebyshev", "cityblock", "correlation", "cosine", "dice",
    "directed_hausdorff", "euclidean", "hamming", "is_valid_dm", "is_valid_y", "jaccard",
    "jensenshannon", "mahalanobis", "minkowski", "num_obs_dm", "num_obs_y", "pdist",
    "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath", "sqeuclidean", "squareform",
    "yule",
]

for _name in __all__:
    globals()[_name] = _beside(globals()[_name])
