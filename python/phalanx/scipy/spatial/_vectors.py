"""Distances of two vectors."""

import phalanx as np

from .._arguments import array, refuse
from ._described import COLLECTIVE, described

_U = ("array_like", "The first vector.")
_V = ("array_like", "The other vector.")
_W = ("array_like", "The weights of the coordinates; equal ones by default.")
_NOTES = (
    "Local: recorded, and computed when a value is observed. Collective if there are weights, "
    "which are read to check them."
)
_DISTANCE = "ndarray: The distance, without axes."
_BAD = {
    "ValueError": "An argument is no vector, vectors differ in length, or a weight is negative."
}
_distance = described(_DISTANCE, _BAD, _NOTES, u=_U, v=_V, w=_W)


def _vector(x, dtype=None):
    x = array(x)
    if x.ndim != 1:
        raise refuse("Input vector should be 1-D.")
    return x if dtype is None else x.astype(dtype, copy=False)


def _both(u, v, broadcasts=True):
    """Two vectors of equal lengths; one of them may have one coordinate for all."""
    u, v = _vector(u), _vector(v)
    if u.shape == v.shape:
        return u, v
    if not broadcasts or (1,) not in (u.shape, v.shape):
        raise refuse(f"operands could not be broadcast together with shapes {u.shape} {v.shape}")
    shape = v.shape if u.shape == (1,) else u.shape
    return np.broadcast_to(u, shape), np.broadcast_to(v, shape)


def _weights(w, u):
    """Weights as an array; None if there are none."""
    if w is None:
        return None
    w = _vector(w, np.float64)
    if w.shape not in (u.shape, (1,)):
        raise refuse(f"operands could not be broadcast together with shapes {w.shape} {u.shape}")
    w = np.broadcast_to(w, u.shape)
    if bool((w < 0).any()):
        raise refuse("Input weights should be all non-negative")
    return w


def _times(values, w):
    return values if w is None else w * values


@described(_DISTANCE, {**_BAD, "TypeError": "The vectors are boolean."}, _NOTES, u=_U, v=_V,
           p=("float", "The order."), w=_W)
def minkowski(u, v, p=2, w=None):
    """Minkowski's distance of two vectors."""
    u, v = _both(u, v)
    if not p > 0:
        raise refuse("p must be greater than 0")
    gaps = np.abs(u - v)
    w = _weights(w, u)
    if not u.shape[0]:
        return np.zeros(())
    gaps = gaps.astype(np.result_type(gaps.dtype, np.float32), copy=False)
    if p == np.inf:
        return _times(gaps, None if w is None else w != 0).max()
    if p == 1:
        return _times(gaps, w).sum()
    if p == 2:
        return np.sqrt(_times(gaps * gaps, w).sum()).astype(np.float64)
    return _times(gaps**p, w).sum() ** (1 / p)


@described(_DISTANCE, {**_BAD, "TypeError": "The vectors are boolean."}, _NOTES, u=_U, v=_V, w=_W)
def euclidean(u, v, w=None):
    """The length of the difference of two vectors."""
    return minkowski(u, v, 2, w)


@_distance
def sqeuclidean(u, v, w=None):
    """The squared length of the difference of two vectors."""
    given = [one if hasattr(one, "dtype") else array(one) for one in (u, v)]
    u, v = (array(one) if one.dtype.kind in "fc" else array(one).astype(np.float64)
            for one in given)
    u, v = _both(u, v)
    gaps = u - v
    return (gaps * _times(gaps, _weights(w, u))).sum()


@described(_DISTANCE, {**_BAD, "TypeError": "The vectors are complex."}, _NOTES, u=_U, v=_V, w=_W,
           centered=("bool", "Whether means are subtracted."))
