"""Extents, sample frequencies, shifts and numbers of workers."""

import contextlib
import operator

import phalanx as np

from ._arguments import keep_workers, refuse, workers_of
from ._backends import dispatched
from ._parameters import NOTHING, described

_ALONE = "Local: a process may call it alone; nothing is recorded."
_LENGTH = {"ValueError": "The number is negative.", "TypeError": "The number is no integer."}


def _is_product(n, primes):
    for prime in primes:
        while n % prime == 0:
            n //= prime
    return n == 1


def _products(limit, primes):
    """All products of primes up to a limit."""
    found = [1]
    for prime in primes:
        for one in found:
            if one * prime <= limit:
                found.append(one * prime)
    return found


def _target(target):
    target = operator.index(target)
    if target < 0:
        raise refuse("Target length must be positive")
    return target


def _primes(real):
    return (2, 3, 5) if real else (2, 3, 5, 7, 11)


@dispatched
@described("int: The least product of small primes that is not below `target`.", _LENGTH, _ALONE)
def next_fast_len(target, real=False):
    """An extent that is fast to transform and not below a number. Primes are those up to 11, or up
    to 5 for real numbers."""
    target, primes = _target(target), _primes(real)
    if target <= 6 or _is_product(target, primes):
        return target
    best = 1 << (target - 1).bit_length()
    for one in _products(best, primes[1:]):
        doubled = one << max((-(-target // one) - 1).bit_length(), 0)
        if target <= doubled < best:
            best = doubled
    return best


@dispatched
@described("int: The largest product of small primes that is not above `target`.", _LENGTH, _ALONE)
def prev_fast_len(target, real=False):
    """An extent that is fast to transform and not above a number. Primes are those up to 11, or up
    to 5 for real numbers."""
    target, primes = _target(target), _primes(real)
    if target <= 6 or _is_product(target, primes):
        return target
    return max(one << (target // one).bit_length() - 1 for one in _products(target, primes[1:]))


def _of(module, name, n, d):
    module = np if module is None else module
    return getattr(module.fft, name)(n, d)


_FREQUENCIES = {"ValueError": "The number of samples is not allowed.",
                "TypeError": "The number of samples is no integer."}


@described("ndarray: `n` frequencies, float64.", _FREQUENCIES)
def fftfreq(n, d=1.0, *, xp=None, device=None):
    """The frequencies of the elements of `fft`, in cycles per unit of the samples' distance."""
    return _of(xp, "fftfreq", n, d)


@described("ndarray: ``n // 2 + 1`` frequencies, float64.", _FREQUENCIES)
def rfftfreq(n, d=1.0, *, xp=None, device=None):
    """The frequencies of the elements of `rfft`, in cycles per unit of the samples' distance."""
    return _of(xp, "rfftfreq", n, d)


_SHIFT = {"IndexError": "There is no such axis."}
_AXES = {"axes": ("sequence of int or int", "The axes; None is all axes.")}


@described("ndarray: The shape and the dtype of `x`.", _SHIFT, **_AXES)
def fftshift(x, axes=None):
    """The array with the zero frequency in the middle of axes."""
    return np.fft.fftshift(x, axes)


@described("ndarray: The shape and the dtype of `x`.", _SHIFT, **_AXES)
def ifftshift(x, axes=None):
    """The inverse of `fftshift`."""
    return np.fft.ifftshift(x, axes)


@described(
    "context manager",
    {"ValueError": "The number is 0, or below the negative number of CPUs.",
     "TypeError": "The number is no integer."},
    _ALONE,
    workers=("int", "The number that calls of this thread use for None."),
)
def set_workers(workers):
    """Sets the number of workers in a ``with`` statement. It is stored and has no other effect."""
    return _workers(workers)


@contextlib.contextmanager
def _workers(workers):
    before = workers_of(None)
    keep_workers(workers_of(operator.index(workers)))
    try:
        yield
    finally:
        keep_workers(before)


@described("int", NOTHING, _ALONE)
def get_workers():
    """The number of workers that calls of this thread use for None."""
    return workers_of(None)
