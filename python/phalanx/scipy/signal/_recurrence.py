"""Linear recurrences along an axis: the one operation under all recursive filters.

A signal is cut into blocks, and all blocks are filtered at the same time. The state that a block
leaves behind is that of its own samples plus a matrix times the state before it: a recurrence over
fewer elements, whose terms are combined by products with powers of the matrix. Then the blocks are
filtered again, from the states before them.
"""

import functools
from fractions import Fraction

import phalanx as np

from ..._phalanx import signal as _native
from ._arrays import array, padded, refuse

# The samples of a block; more if there are so many that all threads of a GPU have blocks.
_BLOCK = 128
_MANY, _LONG_BLOCK = 1 << 21, 512
# States after a block that are larger than the states before it by so much are no good numbers to
# compute with.
_LARGE = 10.0
# The sections of second order that a signal passes at a time.
_SECTIONS = 8
# The bits behind the point of exact numbers: rounding in the last one stays out of sight after it
# was amplified by any filter whose numbers a float64 can hold.
_BITS = 512
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

    order, of_a = max(a.size, b.size) - 1, a.size - 1
    is_long = b.size > max(a.size, _SHIFTED)
    b, a = (numpy.concatenate([b, numpy.zeros(order + 1 - b.size)]) / a[0], a / a[0])
    length, count = _blocks(x.shape[-1])
    poles = _poles(_Coefficients(_ones(a[None, :]), a[None, :]), length) if count > 1 else None
    if poles is None and not is_long:
        a = numpy.concatenate([a, numpy.zeros(order - of_a)])
        return _chained(b[None, :], a[None, :], x, zi, dtype)
    # A convolution with the numerator, then sections with the poles alone.
    x, ends = _without_feedback(b, x, zi, dtype)
    poles = a[None, :] if poles is None else poles
    x, _ = _chained(_ones(poles), poles, x, None, dtype)
    if zi is None:
        return x, None
    # What the last samples take away from each later one.
    taken = numpy.zeros((of_a, of_a), a.dtype)
    for at in range(of_a):
        taken[at:, at] = -a[:at:-1]
    last = x[..., max(x.shape[-1] - of_a, 0) :]
    own = padded(last, of_a - last.shape[-1], 0) @ np.asarray(taken.astype(dtype))
    return x, ends + padded(own, 0, order - of_a)


def _ones(denominators):
    """Numerators of 1."""
    import numpy

    ones = numpy.zeros_like(denominators)
    ones[:, 0] = 1
    return ones