def correlation(u, v, w=None, centered=True):
    """One minus the correlation of two vectors."""
    u, v = _vector(u), _vector(v)
    if "c" in (u.dtype.kind, v.dtype.kind):
        raise refuse("`u` and `v` must be real.", TypeError)
    u, v = _both(u, v, broadcasts=False)
    w = _weights(w, u)
    with np.errstate(all="ignore"):
        w = None if w is None else w / w.sum()
        u, v = (one if one.dtype.kind == "f" else one.astype(np.float64) for one in (u, v))
        if centered:
            u, v = (one - (one.mean() if w is None else (one * w).sum()) for one in (u, v))
        products = [_times(one * other, w).sum() for one, other in ((u, v), (u, u), (v, v))]
        distance = 1.0 - products[0] / np.sqrt(products[1] * products[2])
    return np.clip(distance, 0.0, 2.0)


@described(_DISTANCE, {**_BAD, "TypeError": "The vectors are complex."}, _NOTES, u=_U, v=_V, w=_W)
def cosine(u, v, w=None):
    """One minus the cosine of the angle of two vectors."""
    return correlation(u, v, w, centered=False)


@_distance
def hamming(u, v, w=None):
    """The part of the coordinates in which two vectors differ."""
    u, v = _both(u, v, broadcasts=False)
    w = _weights(w, u)
    with np.errstate(all="ignore"):
        differ = u != v
        return differ.mean() if w is None else (differ * (w / w.sum())).sum()


@_distance
def jaccard(u, v, w=None):
    """The part of the coordinates that are not zero in both vectors in which they differ."""
    u, v = _both(u, v)
    w = _weights(w, u)
    one, other = u != 0, v != 0
    part = _times(one ^ other, w).sum().astype(np.float64)
    whole = _times(one | other, w).sum().astype(np.float64)
    return np.where(whole == 0, 0.0, part / np.where(whole == 0, 1.0, whole))


@described(_DISTANCE, {**_BAD, "TypeError": "The vectors differ in length."}, _NOTES, u=_U, v=_V,
           V=("array_like", "The variances of the coordinates."))
def seuclidean(u, v, V):
    """The length of the difference of two vectors in units of standard deviations."""
    u, v, V = _vector(u), _vector(v), _vector(V, np.float64)
    if not u.shape == v.shape == V.shape:
        raise refuse("V must be a 1-D array of the same dimension as u and v.", TypeError)
    return euclidean(u, v, 1 / V)


@_distance
def cityblock(u, v, w=None):
    """The sum of the sizes of the differences of two vectors."""
    u, v = _both(u, v)
    return _times(np.abs(u - v), _weights(w, u)).sum()


@described(_DISTANCE, _BAD, u=_U, v=_V, VI=("array_like", "The inverse of the covariance matrix."))
def mahalanobis(u, v, VI):
    """The length of the difference of two vectors in a metric of a covariance matrix."""
    u, v = _both(u, v)
    gaps, VI = u - v, np.atleast_2d(array(VI))
    return np.sqrt(((gaps @ VI) * gaps).sum())


@_distance
def chebyshev(u, v, w=None):
    """The largest of the differences of two vectors."""
    u, v = _both(u, v)
    w = _weights(w, u)
    gaps = np.abs(u - v)
    if not u.shape[0]:
        raise refuse("max() arg is an empty sequence")
    return (gaps if w is None else np.where(w > 0, gaps, np.zeros((), dtype=gaps.dtype))).max()


def _double(v):
    return v if v.dtype.kind == "c" else v.astype(np.float64, copy=False)


@_distance
def braycurtis(u, v, w=None):
    """The sum of the differences of two vectors, divided by the sum of their sums."""
    u, v = _both(u, v)
    v = _double(v)
    w = _weights(w, u)
    with np.errstate(all="ignore"):
        return _times(np.abs(u - v), w).sum() / _times(np.abs(u + v), w).sum()


@_distance
def canberra(u, v, w=None):
    """The sum of the differences of two vectors, each divided by the sum of the sizes."""
    u, v = _both(u, v)
    v = _double(v)
    w = _weights(w, u)
    with np.errstate(all="ignore"):
        return np.nansum(_times(np.abs(u - v) / (np.abs(u) + np.abs(v)), w))


