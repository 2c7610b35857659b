"""Convolutions and correlations, direct or by Fourier transforms."""

import itertools
import math

import phalanx as np

from .._arguments import in_c_order
from ._arrays import array, axis_of, fast_length, host, inexact, overlap_added, refuse
from ._described import RECORDED, described

_MODES = ("valid", "same", "full")
_METHODS = ("auto", "direct", "fft")
_BOUNDARIES = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}
# The time of one step of a transform for one element, relative to that of one product of a direct
# sum: 1.3 on one core, with a margin for the exchange between devices.
_STEP_OF_TRANSFORMS = 3
# The largest integers that transforms in float64 give exactly, with some bits to spare.
_EXACT = 2**51

_INTEGERS = (
    "Local: recorded, and computed when a value is observed. Collective for large integers with "
    "method 'auto', whose greatest values are read to see whether a transform is exact."
)


def _check_mode(mode):
    if mode not in _MODES:
        text = f"Acceptable mode flags are 'valid', 'same', or 'full', not mode={mode}"
        raise refuse(text, mistake="choice")


def _check_method(method):
    if method not in _METHODS:
        raise refuse("Acceptable method flags are 'auto', 'direct', or 'fft'.", mistake="choice")


def _ordered(in1, in2, mode, axes=None):
    """Both operands, the longer one first if the mode is 'valid'."""
    if mode != "valid":
        return in1, in2
    axes = range(in1.ndim) if axes is None else axes
    if all(in1.shape[axis] >= in2.shape[axis] for axis in axes):
        return in1, in2
    if all(in2.shape[axis] >= in1.shape[axis] for axis in axes):
        return in2, in1
    raise refuse(
        "For 'valid' mode, one must be at least as large as the other in every dimension",
        mistake="together",
    )