def _blocks(n):
    """The length and the number of the blocks of `n` samples."""
    block = _BLOCK if n < _MANY else _LONG_BLOCK
    length = n if n <= 2 * block else block
    return length, -(-n // max(length, 1))


@functools.lru_cache(64)
def _poles(coefficients, length):
    """The denominators of sections of second order with the poles of a filter without zeros; None if
    the filter's own states are as good.

    Where poles are close to each other, the states of a filter of high order are large numbers that
    cancel. Within a block they do so as in SciPy, but not in products with a rounded matrix.
    """
    import numpy

    a = coefficients.a[0]
    if not 3 < a.size <= _SHIFTED or not numpy.isfinite(a).all():
        return None
    is_complex = a.dtype.kind == "c"
    if abs(_power(coefficients, length).rounded("D" if is_complex else "d")).max() <= _LARGE:
        return None
    poles = numpy.roots(a)
    if is_complex:
        return numpy.array([[1, -pole, 0] for pole in poles])
    real = sorted(poles[poles.imag == 0].real)
    sections = [[1, -2 * pole.real, abs(pole) ** 2] for pole in poles[poles.imag > 0]]
    sections += [[1, -one - other, one * other] for one, other in zip(real[::2], real[1::2])]
    sections += [[1, -real[-1], 0]] if len(real) % 2 else []
    return numpy.array(sections)


def cascade(sections, x, axis, zi):
    """A signal through sections of second order along an axis, and the states at its end.

    `sections` is a NumPy matrix with b and a of a section in each row. The states have the sections
    as their first axis, and two elements along the axis of the filter.
    """
    parts = [] if zi is None else [zi]
    dtype = np.result_type(sections.dtype, x.dtype, *(part.dtype for part in parts))
    x = np.moveaxis(x, axis, -1)
    if zi is not None:
        # The states of a line follow each other.
        zi = np.moveaxis(np.moveaxis(zi, axis + 1, -1), 0, -2).astype(dtype)
    count = len(sections)
    states = None if zi is None else zi.reshape(*x.shape[:-1], 2 * count)
    y, ends = _chained(sections[:, :3], sections[:, 3:], x, states, dtype)
    y = np.moveaxis(y, -1, axis)
    if zi is None:
        return y, None
    ends = ends.reshape(*x.shape[:-1], count, 2)
    return y, np.moveaxis(np.moveaxis(ends, -2, 0), -1, axis + 1)


def _chained(b, a, x, zi, dtype):
    """A signal through filters along its last axis, one after the other, and the states at its end.
    The rows of two NumPy matrices are the coefficients of the filters."""
    order, ends = b.shape[1] - 1, []
    for start in range(0, len(b), _SECTIONS):
        rows = slice(start, start + _SECTIONS)
        places = slice(start * order, (start + _SECTIONS) * order)
        x, end = _passed(b[rows], a[rows], x, None if zi is None else zi[..., places], dtype)
        ends.append(end)
    if zi is None:
        return x, None
    return x, ends[0] if len(ends) == 1 else np.concatenate(ends, axis=-1)


def _passed(b, a, x, zi, dtype):
    """The same for a few filters, whose states are computed together."""
    import numpy

    n, lead = x.shape[-1], x.shape[:-1]
    order = b.shape[0] * (b.shape[1] - 1)
    x = x.astype(dtype, copy=False)
    keeps = zi is not None
    start = np.broadcast_to(zi, (*lead, order)) if keeps else np.zeros((*lead, order), dtype)
    if n == 0:
        return x, start if keeps else None
    length, count = _blocks(n)
    b, a = b / a[:, :1], a / a[:, :1]
    coefficients = [np.asarray(one.astype(dtype)) for one in (b, a)]
    blocks = padded(x, 0, count * length - n).reshape(*lead, count, length)
    if count == 1:
        starts = start[..., None, :]
    else:
        nothing = np.zeros((*lead, count, order), dtype)
        gains = _native._recurrence(blocks, coefficients, nothing, True)
        # No sample enters, so the first numerator has no part in how states propagate.
        alone = numpy.concatenate([_ones(a[:1]), b[1:]])
        starts = _starts(gains, _power(_Coefficients(alone, a), length), start)
    y = _native._recurrence(blocks, coefficients, starts, False)
    y = y.reshape(*lead, count * length)[..., :n]
    if not keeps:
        return y, None
    rest = n - (count - 1) * length
    ends = (blocks[..., -1:, :rest], coefficients, starts[..., -1:, :])
    return y, _native._recurrence(*ends, True)[..., 0, :]


def _starts(gains, power, start):
    """The states before each block, from the states that each block leaves behind after a start
    from zero.

    Products would spread a NaN to earlier blocks, so that NaN and infinities are left out; the
    states behind the first block that has one are NaN.
    """
    count = gains.shape[-2]
    is_whole = np.isfinite(gains).all(axis=-1, keepdims=True)
    all_are = is_whole.all(axis=-2, keepdims=True)
    first = np.where(all_are, count, np.argmin(is_whole, axis=-2, keepdims=True))
    before = states(np.where(is_whole, gains, 0), power, start)[..., :-1, :]
    # The first state is given, so it spreads to nothing that does not depend on it.
    before = np.concatenate([start[..., None, :], before[..., 1:, :]], axis=-2)
    numbers = np.arange(count).reshape(-1, 1)
    return np.where(numbers <= first, before, np.nan).astype(gains.dtype)


def states(gains, power, start):
    """The states before each block and after the last one. The state after a block is the matrix
    `power` times the state before it, plus the block's gains."""
    *lead, count, order = gains.shape
    dtype = gains.dtype
    size = max(2, min(count, _STATES // order))
    groups = -(-count // size)
    combine, carry, whole, over = _combined(power, size, dtype.char)
    cut = padded(gains, 0, groups * size - count, -2).reshape(*lead, groups, size * order)
    # States within each group, as if the group started at zero.
    own = (cut @ np.asarray(combine)).reshape(*lead, groups, size + 1, order)
    if groups == 1:
        after = own[..., 0, -1, :] + start @ np.asarray(over)
        starts = np.stack([start, after], axis=-2)
    else:
        starts = states(own[..., -1, :], whole, start)
    inner = (starts[..., :-1, :] @ np.asarray(carry)).reshape(*lead, groups, size, order)
    inner = (inner + own[..., :-1, :]).reshape(*lead, groups * size, order)
    return np.concatenate([inner, starts[..., -1:, :]], axis=-2)[..., : count + 1, :]


class _Matrix:
    """A matrix by which states propagate, of integers with `_BITS` bits behind the point; a complex
    one as a real one of twice the rows.

    Where poles are close to each other, powers of a rounded matrix grow without bounds, although
    the states of the filter fade.
    """

    def __init__(self, entries, is_complex):
        self.entries, self.is_complex = entries, is_complex
        self._key = (is_complex, *entries.flat)
        self._hash = hash(self._key)

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        return self._key == other._key

    def __matmul__(self, other):
        return _Matrix(self.entries @ other.entries >> _BITS, self.is_complex)

    def identity(self):
        """The power 0."""
        import numpy

        one = numpy.zeros_like(self.entries)
        numpy.fill_diagonal(one, 1 << _BITS)
        return _Matrix(one, self.is_complex)

    def to_the(self, exponent):
        """A power."""
        found, square = self.identity(), self
        while exponent:
            found = found @ square if exponent & 1 else found
            exponent >>= 1
            square = square @ square if exponent else square
        return found

    def rounded(self, char):
        """The matrix in a dtype of NumPy. Numbers that are too large are the largest ones: products
        of infinities and zero would be NaN."""
        import numpy

        most = float(numpy.finfo(char).max)
        largest = int(most) << _BITS

        def quotient(one):
            return min(max(one, -largest), largest) / (1 << _BITS)

        entries = numpy.array([[quotient(one) for one in row] for row in self.entries])
        if self.is_complex:
            half = len(entries) // 2
            entries = entries[:half, :half] + 1j * entries[half:, :half]
        return entries.astype(char)


class _Coefficients:
    """The rows of two NumPy matrices as the key of a cache."""

    def __init__(self, b, a):
        self.b, self.a = b, a
        self._key = tuple((one.dtype.char, one.shape, one.tobytes()) for one in (b, a))

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return self._key == other._key


def _integers(x):
    """The real and the imaginary parts of numbers, as integers with `_BITS` bits behind the point.
    Numbers that are not finite are 0: the samples that they make NaN come from elsewhere."""
    import numpy

    def integer(one):
        return int(Fraction(float(one)) * (1 << _BITS)) if numpy.isfinite(one) else 0

    parts = (x.real, numpy.imag(x))
    return [numpy.array([[integer(one) for one in row] for row in part], object) for part in parts]


@functools.lru_cache(64)
def _power(coefficients, length):
    """The matrix by which the states of filters propagate over samples of zero."""
    import numpy

    (b, b_imag), (a, a_imag) = _integers(coefficients.b), _integers(coefficients.a)
    rows, order = b.shape[0], b.shape[1] - 1
    n = rows * order

    def times(real, imag, x):
        return [(real * x[0] - imag * x[1]) >> _BITS, (real * x[1] + imag * x[0]) >> _BITS]

    # One step, from each of the unit states.
    unit = numpy.zeros((n, n), object)
    numpy.fill_diagonal(unit, 1 << _BITS)
    state = [unit.reshape(rows, order, n), numpy.zeros((rows, order, n), object)]
    after = [numpy.zeros_like(part) for part in state]
    x = [numpy.zeros(n, object), numpy.zeros(n, object)]
    for row in range(rows):
        y = [one + z[row, 0] for one, z in zip(times(b[row, 0], b_imag[row, 0], x), state)]
        for k in range(order):
            up = times(b[row, k + 1], b_imag[row, k + 1], x)
            down = times(a[row, k + 1], a_imag[row, k + 1], y)
            for into, z, more, less in zip(after, state, up, down):
                into[row, k] = more - less + (z[row, k + 1] if k + 1 < order else 0)
        x = y
    real, imag = (part.reshape(n, n) for part in after)
    is_complex = coefficients.b.dtype.kind == "c" or coefficients.a.dtype.kind == "c"
    entries = numpy.block([[real, -imag], [imag, real]]) if is_complex else real
    return _Matrix(entries, is_complex).to_the(length)


@functools.lru_cache(64)
def _combined(power, size, char):
    """For rows of gains of several blocks: the states between them, the response of these states to
    the state before all of them, and the matrix over all of them, exact and as one for rows."""
    import numpy

    powers = [power.identity()]
    for _ in range(size):
        powers.append(power @ powers[-1])
    rounded = [one.rounded(char).T for one in powers]
    order = len(rounded[0])
    combine = numpy.zeros((size * order, (size + 1) * order), char)
    for block in range(size):
        for later in range(block + 1, size + 1):
            rows = slice(block * order, (block + 1) * order)
            columns = slice(later * order, (later + 1) * order)
            combine[rows, columns] = rounded[later - 1 - block]
    carry = numpy.concatenate(rounded[:size], axis=1)
    return combine, carry, powers[size], numpy.ascontiguousarray(rounded[size])


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