@described(
    "ndarray: The distances.", {"ValueError": "The shapes do not broadcast."},
    p=("array_like", "The first probabilities."), q=("array_like", "The other probabilities."),
    base=("float", "The base of logarithms; e by default."),
    axis=("int", "The axis of the probabilities."),
    keepdims=("bool", "Whether the axis is kept, with one element."),
)
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    """The distance of Jensen and Shannon of probabilities, which need not be normalized."""
    p, q = array(p), array(q)
    for one in (p, q):
        if one.dtype.kind == "c":
            raise refuse("probabilities must be real", TypeError)
    with np.errstate(all="ignore"):
        p, q = (one / one.sum(axis=axis, keepdims=True) for one in (p, q))
        middle = (p + q) / 2
        total = 0
        for one in (p, q):
            terms = np.where(one > 0, one * np.log(np.where(one > 0, one / middle, 1)), 0)
            terms = np.where(one < 0, np.inf, np.where(np.isnan(one), one, terms))
            total = total + terms.astype(one.dtype).sum(axis=axis, keepdims=keepdims)
        return np.sqrt(total / (2 if base is None else 2 * float(np.log(base))))


def _counts(u, v, w):
    """How many coordinates are false in both, true in one of them, and true in both."""
    u, v = _both(u, v)
    w = _weights(w, u)
    if u.dtype.kind == v.dtype.kind == "b":
        u, v = u.astype(np.float64), v.astype(np.float64)
    else:
        dtype = np.result_type(np.int64, u.dtype, v.dtype)
        u, v = u.astype(dtype), v.astype(dtype)
    not_u, not_v = 1.0 - u, 1.0 - v
    pairs = ((not_u, not_v), (not_u, v), (u, not_v), (u, v))
    return [_times(one * other, w).sum() for one, other in pairs]


def _real(x):
    """A result as a real number, as SciPy's conversion to float."""
    return (x.real if x.dtype.kind == "c" else x).astype(np.float64)


@_distance
def yule(u, v, w=None):
    """Yule's dissimilarity of two boolean vectors."""
    nff, nft, ntf, ntt = _counts(u, v, w)
    half = ntf * nft
    whole = np.where(half == 0, 1, ntt * nff + half)
    return _real(np.where(half == 0, 0, 2.0 * half / whole))


@_distance
def dice(u, v, w=None):
    """Dice's dissimilarity of two boolean vectors."""
    _, nft, ntf, ntt = _counts(u, v, w)
    with np.errstate(all="ignore"):
        return _real((ntf + nft) / (2.0 * ntt + ntf + nft))


@_distance
def rogerstanimoto(u, v, w=None):
    """The dissimilarity of Rogers and Tanimoto of two boolean vectors."""
    nff, nft, ntf, ntt = _counts(u, v, w)
    if not array(u).shape[0]:
        raise refuse("float division by zero", ZeroDivisionError)
    differ = 2.0 * (ntf + nft)
    return _real(differ / (ntt + nff + differ))


@_distance
def russellrao(u, v, w=None):
    """The dissimilarity of Russell and Rao of two boolean vectors."""
    ntt = _counts(u, v, w)[3]
    if not array(u).shape[0]:
        raise refuse("float division by zero", ZeroDivisionError)
    total = float(array(u).shape[0]) if w is None else _vector(w, np.float64).sum()
    return _real((total - ntt) / total)


@described(_DISTANCE, {**_BAD, "ValueError": "All coordinates are false, or an argument is no "
           "vector."}, COLLECTIVE, u=_U, v=_V, w=_W)
def sokalsneath(u, v, w=None):
    """The dissimilarity of Sokal and Sneath of two boolean vectors."""
    _, nft, ntf, ntt = _counts(u, v, w)
    whole = ntt + 2.0 * (ntf + nft)
    if not bool(whole != 0):
        raise refuse("Sokal-Sneath dissimilarity is not defined for vectors that are entirely "
                     "false.")
    return 2.0 * (ntf + nft) / whole
