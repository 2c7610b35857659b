"""CuPy's ``cuda.cub``: reductions, running results and histograms of arrays.

They run on every device, CPUs too, by the kernels of Phalanx; no library is chosen. Results have
the dtype of the array, other than those of ``sum`` and ``prod``.
"""

import enum as _enum

import numpy as _numpy

from . import _phalanx
from ._cuda_documented import documented as _documented
from ._phalanx import _refusal


class cupy_cub_op(_enum.IntEnum):
    """An operation."""

    CUPY_CUB_SUM = 0
    CUPY_CUB_MIN = 1
    CUPY_CUB_MAX = 2
    CUPY_CUB_ARGMIN = 3
    CUPY_CUB_ARGMAX = 4
    CUPY_CUB_CUMSUM = 5
    CUPY_CUB_CUMPROD = 6
    CUPY_CUB_PROD = 7


globals().update(cupy_cub_op.__members__)

# Whether the functions are there.
available = True

# The dtypes for which CuPy has these functions; sums have no smaller ones, whose results would be
# of another dtype.
CUB_sum_support_dtype_without_half = [
    _numpy.int64, _numpy.uint64, _numpy.float32, _numpy.float64, _numpy.complex64,
    _numpy.complex128,
]
CUB_sum_support_dtype_with_half = [*CUB_sum_support_dtype_without_half, _numpy.float16]
CUB_support_dtype_without_half = [
    _numpy.int8, _numpy.uint8, _numpy.int16, _numpy.uint16, _numpy.int32, _numpy.uint32,
    *CUB_sum_support_dtype_without_half,
]
CUB_support_dtype_with_half = [*CUB_support_dtype_without_half, _numpy.float16]
# By the number of a device, which all have the same.
CUB_sum_support_dtype = {0: CUB_sum_support_dtype_with_half}
CUB_support_dtype = {0: CUB_support_dtype_with_half}

_REDUCTIONS = {0: "sum", 1: "min", 2: "max", 3: "argmin", 4: "argmax", 7: "prod"}
_SCANS = {5: "cumsum", 6: "cumprod"}
_ARRAY = ("ndarray", "The array.")
_OP = ("int", "The operation, ``CUPY_CUB_...``.")
_OUT = ("ndarray", "The array that is written and returned.")
_KEEPS = ("bool", "Whether reduced axes stay, with one element.")
_OUT_AXIS = ("tuple of int", "The axes that are left.")
_RAISES = {"TypeError": "An argument is no array.",
           "ValueError": "The operation, the shape of ``out`` or an array without elements."}


def _check(function, *arrays):
    for array in arrays:
        if not isinstance(array, _phalanx.ndarray):
            raise _refusal(
                TypeError, "type",
                f"{function}(): an array is a phalanx.ndarray, not a {type(array).__name__}",
            )


def _named(function, op, known):
    """The name of an operation."""
    name = known.get(int(op))
    if name is None:
        words = ", ".join(cupy_cub_op(one).name for one in known)
        raise _refusal(ValueError, "choice", f"{function}(): the operation is one of {words}")
    return name


def _reduced(function, x, name, axes, out, keepdims):
    """A reduction over axes, in the dtype of the array."""
    if x.size == 0 and name not in ("sum", "prod"):
        raise _refusal(
            ValueError, "value",
            f"{function}(): zero-size array to reduction operation {name} which has no identity",
        )
    if name.startswith("arg"):
        found = getattr(_phalanx, name)(x)
        found = found.reshape((1,) * x.ndim) if keepdims else found
    else:
        of = {"dtype": x.dtype} if name in ("sum", "prod") else {}
        found = getattr(_phalanx, name)(x, axis=axes, keepdims=keepdims, **of)
    if out is None:
        return _phalanx.asarray(found)
    _check(function, out)
    if out.shape != found.shape:
        raise _refusal(
            ValueError, "value",
            f"{function}(): out has the shape {out.shape}, and the result {found.shape}",
        )
    out[...] = found
    return out


@_documented("ndarray", "The result, without axes; positions are ``int64``.", raises=_RAISES,
             x=_ARRAY, op=_OP, out_axis=_OUT_AXIS, out=_OUT, keepdims=_KEEPS)
