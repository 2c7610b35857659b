"""Linear recurrences along an axis: the one operation under all recursive filters.

A signal is cut into blocks, which are the rows of a matrix. The response of each block to its own
samples is a product with a triangular matrix of the impulse response. The states at the starts of
the blocks are a recurrence of matrices over fewer elements, which is solved in the same way. The
response to these states is another product. Nothing loops over samples.

Products would spread a NaN to earlier samples, so that NaN and infinities are left out, and the
samples from the first one of them on are NaN. A loop over samples may also give infinities there.
"""

import functools

import phalanx as np

from ._arrays import array, padded, refuse

_BLOCK = 128
# The most rows of the matrix that combines the states of several blocks.
_STATES = 512
# Filters without feedback that have more coefficients are convolved by Fourier transforms.
_SHIFTED = 64


def filtered(b, a, x, axis=-1, zi=None):
    """The signal `x` filtered along an axis, and the states at its end, None if `zi` is None.

    `b` and `a` are NumPy vectors; `b` may be an array on devices if `a` has one element. The states
    are those of the transposed direct form, along the axis of the filter.
    """
    import numpy

    dtype = numpy.result_type(b.dtype, a.dtype, x.dtype, *([] if zi is None else [zi.dtype]))
    if dtype.char not in "fdFD":
        raise refuse(f"input type '{dtype}' not supported", NotImplementedError, "dtype")
    x = np.moveaxis(x, axis, -1)
    zi = None if zi is None else np.moveaxis(zi, axis, -1).astype(dtype)
    if a.size == 1:
        y, zf = _without_feedback(b / a[0], x, zi, dtype)
    else:
        y, zf = _with_feedback(b, a, x, zi, dtype)
    return np.moveaxis(y, -1, axis), None if zf is None else np.moveaxis(zf, -1, axis)


def _without_feedback(b, x, zi, dtype):
    order, n = b.shape[0] - 1, x.shape[-1]
    x = x.astype(dtype, copy=False)
    b = b.astype(dtype)
    if order < _SHIFTED:
        wide = padded(x, order, order)
        taps = b.tolist() if not isinstance(b, np.ndarray) else [b[at] for at in range(order + 1)]
        whole = None
        for at, tap in enumerate(taps):
            term = wide[..., order - at : order - at + n + order] * tap
            whole = term if whole is None else whole + term
    else:
        from ._convolution import oaconvolve

        taps = array(b).reshape((1,) * (x.ndim - 1) + (-1,))
        whole = oaconvolve(x, taps, axes=-1) if n else np.zeros((*x.shape[:-1], order), dtype)
    if zi is None:
        return whole[..., :n], None
    if order:
        whole = whole + padded(np.broadcast_to(zi, (*x.shape[:-1], order)), 0, n)
    return whole[..., :n], whole[..., n:]


