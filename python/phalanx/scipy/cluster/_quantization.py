"""Vector quantization: points by the nearest of some codes, and codes by their points."""

import operator
import warnings
from collections import deque

import phalanx as np

from .._arguments import array, beside, refuse
from ..spatial._tree_build import columns
from ..spatial._tree_search import joined, most_pairs
from ._described import COLLECTIVE, described


class ClusterError(Exception):
    """A cluster is empty."""

    __module__ = "phalanx.scipy.cluster.vq"


# Columns that are summed one by one.
_FEW = 32
_ERRORS = {"ValueError": "Shapes do not fit, or a number is not finite."}
_CODES = "(ndarray, ndarray): The number of the nearest code of each point, and its distance."
_EMPTY = "One of the clusters is empty. Re-run kmeans with a different initialization."


def _checked(x, check_finite):
    x = array(x)
    if check_finite and x.dtype.kind in "fc" and not bool(np.isfinite(x).all()):
        raise refuse("array must not contain infs or NaNs")
    return x


@beside
@described("ndarray: The scaled points.", _ERRORS, COLLECTIVE)
def whiten(obs, check_finite=True):
    """Points whose coordinates are divided by their standard deviations."""
    obs = _checked(obs, check_finite)
    scale = obs.std(0)
    if bool((scale == 0).any()):
        warnings.warn("Some columns have standard deviation zero. The values of these columns will "
                      "not change.", RuntimeWarning, stacklevel=3)
    return obs / np.where(scale == 0, np.ones((), dtype=scale.dtype), scale)


def _rows(obs, code_book):
    """Points and codes as matrices."""
    if obs.ndim != code_book.ndim or obs.ndim not in (1, 2):
        raise refuse("observation and code should have same number of dimensions")
    if obs.ndim == 1:
        return obs[:, None], code_book[:, None]
    if obs.shape[1] != code_book.shape[1]:
        raise refuse("obs and code should have same number of features (columns)")
    return obs, code_book


