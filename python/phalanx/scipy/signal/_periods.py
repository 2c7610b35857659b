"""Periods in events, and in samples at irregular times."""

import math
import warnings

import phalanx as np

from ._arrays import array, host, refuse
from ._described import described

class _Unset:
    """The default of an argument that is deprecated."""

    def __repr__(self):
        return "<no value>"


_UNSET = _Unset()
# The most products of a sample and a frequency in one operation.
_AT_ONCE = 1 << 24


@described(
    "(ndarray, ndarray): The strength, from 0 to 1, and the phase, of the shape of `period`.",
    {"ValueError": "There are too many axes, or a period is not positive."},
    "Local: recorded, and computed when a value is observed. Collective if `period` is an array on "
    "devices, which is checked.",
)
def vectorstrength(events, period):
    """How strongly events are locked to a period, and at which phase."""
    events, given = array(events), host(period, float)
    if events.ndim > 1:
        raise refuse("events cannot have dimensions more than 1")
    if given.ndim > 1:
        raise refuse("period cannot have dimensions more than 1")
    if (given <= 0).any():
        raise refuse("periods must be positive")
    turns = np.asarray(2 * math.pi / given.reshape(-1, 1))
    angles = turns * events.astype(np.float64).reshape(1, -1)
    real, imaginary = np.mean(np.cos(angles), axis=1), np.mean(np.sin(angles), axis=1)
    strength, phase = np.hypot(real, imaginary), np.arctan2(imaginary, real)
    return (strength, phase) if given.ndim else (strength[0], phase[0])


@described(
    "ndarray: The power at each frequency; complex amplitudes for 'amplitude'.",
    {"ValueError": "The arrays are no vectors of one length, a weight is negative, or the "
     "normalisation is unknown."},
    "Local: recorded, and computed when a value is observed. Collective with weights, which are "
    "checked.",
    x=("array_like", "The times of the samples, a vector."),
    y=("array_like", "The samples."),
)
def lombscargle(x, y, freqs, *, precenter=_UNSET, normalize=False, weights=None,
                floating_mean=False):
    """The periodogram of samples at irregular times, by least squares at each frequency."""
    x, y, freqs = (array(one).astype(np.float64) for one in (x, y, freqs))
    w = np.ones_like(y) if weights is None else array(weights).astype(np.float64)
    if not (x.ndim == y.ndim == w.ndim == 1 and 0 < x.size == y.size == w.size):
        text = "Parameters x, y, weights must be 1-D arrays of equal non-zero length!"
        raise refuse(text, mistake="together")
    if freqs.ndim != 1 or freqs.size == 0:
        raise refuse("Parameter freqs must be a 1-D array of non-zero length!")
    if weights is not None and not (bool((w >= 0).all()) and float(w.sum()) > 0):
        raise refuse(
            "Parameter weights must have only non-negative entries which sum to a positive value!"
        )
    kinds = {False: "power", True: "normalize", "power": "power", "normalize": "normalize",
             "amplitude": "amplitude"}
    if not isinstance(normalize, (bool, str)) or normalize not in kinds:
        raise refuse(
            "Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'.",
            mistake="choice",
        )
    if precenter is not _UNSET:
        warnings.warn(
            "Use of parameter 'precenter' is deprecated as of SciPy 1.17.0 and will be removed in "
            "1.19.",
            DeprecationWarning,
            stacklevel=2,
        )
        y = y - y.mean() if precenter else y
    w = w / w.sum()
    step = max(_AT_ONCE // x.size, 1)
    pieces = [
        _power(x, y, w, freqs[at : at + step], kinds[normalize], floating_mean)
        for at in range(0, freqs.size, step)
    ]
    # As SciPy's, the power at one frequency has no axis.
    return np.squeeze(pieces[0] if len(pieces) == 1 else np.concatenate(pieces))


def _power(x, y, w, freqs, kind, floating_mean):
    """The power at some frequencies. Sums are along the last axis, weighted."""
    angles = freqs[:, None] * x
    mean = np.sum(w * y) if floating_mean else None

    def summed(product):
        return np.sum(product * w, axis=1)

    def centred(product, one, other):
        return product - one * other if floating_mean else product

    # A shift of the phase makes cosine and sine orthogonal over the samples.
    cos, sin = np.cos(angles), np.sin(angles)
    means = (summed(cos), summed(sin)) if floating_mean else (None, None)
    squares = centred(summed(cos * cos), means[0], means[0])
    others = centred(summed(sin * sin), means[1], means[1])
    mixed = centred(summed(cos * sin), *means)
    shift = 0.5 * np.arctan2(2 * mixed, squares - others)
    cos, sin = np.cos(angles - shift[:, None]), np.sin(angles - shift[:, None])
    means = (summed(cos), summed(sin)) if floating_mean else (None, None)
    with_cos = centred(summed(cos * y), mean, means[0])
    with_sin = centred(summed(sin * y), mean, means[1])
    # Sums that vanish would be divisors.
    least = float(np.finfo(np.float64).epsneg)
    squares = centred(summed(cos * cos), means[0], means[0])
    others = centred(summed(sin * sin), means[1], means[1])
    a = with_cos / np.where(squares == 0, least, squares)
    b = with_sin / np.where(others == 0, least, others)
    if kind == "amplitude":
        return (a + 1j * b) * np.exp(1j * shift)
    power = 2 * (a * with_cos + b * with_sin)
    if kind == "power":
        return power * (x.size / 4)
    whole = np.sum(w * y * y)
    return power * (0.5 / (whole - mean * mean if floating_mean else whole))