def _with_feedback(b, a, x, zi, dtype):
    import numpy

    order, n = max(a.size, b.size) - 1, x.shape[-1]
    lead = x.shape[:-1]
    x = x.astype(dtype, copy=False)
    keeps = zi is not None
    start = np.broadcast_to(zi, (*lead, order)) if keeps else np.zeros((*lead, order), dtype)
    if n == 0:
        return x, start if keeps else None
    x, end = _finite(x)
    length = n if n <= 2 * _BLOCK else _BLOCK
    count = -(-n // length)
    b, a = (numpy.concatenate([one, numpy.zeros(order + 1 - one.size)]) for one in (b, a))
    matrices = _matrices(_Key(b / a[0], a / a[0]), length, dtype.char)
    response, zero_input, into, power = matrices
    blocks = padded(x, 0, count * length - n).reshape(*lead, count, length)
    y = blocks @ np.asarray(response)
    if count == 1:
        starts = start[..., None, :]
        y = y + starts @ np.asarray(zero_input) if keeps else y
    else:
        starts = states(blocks @ np.asarray(into), power, start)[..., :-1, :]
        y = y + starts @ np.asarray(zero_input)
    y = y.reshape(*lead, count * length)[..., :n]
    y = np.where(np.arange(n) < end, y, np.nan).astype(dtype)
    if not keeps:
        return y, None
    rest = n - (count - 1) * length
    _, _, into, power = _matrices(_Key(b / a[0], a / a[0]), rest, dtype.char)
    powered = np.asarray(power.astype(dtype).T.copy())
    last = starts[..., -1:, :] @ powered + blocks[..., -1:, :rest] @ np.asarray(into)
    return y, np.where(end < n, np.nan, last[..., 0, :]).astype(dtype)


def _finite(x):
    """The samples with zeros in place of NaN and infinities, and the position of the first one of
    these in each line, or the number of samples."""
    is_finite = np.isfinite(x)
    whole = np.all(is_finite, axis=-1, keepdims=True)
    first = np.where(whole, x.shape[-1], np.argmin(is_finite, axis=-1, keepdims=True))
    return np.where(is_finite, x, 0), first


def states(gains, power, start):
    """The states before each block and after the last one. The state after a block is the matrix
    `power` times the state before it, plus the block's gains."""
    *lead, count, order = gains.shape
    dtype = gains.dtype
    size = max(2, min(count, _STATES // order))
    groups = -(-count // size)
    combine, carry, whole = _combined(_Key(power), size, dtype.char)
    cut = padded(gains, 0, groups * size - count, -2).reshape(*lead, groups, size * order)
    # States within each group, as if the group started at zero.
    own = (cut @ np.asarray(combine)).reshape(*lead, groups, size + 1, order)
    if groups == 1:
        starts = np.stack([start, own[..., 0, -1, :] + start @ _right(whole, dtype)], axis=-2)
    else:
        starts = states(own[..., -1, :], whole, start)
    inner = (starts[..., :-1, :] @ np.asarray(carry)).reshape(*lead, groups, size, order)
    inner = (inner + own[..., :-1, :]).reshape(*lead, groups * size, order)
    return np.concatenate([inner, starts[..., -1:, :]], axis=-2)[..., : count + 1, :]


def _right(matrix, dtype):
    """A matrix that multiplies rows."""
    return np.asarray(matrix.T.astype(dtype))


class _Key:
    """Small arrays of NumPy as the key of a cache."""

    def __init__(self, *arrays):
        self.arrays = arrays
        self._bytes = tuple((one.dtype.char, one.shape, one.tobytes()) for one in arrays)

    def __hash__(self):
        return hash(self._bytes)

    def __eq__(self, other):
        return self._bytes == other._bytes


def _wide(array):
    """An array of the host's widest numbers, in which coefficients are computed."""
    import numpy

    is_complex = array.dtype.kind == "c"
    return array.astype(numpy.clongdouble if is_complex else numpy.longdouble)


@functools.lru_cache(64)
def _matrices(key, length, char):
    """For rows of samples: the response to samples, the response to states, the states that samples
    cause; and the matrix by which states propagate over a block, in the widest numbers."""
    import numpy

    b, a = map(_wide, key.arrays)
    order = a.size - 1
    # The filter runs on one impulse, and from each of the unit states: rows are the runs.
    kind = numpy.result_type(a, b)
    state = numpy.zeros((order + 1, order), kind)
    state[1:] = numpy.eye(order, dtype=kind)
    output = numpy.empty((order + 1, length), kind)
    after_impulse = numpy.empty((length, order), kind)
    for at in range(length):
        sample = numpy.zeros(order + 1, kind)
        sample[0] = at == 0
        out = b[0] * sample + state[:, 0]
        state = numpy.concatenate([state[:, 1:], numpy.zeros((order + 1, 1), kind)], axis=1)
        state = state + numpy.outer(sample, b[1:]) - numpy.outer(out, a[1:])
        output[:, at] = out
        after_impulse[at] = state[0]
    response = numpy.zeros((length, length), kind)
    for at in range(length):
        response[at, at:] = output[0, : length - at]
    into = after_impulse[::-1]
    with numpy.errstate(all="ignore"):
        return response.astype(char), output[1:].astype(char), into.astype(char), state[1:].T


@functools.lru_cache(64)
def _combined(key, size, char):
    """For rows of gains of several blocks: the states between them, the response of these states to
    the state before all of them, and the matrix over all of them."""
    import numpy

    (power,) = key.arrays
    order = power.shape[0]
    powers = [numpy.eye(order, dtype=power.dtype)]
    with numpy.errstate(all="ignore"):
        for _ in range(size):
            powers.append(power @ powers[-1])
        combine = numpy.zeros((size * order, (size + 1) * order), power.dtype)
        for block in range(size):
            for later in range(block + 1, size + 1):
                rows = slice(block * order, (block + 1) * order)
                columns = slice(later * order, (later + 1) * order)
                combine[rows, columns] = powers[later - 1 - block].T
        carry = numpy.concatenate([one.T for one in powers[:size]], axis=1)
        return combine.astype(char), carry.astype(char), powers[size]


def checked_states(zi, shape, axis, order, name="zi"):
    """Initial states that broadcast to a signal's shape, with `order` along the axis."""
    zi = array(zi)
    wanted = [*shape]
    wanted[axis] = order
    text = f"Unexpected shape for {name}: expected {tuple(wanted)}, found {zi.shape}."
    if zi.ndim != len(wanted):
        raise refuse(text)
    for place, (extent, found) in enumerate(zip(wanted, zi.shape)):
        if found != extent and (place == axis or found != 1):
            raise refuse(text)
    return np.broadcast_to(zi, tuple(wanted))