def _centred(whole, shape):
    """The middle of an array, of a shape."""
    starts = [(full - extent) // 2 for full, extent in zip(whole.shape, shape)]
    return whole[tuple(slice(at, at + extent) for at, extent in zip(starts, shape))]


def _cut(whole, shape1, shape2, mode, axes):
    """The part of a full convolution that a mode selects."""
    if mode == "full":
        return whole
    if mode == "same":
        return _centred(whole, shape1)
    shape = [
        shape1[axis] - shape2[axis] + 1 if axis in axes else extent
        for axis, extent in enumerate(whole.shape)
    ]
    return _centred(whole, shape)


def inner_sum(x, h):
    """The convolution at those positions where `h` is within `x`."""
    extents = [n - m + 1 for n, m in zip(x.shape, h.shape)]
    total = None
    for place in itertools.product(*map(range, h.shape)):
        starts = [m - 1 - at for m, at in zip(h.shape, place)]
        window = x[tuple(slice(at, at + extent) for at, extent in zip(starts, extents))]
        term = window * h[place]
        total = term if total is None else total + term
    return total


def _direct(in1, in2, mode):
    """A convolution by sums of products."""
    if in1.ndim > 1 and np.result_type(in1.dtype, in2.dtype).char in "?e":
        raise refuse(
            "Unsupported type: bool and float16 are not convolved directly along several axes",
            mistake="dtype",
            hint="convert an operand to float32 or an integer dtype",
        )
    if in1.ndim == 1:
        in1, in2 = _ordered(in1, in2, mode)
        whole = np.convolve(in1, in2, mode="valid" if mode == "valid" else "full")
        return _centred(whole, in1.shape) if mode == "same" else whole
    in1, in2 = _ordered(in1, in2, mode)
    if mode == "valid":
        return inner_sum(in1, in2)
    shape = in1.shape
    if in2.size > in1.size:
        in1, in2 = in2, in1
    whole = inner_sum(np.pad(in1, [(extent - 1, extent - 1) for extent in in2.shape]), in2)
    return _centred(whole, shape) if mode == "same" else whole


def _transformed(in1, in2, axes, extents):
    """A full convolution along axes, by transforms of at least these extents."""
    in1, in2 = inexact(in1), inexact(in2)
    dtype = np.result_type(in1.dtype, in2.dtype)
    in1, in2 = in1.astype(dtype, copy=False), in2.astype(dtype, copy=False)
    lengths = [fast_length(extent) for extent in extents]
    if dtype.kind == "c":
        product = np.fft.fftn(in1, lengths, axes) * np.fft.fftn(in2, lengths, axes)
        whole = np.fft.ifftn(product, lengths, axes)
    else:
        product = np.fft.rfftn(in1, lengths, axes) * np.fft.rfftn(in2, lengths, axes)
        whole = np.fft.irfftn(product, lengths, axes)
    index = [slice(None)] * whole.ndim
    for axis, extent in zip(axes, extents):
        index[axis] = slice(extent)
    return whole[tuple(index)]


def _prepared(in1, in2, mode, axes):
    """The operands of a convolution by transforms, and its axes of more than one element."""
    _check_mode(mode)
    if axes is None:
        axes = range(in1.ndim)
    else:
        axes = list(axes) if np.iterable(axes) else [axes]
        if not axes:
            raise refuse("when provided, axes cannot be empty")
        axes = [axis_of(axis, in1.ndim) for axis in axes]
        if len(set(axes)) < len(axes):
            raise refuse("all axes must be unique")
    for axis, (one, two) in enumerate(zip(in1.shape, in2.shape)):
        if axis not in axes and one != two and 1 not in (one, two):
            raise refuse(
                f"incompatible shapes for in1 and in2: {in1.shape} and {in2.shape}",
                mistake="together",
            )
    axes = [axis for axis in axes if 1 not in (in1.shape[axis], in2.shape[axis])]
    return *_ordered(in1, in2, mode, axes), axes


@described(
    "ndarray: The convolution: real, or complex if an operand is. float64 for integers.",
    {"ValueError": "The numbers of axes differ, the shapes do not fit, or the mode is unknown."},
)
@in_c_order
def fftconvolve(in1, in2, mode="full", axes=None):
    """The convolution of two arrays by Fourier transforms: if one operand is much longer, of its
    blocks."""
    in1, in2 = array(in1), array(in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2
    _check_ndim(in1, in2)
    if in1.size == 0 or in2.size == 0:
        return np.asarray([])
    in1, in2, axes = _prepared(in1, in2, mode, axes)
    shape1, shape2 = in1.shape, in2.shape
    whole = _in_blocks(in1, in2, axes) if axes else in1 * in2
    return _cut(whole, shape1, shape2, mode, axes)


@described(
    "ndarray: The convolution, as of `fftconvolve`.",
    {"ValueError": "The numbers of axes differ, the shapes do not fit, or the mode is unknown."},
)
@in_c_order
def oaconvolve(in1, in2, mode="full", axes=None):
    """The convolution of a long and a short array: the long one is cut into blocks, whose
    convolutions by Fourier transforms are added where they overlap."""
    return fftconvolve(in1, in2, mode=mode, axes=axes)


def _in_blocks(in1, in2, axes):
    """A full convolution; the longer operand is cut into blocks along each axis."""
    plans = [_steps(in1.shape[axis], in2.shape[axis]) for axis in axes]
    extents = [in1.shape[axis] + in2.shape[axis] - 1 for axis in axes]
    if all(step is None for step in plans):
        return _transformed(in1, in2, axes, extents)
    # Every axis that is cut becomes two: that of the blocks, and that of the samples in a block.
    parts, inner, at = [in1, in2], [], 0
    lengths = []
    for axis in range(in1.ndim):
        step = plans[axes.index(axis)] if axis in axes else None
        if step is None:
            if axis in axes:
                inner.append(at)
                lengths.append(extents[axes.index(axis)])
            at += 1
            continue
        long = int(in2.shape[axis] > in1.shape[axis])
        parts[long] = _blocks(parts[long], at, step)
        parts[1 - long] = np.expand_dims(parts[1 - long], at)
        inner.append(at + 1)
        lengths.append(step + min(in1.shape[axis], in2.shape[axis]) - 1)
        at += 2
    whole = _transformed(*parts, inner, lengths)
    at = 0
    for axis in range(in1.ndim):
        step = plans[axes.index(axis)] if axis in axes else None
        if step is not None:
            moved = np.moveaxis(whole, (at, at + 1), (-2, -1))
            joined = overlap_added(moved, step)[..., : extents[axes.index(axis)]]
            whole = np.moveaxis(joined, -1, at)
        at += 1
    return whole


def _blocks(x, axis, step):
    """An array whose axis is cut into blocks of `step` elements, filled with zeros."""
    count = -(-x.shape[axis] // step)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, count * step - x.shape[axis])
    shape = (*x.shape[:axis], count, step, *x.shape[axis + 1 :])
    return np.pad(x, widths).reshape(shape)


def _steps(one, two):
    """The length of the blocks of the longer operand; None if one transform is cheaper."""
    short, long = sorted((one, two))
    whole = fast_length(short + long - 1)
    best, price = None, whole * math.log2(max(whole, 2))
    length = 1 << (2 * short - 1).bit_length()
    while length < whole:
        step = length - short + 1
        cost = -(-long // step) * length * math.log2(length)
        if cost < price:
            best, price = step, cost
        length *= 2
    return best


def _check_ndim(in1, in2):
    if in1.ndim != in2.ndim:
        text = "in1 and in2 should have the same dimensionality"
        raise refuse(text, mistake="together")


def _cheaper(in1, in2, mode):
    """The method of the lower estimated price."""
    full = math.prod(one + two - 1 for one, two in zip(in1.shape, in2.shape))
    if mode == "valid":
        places = math.prod(abs(one - two) + 1 for one, two in zip(in1.shape, in2.shape))
    else:
        places = full if mode == "full" else in1.size
    products = places * min(in1.size, in2.size)
    # Long operands are transformed in blocks of a few times the length of the short one.
    length = min(full, 8 * min(in1.size, in2.size))
    transforms = 3 * _STEP_OF_TRANSFORMS * full * math.log2(max(length, 2))
    return "fft" if transforms < products else "direct"


def _is_exact(in1, in2):
    """Whether a transform gives the integers exactly. Collective: the greatest values are read."""
    bound = min(in1.size, in2.size)
    for one in (in1, in2):
        if one.dtype.kind in "iu":
            bound *= max(abs(int(one.max())), abs(int(one.min())))
    return bound <= _EXACT


def _chosen(in1, in2, mode):
    kinds = {in1.dtype.kind, in2.dtype.kind}
    if kinds == {"b"} or 0 in (in1.size, in2.size):
        return "direct"
    method = _cheaper(in1, in2, mode)
    if method == "fft" and kinds & set("iu") and not _is_exact(in1, in2):
        return "direct"
    return method


@described(
    "str or (str, dict): 'direct' or 'fft', and the measured seconds of both if `measure`.",
    {"ValueError": "The mode is unknown, or the shapes do not fit."},
    _INTEGERS,
)
def choose_conv_method(in1, in2, mode="full", measure=False):
    """The method by which `convolve` is faster, by an estimate or by a measurement."""
    in1, in2 = array(in1), array(in2)
    _check_mode(mode)
    if measure:
        import time

        times = {}
        for method in ("fft", "direct"):
            start = time.perf_counter()
            np.evaluate(convolve(in1, in2, mode, method))
            times[method] = time.perf_counter() - start
        return "fft" if times["fft"] < times["direct"] else "direct", times
    _ordered(in1, in2, mode)
    return _chosen(in1, in2, mode)


@described(
    "ndarray: The convolution. Dtype: the one to which the operands promote.",
    {"ValueError": "The numbers of axes differ, the shapes do not fit, there are no elements, or "
     "the mode or the method is unknown."},
    _INTEGERS,
)
@in_c_order
def convolve(in1, in2, mode="full", method="auto"):
    """The convolution of two arrays of any number of axes."""
    in1, in2 = array(in1), array(in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2
    if in1.ndim != in2.ndim:
        text = "volume and kernel should have the same dimensionality"
        raise refuse(text, mistake="together")
    _check_mode(mode)
    _check_method(method)
    in1, in2 = _ordered(in1, in2, mode)
    if method == "auto":
        method = _chosen(in1, in2, mode)
    if 0 in (in1.size, in2.size):
        return _of_nothing(in1, in2, mode)
    if method == "direct":
        return _direct(in1, in2, mode)
    found = oaconvolve(in1, in2, mode=mode)
    dtype = np.result_type(in1.dtype, in2.dtype)
    return (np.round(found) if dtype.kind in "iu" else found).astype(dtype)


def _of_nothing(in1, in2, mode):
    """The convolution with an operand of no elements, which is zero where it has elements."""
    if in1.ndim == 1 and (mode != "same" or in1.size):
        raise refuse("v cannot be empty" if in1.size else "a cannot be empty")
    pairs = list(zip(in1.shape, in2.shape))
    if mode == "same":
        shape = in1.shape
    else:
        sign = 1 if mode == "full" else -1
        shape = [max(one + sign * (two - 1), 0) for one, two in pairs]
    return np.zeros(tuple(shape), np.result_type(in1.dtype, in2.dtype))


def _reversed(x):
    """The conjugate of an array whose axes are reversed."""
    flipped = np.flip(x)
    return np.conj(flipped) if x.dtype.kind == "c" else flipped


@described(
    "ndarray: The correlation. Dtype: the one to which the operands promote.",
    {"ValueError": "The numbers of axes differ, the shapes do not fit, there are no elements, or "
     "the mode or the method is unknown."},
    _INTEGERS,
)
def correlate(in1, in2, mode="full", method="auto"):
    """The correlation of two arrays: the convolution with the reversed conjugate of `in2`."""
    in1, in2 = array(in1), array(in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * _reversed(in2)
    if in1.ndim != in2.ndim:
        text = "in1 and in2 should have the same dimensionality"
        raise refuse(text, mistake="together")
    _check_mode(mode)
    _check_method(method)
    return convolve(in1, _reversed(in2), mode, method)


@described(
    "ndarray: The lags, int64.", {"ValueError": "The mode is unknown."}, RECORDED,
)
def correlation_lags(in1_len, in2_len, mode="full"):
    """The shift of the second operand at each element of a correlation of two vectors."""
    _check_mode(mode)
    if mode == "valid":
        difference = in1_len - in2_len
        return np.arange(min(difference, 0), max(difference, 0) + 1)
    lags = np.arange(1 - in2_len, in1_len)
    if mode == "full":
        return lags
    middle, half = lags.size // 2, in1_len // 2
    return lags[middle - half : middle + half + in1_len % 2]


def _in_plane(in1, in2, mode, boundary, fillvalue, name, is_correlation):
    in1, in2 = array(in1), array(in2)
    if in1.ndim != 2 or in2.ndim != 2:
        raise refuse(f"{name} inputs must both be 2-D arrays")
    if mode not in _MODES:
        text = "Acceptable mode flags are 'valid' (0), 'same' (1), or 'full' (2)."
        raise refuse(text, mistake="choice")
    if boundary not in _BOUNDARIES:
        raise refuse(
            "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or "
            "'symm').",
            mistake="choice",
        )
    fill = host(fillvalue)
    if fill.size != 1:
        raise refuse("`fillvalue` must be scalar or an array with one element")
    first, second = _ordered(in1, in2, mode)
    if is_correlation:
        # With exchanged operands the correlation is that of the others, reversed.
        is_swapped = first is in2 and in1.shape != in2.shape
        kernel = _reversed(second)
    else:
        is_swapped, kernel = False, second
    dtype = np.result_type(in1.dtype, in2.dtype)
    if dtype.char in "?e":
        raise refuse(
            f"{name} not available for this type: bool and float16 are not convolved",
            mistake="dtype", hint="convert an operand to float32 or an integer dtype",
        )
    first, kernel = first.astype(dtype, copy=False), kernel.astype(dtype, copy=False)
    if 0 in (first.size, kernel.size):
        return _of_nothing(first, kernel, mode)
    if mode == "valid":
        found = _planar_sum(first, kernel)
        # As in SciPy, the conjugate is that of the operand which is shifted.
        return np.flip(found) if is_swapped else found
    options = {"constant_values": fill.item()} if boundary == "fill" and fill.item() else {}
    widths = [(extent - 1, extent - 1) for extent in kernel.shape]
    wide = np.pad(first, widths, mode=_BOUNDARIES[boundary], **options)
    whole = _planar_sum(wide, kernel)
    if mode == "full":
        return whole
    # The middle of a kernel of an even extent is the later element, or the earlier one reversed.
    starts = [(extent - (not is_correlation)) // 2 for extent in kernel.shape]
    return whole[tuple(slice(at, at + n) for at, n in zip(starts, first.shape))]


def _planar_sum(x, h):
    """The inner convolution: by a transform if it is cheaper, and the numbers are no integers."""
    if x.dtype.kind in "fc" and _cheaper(x, h, "valid") == "fft":
        return oaconvolve(x, h, mode="valid")
    return inner_sum(x, h)


_BOUNDARY = (
    "{'fill', 'wrap', 'symm'}",
    "What surrounds the first matrix: a value, copies of it, or its mirror images.",
)
_OF_PLANES = {
    "ValueError": "An operand has not two axes, the shapes do not fit, or the mode, the boundary "
    "or the fill value is not allowed."
}


@described("ndarray: The convolution.", _OF_PLANES, boundary=_BOUNDARY)
@in_c_order
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two matrices, with a choice of what surrounds the first one."""
    return _in_plane(in1, in2, mode, boundary, fillvalue, "convolve2d", False)


@described("ndarray: The correlation.", _OF_PLANES, boundary=_BOUNDARY)
@in_c_order
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The correlation of two matrices, with a choice of what surrounds the first one."""
    return _in_plane(in1, in2, mode, boundary, fillvalue, "correlate2d", True)
