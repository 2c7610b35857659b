"""Metrics of `cdist` and `pdist`: distances of all rows of two arrays.

Sums over coordinates are recorded as reductions of expressions that broadcast, so that one kernel
computes them, without an array of all differences. Coordinates are along the first axis there, so
that neighboring threads read neighboring elements. Differences are computed before they are
squared: the expansion to products would lose digits of near points.
"""

import math

import phalanx as np

from .._arguments import array, refuse
from ._tree_build import columns

ALIASES = {
    "braycurtis": "braycurtis", "canberra": "canberra", "dice": "dice", "yule": "yule",
    "rogerstanimoto": "rogerstanimoto", "russellrao": "russellrao", "sokalsneath": "sokalsneath",
    **dict.fromkeys(("chebychev", "chebyshev", "cheby", "cheb", "ch"), "chebyshev"),
    **dict.fromkeys(("cityblock", "cblock", "cb", "c"), "cityblock"),
    **dict.fromkeys(("correlation", "co"), "correlation"),
    **dict.fromkeys(("cosine", "cos"), "cosine"),
    **dict.fromkeys(("euclidean", "euclid", "eu", "e"), "euclidean"),
    **dict.fromkeys(("matching", "hamming", "hamm", "ha", "h"), "hamming"),
    **dict.fromkeys(("jaccard", "jacc", "ja", "j"), "jaccard"),
    **dict.fromkeys(("jensenshannon", "js"), "jensenshannon"),
    **dict.fromkeys(("mahalanobis", "mahal", "mah"), "mahalanobis"),
    **dict.fromkeys(("minkowski", "mi", "m", "pnorm"), "minkowski"),
    **dict.fromkeys(("seuclidean", "se", "s"), "seuclidean"),
    **dict.fromkeys(("sqeuclidean", "sqe", "sqeuclid"), "sqeuclidean"),
}
# The options of the metrics that have others than weights.
_OPTIONS = {
    "jensenshannon": (), "mahalanobis": ("VI",), "minkowski": ("p", "w"), "seuclidean": ("V",),
}
# Metrics of boolean vectors.
_OF_TRUTHS = ("dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "jaccard")


def metric(name, columns, samples, options):
    """The function of the distances of all rows of two arrays. `samples` returns all rows, for the
    metrics whose parameters are estimated."""
    known = _OPTIONS.get(name, ("w",))
    unknown = [one for one in options
               if one not in known and not (one == "w" and options[one] is None)]
    if unknown:
        raise refuse(f"{name} got an unexpected keyword argument {unknown[0]!r}", TypeError)
    given = {key: value for key, value in options.items() if value is not None}
    w = _weights(given.get("w"), columns)
    if name == "minkowski":
        return _minkowski(float(given.get("p", 2.0)), w)
    if name == "seuclidean":
        return _seuclidean(given.get("V"), columns, samples)
    if name == "mahalanobis":
        return _mahalanobis(given.get("VI"), columns, samples)
    if name == "jensenshannon":
        return _jensenshannon
    if name in _OF_TRUTHS:
        return lambda a, b: _of_truths(name, a, b, w)
    return lambda a, b: _SIMPLE[name](a, b, w)


def operand(name, x):
    """The rows of a metric as an array of its dtype."""
    if x.dtype.kind == "c":
        if name in ("cosine", "correlation", "jensenshannon", "mahalanobis", "seuclidean"):
            return x.real.astype(np.float64)
        raise refuse(f"Unsupported dtype {x.dtype}")
    # For dice, SciPy computes with the numbers as they are.
    if name in _OF_TRUTHS and name != "dice":
        return (x != 0).astype(np.float64)
    return x.astype(np.float64, copy=False)


def _weights(w, columns):
    if w is None:
        return None
    w = array(w)
    if w.ndim != 1:
        raise refuse("Input vector should be 1-D.")
    if w.shape[0] != columns:
        raise refuse(f"Weights must have same size as input vector. {w.shape[0]} vs. {columns}.")
    w = w.astype(np.float64)
    if bool((w < 0).any()):
        raise refuse("Input weights should be all non-negative")
    return w


def _pairs(a, b):
    """Coordinates of both arrays' rows, so that they broadcast to all pairs along the last axes."""
    return columns(a)[:, :, None], columns(b)[:, None, :]


def _times(values, w):
    return values if w is None else values * w[:, None, None]


def _sqeuclidean(a, b, w):
    a, b = _pairs(a, b)
    return _times(np.square(a - b), w).sum(0)


def _euclidean(a, b, w):
    return np.sqrt(_sqeuclidean(a, b, w))


def _cityblock(a, b, w):
    a, b = _pairs(a, b)
    return _times(np.abs(a - b), w).sum(0)


def _chebyshev(a, b, w):
    if a.shape[1] == 0:
        return np.zeros((a.shape[0], b.shape[0]))
    a, b = _pairs(a, b)
    gaps = np.abs(a - b)
    return (gaps if w is None else np.where(w[:, None, None] > 0, gaps, 0.0)).max(0)


def _minkowski(p, w):
    if p == 1:
        return lambda a, b: _cityblock(a, b, w)
    if p == 2:
        return lambda a, b: _euclidean(a, b, w)
    if math.isinf(p):
        return lambda a, b: _chebyshev(a, b, w)

    def distance(a, b):
        a, b = _pairs(a, b)
        # SciPy has no check of orders that are not positive.
        return _times(np.abs(a - b) ** p, w).sum(0) ** (1 / p if p else math.inf)

    return distance


def _canberra(a, b, w):
    a, b = _pairs(a, b)
    whole = np.abs(a) + np.abs(b)
    parts = np.abs(a - b) / np.where(whole == 0, 1.0, whole)
    return _times(parts, w).sum(0)


def _braycurtis(a, b, w):
    a, b = _pairs(a, b)
    return _times(np.abs(a - b), w).sum(0) / _times(np.abs(a + b), w).sum(0)


def _hamming(a, b, w):
    a, b = _pairs(a, b)
    if w is None:
        return (a != b).sum(0) / np.float64(a.shape[0])
    return np.where(a != b, w[:, None, None], 0.0).sum(0) / w.sum()


def _cosine(a, b, w):
    other = b if w is None else b * w
    norms = [np.sqrt((one * (one if w is None else one * w)).sum(1)) for one in (a, b)]
    ratio = np.matmul(a, other.T) / (norms[0][:, None] * norms[1][None, :])
    return 1.0 - np.clip(ratio, -1.0, 1.0)


def _correlation(a, b, w):
    if w is None:
        return _cosine(*(one - one.mean(1, keepdims=True) for one in (a, b)), None)
    w = w / w.sum()
    return _cosine(*(one - (one * w).sum(1, keepdims=True) for one in (a, b)), w)


def _jensenshannon(a, b):
    # Rows without a positive sum, or with negative numbers, are no probabilities.
    wrong = [~((one >= 0).all(1) & (one.sum(1) > 0)) for one in (a, b)]
    a, b = _pairs(*(one / one.sum(1, keepdims=True) for one in (a, b)))
    middle = (a + b) / 2
    entropies = [
        np.where(one > 0, one * np.log(np.where(one > 0, one / middle, 1.0)), 0.0)
        for one in (a, b)
    ]
    total = np.maximum((entropies[0] + entropies[1]).sum(0), 0.0)
    return np.where(wrong[0][:, None] | wrong[1][None, :], np.inf, np.sqrt(total / 2))


def _seuclidean(variances, columns, samples):
    if variances is None:
        variances = samples().var(0, ddof=1)
    else:
        variances = array(variances)
        if variances.ndim != 1:
            raise refuse("Variance vector V must be one-dimensional.")
        if variances.shape[0] != columns:
            raise refuse("Variance vector V must be of the same dimension as the vectors on which "
                         "the distances are computed.")
    variances = variances.astype(np.float64)

    def distance(a, b):
        a, b = _pairs(a, b)
        return np.sqrt((np.square(a - b) / variances[:, None, None]).sum(0))

    return distance


def _mahalanobis(inverse, columns, samples):
    if inverse is None:
        rows = samples()
        if rows.shape[0] <= columns:
            raise refuse(
                f"The number of observations ({rows.shape[0]}) is too small; the covariance matrix "
                f"is singular. For observations with {columns} dimensions, at least {columns + 1} "
                "observations are required."
            )
        inverse = np.linalg.inv(np.atleast_2d(np.cov(rows.T))).T
    inverse = np.atleast_2d(array(inverse)).astype(np.float64)
    if inverse.shape != (columns, columns):
        raise refuse("VI must be a square matrix with a row for each dimension")

    def distance(a, b):
        a, b = _pairs(a, b)
        gaps = a - b
        return np.sqrt((gaps[:, None] * inverse[:, :, None, None] * gaps[None]).sum((0, 1)))

    return distance


def _of_truths(name, a, b, w):
    """Metrics of the counts of coordinates that are true in both, in one or in none of two rows.
    The arrays have ones and zeros."""
    # Products of ones count exactly.
    other, rest = (b, 1.0 - b) if w is None else (b * w, (1.0 - b) * w)
    both, first = np.matmul(a, other.T), np.matmul(a, rest.T)
    second = np.matmul(1.0 - a, other.T)
    differ = first + second
    if name == "jaccard":
        known = both + differ
        return np.where(known == 0, 0.0, differ / np.where(known == 0, 1.0, known))
    if name == "dice":
        return differ / (2.0 * both + differ)
    if name == "russellrao":
        total = a.shape[1] if w is None else w.sum()
        return (total - both) / total
    if name == "sokalsneath":
        whole = both + 2.0 * differ
        return 2.0 * differ / whole
    none = np.matmul(1.0 - a, rest.T)
    if name == "rogerstanimoto":
        return 2.0 * differ / (both + none + 2.0 * differ)
    half = first * second
    whole = both * none + half
    return np.where(half == 0, 0.0, 2.0 * half / np.where(half == 0, 1.0, whole))


_SIMPLE = {
    "braycurtis": _braycurtis, "canberra": _canberra, "chebyshev": _chebyshev,
    "cityblock": _cityblock, "correlation": _correlation, "cosine": _cosine,
    "euclidean": _euclidean, "hamming": _hamming, "sqeuclidean": _sqeuclidean,
}
