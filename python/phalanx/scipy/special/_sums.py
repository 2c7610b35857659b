"""Sums of exponentials: ``logsumexp``, ``softmax`` and ``log_softmax``."""

import phalanx as np

from .._arguments import refuse
from ._described import described

_AXIS = {"AxisError": "There is no such axis."}
_NUMBERS = {**_AXIS, "TypeError": "The elements are bools."}


def _floating(a):
    """The operand as an array of floating-point or complex numbers."""
    a = np.asarray(a)
    return a.astype("float64") if a.dtype.kind in "biu" else a


def _exponents(x):
    """The operand in the dtype of its exponentials."""
    x = np.asarray(x)
    if x.dtype.kind == "b":
        raise refuse("bool has no difference from the largest element", TypeError, "dtype")
    if x.dtype.kind in "iu":
        # As NumPy's exp does.
        x = x.astype({1: "float16", 2: "float32"}.get(x.dtype.itemsize, "float64"))
    return x


def _axes(a, axis):
    if axis is None:
        return tuple(range(a.ndim))
    return axis if isinstance(axis, tuple) else (axis,)


@described(
    "ndarray or (ndarray, ndarray): The logarithms; with `return_sign` those of the sizes of the "
    "sums, and their signs.", _AXIS,
)
def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """The logarithm of a sum of exponentials, or of exponentials times the factors `b`, without
    overflow."""
    a = _floating(a)
    if b is not None:
        dtype = np.result_type(a, b if isinstance(b, (int, float, complex)) else np.asarray(b))
        b = np.asarray(b).astype(dtype, copy=False)
        a, b = np.broadcast_arrays(a.astype(b.dtype, copy=False), b)
        # Terms without weight count as nothing, even infinite ones.
        a = np.where(b == 0, np.asarray(-np.inf, a.dtype), a)
    if a.ndim == 0:
        a, b = a.reshape(1), None if b is None else b.reshape(1)
        axes = (0,)
    else:
        axes = _axes(a, axis)
    with np.errstate(all="ignore"):
        logarithm, sign = (_complex_sum if a.dtype.kind == "c" else _real_sum)(a, b, axes)
        if not return_sign and a.dtype.kind != "c":
            logarithm = np.where(sign < 0, np.asarray(np.nan, a.dtype), logarithm)
        if not return_sign and a.dtype.kind == "c":
            logarithm = logarithm + np.log(sign)
    if not keepdims:
        logarithm, sign = np.squeeze(logarithm, axes), np.squeeze(sign, axes)
    return (logarithm, sign) if return_sign else logarithm


def _largest(size, axes):
    """The largest elements along the axes, which are kept; -infinity if there are none."""
    lowest = np.asarray(-np.inf, size.dtype)
    return np.max(size, axis=axes, keepdims=True, initial=lowest)


def _real_sum(a, b, axes):
    top = _largest(a, axes)
    shift = np.where(np.isfinite(top), top, np.zeros((), a.dtype))
    is_top = a == top
    terms = np.exp(a - shift)
    factors = np.ones((), a.dtype) if b is None else b
    nothing = np.zeros((), a.dtype)
    # The largest terms are added apart, so that the others keep their digits.
    high = np.sum(np.where(is_top, factors * np.where(np.isfinite(top), np.ones_like(terms), terms),
                           nothing), axis=axes, keepdims=True)
    low = np.sum(np.where(is_top, nothing, factors * terms), axis=axes, keepdims=True)
    total = high + low
    ratio = low / high
    is_plain = (ratio > -0.5) & np.isfinite(ratio)
    precise = np.log(np.abs(high)) + np.log1p(np.where(is_plain, ratio, nothing))
    logarithm = np.where(is_plain, precise, np.log(np.abs(total))) + shift
    return logarithm, np.sign(total)


def _complex_sum(a, b, axes):
    top = _largest(a.real, axes)
    shift = np.where(np.isfinite(top), top, np.zeros((), top.dtype))
    terms = np.exp(a - shift)
    total = np.sum(terms if b is None else b * terms, axis=axes, keepdims=True)
    size = np.abs(total)
    sign = np.where(size == 0, np.zeros((), total.dtype), total / size)
    return np.log(size) + shift, sign


@described("ndarray: The exponentials, divided by their sum.", _AXIS)
def softmax(x, axis=None):
    """The exponentials of the elements, divided by the sum along the axis."""
    x = _exponents(x)
    axes = _axes(x, axis)
    with np.errstate(all="ignore"):
        terms = np.exp(x - np.max(x, axis=axes, keepdims=True))
        return terms / np.sum(terms, axis=axes, keepdims=True)


@described("ndarray: The logarithms of the softmax.", _NUMBERS)
def log_softmax(x, axis=None):
    """The logarithm of the softmax, which does not underflow."""
    x = _exponents(x)
    axes = _axes(x, axis)
    with np.errstate(all="ignore"):
        top = np.max(x, axis=axes, keepdims=True)
        shifted = x - np.where(np.isfinite(top), top, np.zeros((), x.dtype))
        return shifted - np.log(np.sum(np.exp(shifted), axis=axes, keepdims=True))