def device_reduce(x, op, out_axis=(), out=None, keepdims=False):
    """The sum, the product, the smallest or the largest element of an array, or its position."""
    _check("device_reduce", x)
    name = _named("device_reduce", op, _REDUCTIONS)
    return _reduced("device_reduce", x, name, None, out, bool(keepdims))


@_documented("ndarray", "The results.", raises=_RAISES, x=_ARRAY, op=_OP,
             reduce_axis=("tuple of int", "The axes that are reduced."), out_axis=_OUT_AXIS,
             out=_OUT, keepdims=_KEEPS, contiguous_size=("int", "Without effect."))
def device_segmented_reduce(x, op, reduce_axis, out_axis=(), out=None, keepdims=False,
                            contiguous_size=0):
    """The sums, the products, the smallest or the largest elements over axes of an array, which
    need not be neighbours."""
    _check("device_segmented_reduce", x)
    known = {op: name for op, name in _REDUCTIONS.items() if not name.startswith("arg")}
    name = _named("device_segmented_reduce", op, known)
    axes = tuple(int(axis) for axis in reduce_axis)
    return _reduced("device_segmented_reduce", x, name, axes, out, bool(keepdims))


@_documented("ndarray", "The array.", raises=_RAISES, x=_ARRAY, op=_OP)
def device_scan(x, op):
    """Replaces the elements of an array, in C order, by their running sums or products."""
    _check("device_scan", x)
    name = _named("device_scan", op, _SCANS)
    if x.size > 0:
        x[...] = getattr(_phalanx, name)(x.reshape(-1), dtype=x.dtype).reshape(x.shape)
    return x


@_documented("ndarray", "``y``.", raises=_RAISES, x=_ARRAY,
             y=("ndarray", "The counts, which are written."),
             bins=("ndarray", "The edges of the bins, in ascending order: one more than counts."))
def device_histogram(x, y, bins):
    """Counts the elements of an array in each bin. A bin has its lower edge, and not its upper
    one."""
    _check("device_histogram", x, y, bins)
    if bins.ndim != 1 or bins.size < 2 or y.shape != (bins.size - 1,):
        raise _refusal(
            ValueError, "value",
            f"device_histogram(): {bins.shape} edges of bins, and counts of the shape {y.shape}",
        )
    bin_of = _phalanx.searchsorted(bins, x.reshape(-1), side="right")
    # Before the first edge, and from the last one on, there is no bin. NaN follows all edges.
    y[...] = _phalanx.bincount(bin_of, minlength=bins.size + 1)[1 : bins.size]
    return y


@_documented("ndarray or None", "The results; None if the dtype of the result would be another.",
             raises=_RAISES, arr=_ARRAY, op=_OP,
             axis=("int or tuple of int", "The axes that are reduced; all without it."),
             dtype=("dtype", "The dtype of the result."), out=_OUT, keepdims=_KEEPS)
def cub_reduction(arr, op, axis=None, dtype=None, out=None, keepdims=False):
    """A reduction of an array."""
    _check("cub_reduction", arr)
    name = _named("cub_reduction", op, _REDUCTIONS)
    of_sum = dtype is None and name in ("sum", "prod")
    supported = CUB_sum_support_dtype_with_half if of_sum else CUB_support_dtype_with_half
    kind = _numpy.dtype(arr.dtype.name)
    if kind.type not in supported or dtype is not None and _numpy.dtype(dtype) != kind:
        return None
    if name.startswith("arg") and axis is not None and arr.ndim > 1:
        return None
    axes = axis if axis is None or isinstance(axis, tuple) else (int(axis),)
    return _reduced("cub_reduction", arr, name, axes, out, bool(keepdims))


@_documented("ndarray or None", "The array; None for another operation or dtype.",
             raises={"TypeError": "The argument is no array."}, arr=_ARRAY, op=_OP)
def cub_scan(arr, op):
    """As ``device_scan``."""
    _check("cub_scan", arr)
    if int(op) not in _SCANS or _numpy.dtype(arr.dtype.name).type not in (
            CUB_support_dtype_with_half):
        return None
    return device_scan(arr, op)


@_documented("ndarray", "``y``.", raises=_RAISES, x=_ARRAY,
             y=("ndarray", "The counts, which are written."),
             bins=("ndarray", "The edges of the bins, in ascending order: one more than counts."))
def cub_histogram(x, y, bins):
    """As ``device_histogram``."""
    return device_histogram(x, y, bins)