def _coded(obs, codes):
    """The numbers of the nearest codes and their distances, of matrices."""
    if codes.shape[0] == 0:
        raise refuse("there are no codes")
    rows, turned, blocks = columns(codes)[:, None, :], columns(obs), []
    step = max(most_pairs() // codes.shape[0], 1)
    for first in range(0, max(obs.shape[0], 1), step):
        apart = np.square(turned[:, first : first + step, None] - rows).sum(0)
        # One kernel for all would sum the coordinates with few threads.
        np.evaluate(apart)
        blocks.append(np.argmin(apart, axis=1))
    number = joined(blocks)
    return number, np.sqrt(np.square(obs - codes[number]).sum(-1))


@beside
@described(_CODES, _ERRORS, COLLECTIVE)
def vq(obs, code_book, check_finite=True):
    """The nearest code of each point."""
    obs, code_book = (_checked(one, check_finite) for one in (obs, code_book))
    dtype = np.result_type(obs.dtype, code_book.dtype)
    if dtype not in (np.float32, np.float64):
        return py_vq(obs, code_book, check_finite=False)
    number, apart = _coded(*(one.astype(dtype, copy=False) for one in _rows(obs, code_book)))
    return number.astype(np.int32), apart


@beside
@described(_CODES, _ERRORS, COLLECTIVE)
def py_vq(obs, code_book, check_finite=True):
    """The nearest code of each point, computed in `float64`."""
    obs, code_book = (_checked(one, check_finite) for one in (obs, code_book))
    if obs.ndim != code_book.ndim:
        raise refuse("Observation and code_book should have the same rank")
    obs, code_book = _rows(obs, code_book)
    if "c" in (obs.dtype.kind, code_book.dtype.kind):
        raise refuse("complex points have no nearest code")
    return _coded(obs.astype(np.float64), code_book.astype(np.float64))


def _centers(obs, number, count):
    """The means of the points of each cluster, and whether it has any."""
    ndim = obs.shape[1]
    sizes = np.bincount(number, weights=np.ones(obs.shape[0]), minlength=count)
    if ndim <= _FEW:
        sums = np.stack(
            [np.bincount(number, weights=obs[:, at], minlength=count) for at in range(ndim)], axis=1
        )
    else:
        places = number.astype(np.int64)[:, None] * ndim + np.arange(ndim)
        sums = np.bincount(places.reshape(-1), weights=obs.reshape(-1), minlength=count * ndim)
    means = sums.reshape(count, ndim) / np.maximum(sizes, 1)[:, None]
    return means.astype(obs.dtype), sizes > 0


def _generator(rng, seed):
    """A generator of NumPy whose numbers are the same in all processes."""
    import numpy

    if seed is not None:
        return seed if hasattr(seed, "choice") else numpy.random.RandomState(seed)
    if rng is None:
        rng = int(np.random.randint(0, 2**31 - 1))
    return rng if hasattr(rng, "choice") else numpy.random.default_rng(rng)


def _floating(x):
    if x.dtype not in (np.float32, np.float64):
        raise refuse("type other than float or double not supported", TypeError)
    return x


def _matrix(x):
    return x[:, None] if x.ndim == 1 else x


_MEANS_ERRORS = {
    "ValueError": "A number is not allowed, or shapes do not fit.",
    "TypeError": "The points are no floating-point numbers, or `iter` is no integer.",
}


@beside
@described(
    "(ndarray, ndarray): The centers, and the mean distance of the points and their centers.",
    _MEANS_ERRORS, COLLECTIVE,
)
def kmeans(obs, k_or_guess, iter=20, thresh=1e-05, check_finite=True, *, rng=None, seed=None):
    """The centers of clusters by which points have the smallest mean distance, of several runs."""
    if operator.index(iter) < 1:
        raise refuse(f"iter must be at least 1, got {iter}")
    obs, guess = _checked(obs, check_finite), _checked(k_or_guess, check_finite)
    if guess.size != 1:
        if guess.size < 1:
            raise refuse(f"Asked for 0 clusters. Initial book was {guess}")
        return _run(obs, guess, thresh)
    count = guess.reshape(()).item()
    if count != int(count):
        raise refuse("If k_or_guess is a scalar, it must be an integer.")
    if count < 1:
        raise refuse(f"Asked for {int(count)} clusters.")
    rng = _generator(rng, seed)
    best = None
    for _ in range(iter):
        found = _run(obs, _some(obs, int(count), rng), thresh)
        if best is None or float(found[1]) < float(best[1]):
            best = found
    return best


def _run(obs, codes, thresh):
    """One run from initial centers. Centers without points are dropped."""
    _floating(obs)
    changes = deque([float("inf")], maxlen=2)
    change = float("inf")
    while change > thresh:
        number, apart = vq(obs, codes, check_finite=False)
        mean = apart.mean()
        changes.append(float(mean))
        found, has_points = _centers(_matrix(obs), number, codes.shape[0])
        codes = found[has_points].reshape(-1, *obs.shape[1:])
        change = abs(changes[0] - changes[-1])
    return codes, mean


def _some(data, count, rng):
    """Different points, drawn."""
    chosen = rng.choice(data.shape[0], size=count, replace=False)
    return np.take(data, np.asarray(getattr(chosen, "get", lambda: chosen)()), axis=0)


def _normal(data, count, rng):
    """Draws of the normal distribution of the points."""
    mean = data.mean(0)
    if data.ndim == 1:
        draws = np.asarray(rng.standard_normal(size=count)) * np.sqrt(np.cov(data))
    elif data.shape[1] > data.shape[0]:
        # The covariance of few points has no full rank.
        _, sizes, right = np.linalg.svd(data - mean, full_matrices=False)
        draws = np.asarray(rng.standard_normal(size=(count, sizes.shape[0])))
        draws = draws @ (sizes[:, None] * right / float(data.shape[0] - 1) ** 0.5)
    else:
        root = np.linalg.cholesky(np.atleast_2d(np.cov(data.T)))
        draws = np.asarray(rng.standard_normal(size=(count, mean.size))) @ root.T
    return draws + mean


def _spread(data, count, rng):
    """Points that are far from each other (Arthur and Vassilvitskii 2007): each is drawn with a
    probability by its squared distance to those before it."""
    rows = _matrix(data)
    draw = getattr(rng, "integers", None) or rng.randint
    chosen = rows[int(draw(rows.shape[0]))][None]
    nearest = None
    for _ in range(1, count):
        apart = np.square(rows - chosen[-1]).sum(-1)
        nearest = apart if nearest is None else np.minimum(nearest, apart)
        sums = np.cumsum(nearest / nearest.sum())
        place = int(np.searchsorted(sums, rng.uniform()))
        chosen = np.concatenate([chosen, rows[min(place, rows.shape[0] - 1)][None]])
    return chosen if data.ndim == 2 else chosen[:, 0]


_INITIAL = {"random": _normal, "points": _some, "++": _spread}


@beside
@described(
    "(ndarray, ndarray): The centers, and the number of the cluster of each point.",
    {**_MEANS_ERRORS, "ClusterError": "A cluster is empty, and `missing` is 'raise'."}, COLLECTIVE,
    thresh=("float", "An option of SciPy's, without effect."),
)
def kmeans2(
    data,
    k,
    iter=10,
    thresh=1e-05,
    minit="random",
    missing="warn",
    check_finite=True,
    *,
    rng=None,
    seed=None,
):
    """The centers of clusters after some steps, of which empty ones keep their centers."""
    if int(iter) < 1:
        raise refuse(f"Invalid iter ({iter}), must be a positive integer.")
    if missing not in ("warn", "raise"):
        raise refuse(f"Unknown missing method {missing!r}", mistake="choice")
    data = _checked(data, check_finite)
    if data.ndim not in (1, 2):
        raise refuse("Input of rank > 2 is not supported.")
    if data.size < 1:
        raise refuse("Empty input is not supported.")
    codes = _initial(data, array(k), minit, rng, seed)
    if codes.shape[0] < 1:
        raise refuse(f"Cannot ask kmeans2 for {codes.shape[0]} clusters (k was {k})")
    _floating(data)
    for _ in range(int(iter)):
        number = vq(data, codes, check_finite=False)[0]
        found, has_points = _centers(_matrix(data), number, codes.shape[0])
        if not bool(has_points.all()):
            if missing == "raise":
                raise refuse(_EMPTY, ClusterError)
            warnings.warn(_EMPTY, stacklevel=4)
        kept = np.where(has_points[:, None], found, _matrix(codes).astype(found.dtype))
        codes = kept.reshape(-1, *data.shape[1:])
    return codes, number


def _initial(data, k, minit, rng, seed):
    """The initial centers."""
    if minit == "matrix" or k.size > 1:
        if data.ndim != k.ndim:
            raise refuse("k array doesn't match data rank")
        if data.ndim > 1 and k.shape[1] != data.shape[1]:
            raise refuse("k array doesn't match data dimension")
        return k
    count = int(k.reshape(()).item())
    if count < 1:
        raise refuse(f"Cannot ask kmeans2 for {count} clusters (k was {count})")
    if count != k.reshape(()).item():
        warnings.warn("k was not an integer, was converted.", stacklevel=4)
    if minit not in _INITIAL:
        raise refuse(f"Unknown init method {minit!r}", mistake="choice")
    return _INITIAL[minit](data, count, _generator(rng, seed))
