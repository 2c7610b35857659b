"""Digital filters of given coefficients, forward and in both directions."""

import operator

import phalanx as np

from .._arguments import in_c_order
from ._arrays import array, axis_of, const_ext, even_ext, host, odd_ext, part, refuse
from ._described import SMALL, described
from ._recurrence import cascade, checked_states, filtered

_EXTENSIONS = {"even": even_ext, "odd": odd_ext, "constant": const_ext}
_LIMITS = (
    " Where the filter has feedback, all samples after a NaN or an infinity are NaN. Filters "
    "without feedback of more than 64 coefficients are convolved by transforms, in which a NaN "
    "spreads."
)
_FILTER_ERRORS = {
    "ValueError": "The coefficients are no vectors, or `zi` does not fit the signal.",
    "NotImplementedError": "All numbers are integers.",
}


def _coefficients(b, a):
    """Both coefficients as NumPy vectors. The numerator stays on devices if the filter has no
    feedback."""
    import numpy

    a = numpy.atleast_1d(host(a))
    stays = isinstance(b, np.ndarray) and a.size == 1
    b = np.atleast_1d(b) if stays else numpy.atleast_1d(host(b))
    for name, one in (("b", b), ("a", a)):
        if one.ndim != 1 or one.shape[0] == 0:
            raise refuse(
                f"Parameter {name} is not a non-empty 1d array, since {name}.shape={one.shape}!"
            )
    return b, a


def _signal(x):
    x = array(x)
    if x.ndim == 0:
        raise refuse("x must be at least 1-D")
    return x


@described(
    "ndarray or (ndarray, ndarray): The filtered signal; with `zi` also the states at its end.",
    _FILTER_ERRORS,
    SMALL + _LIMITS,
    a=("array_like", "The coefficients of the denominator, of which the first one is not 0."),
)
@in_c_order
def lfilter(b, a, x, axis=-1, zi=None):
    """A signal through a recursive or non-recursive filter along an axis."""
    b, a = _coefficients(b, a)
    x = _signal(x)
    axis = axis_of(axis, x.ndim)
    if a.size > 1 and a[0] == 0:
        raise refuse("BUG: filter coefficient a[0] == 0 not supported yet")
    if a.size == 1 and x.shape[axis] == 0:
        raise refuse("v cannot be empty")
    if zi is not None:
        zi = checked_states(zi, x.shape, axis, max(a.size, b.shape[0]) - 1)
    y, zf = filtered(b, a, x, axis, zi)
    return y if zi is None else (y, zf)


@described(
    "ndarray: The states, a vector.",
    {"ValueError": "The first coefficient of the denominator is 0."},
    SMALL,
    y=("array_like", "The earlier outputs, the latest first."),
    x=("array_like", "The earlier inputs, the latest first; zeros by default."),
)
def lfiltic(b, a, y, x=None):
    """The states of a filter after given inputs and outputs."""
    import numpy

    a, b = (numpy.atleast_1d(host(one)) for one in (a, b))
    if a[0] == 0:
        raise refuse("First `a` filter coefficient must be non-zero.")
    if b.ndim != 1 or a.ndim != 1:
        raise refuse("Filter coefficients must be 1-D.")
    before, after = b.size - 1, a.size - 1
    y = host(y).ravel()
    kinds = [b, a, y] if x is None else [b, a, y, host(x)]
    dtype = numpy.result_type(*kinds)
    dtype = dtype if dtype.kind in "fc" else numpy.dtype(float)
    x = numpy.zeros(before, dtype) if x is None else host(x).ravel()

    def of_length(values, count):
        made = numpy.zeros(count, dtype)
        found = values[:count]
        made[: found.size] = found
        return made

    x, y = of_length(x, before), of_length(y, after)
    states = numpy.zeros(max(before, after), dtype)
    for at in range(before):
        states[at] += (b[at + 1 :] * x[: before - at]).sum()
    for at in range(after):
        states[at] -= (a[at + 1 :] * y[: after - at]).sum()
    return np.asarray(states / a[0] if a[0] != 1 else states)


def _settled(b, a):
    """On the host, the states of a filter at rest after ones without end."""
    import numpy

    a, b = numpy.atleast_1d(host(a)), numpy.atleast_1d(host(b))
    for name, one in (("Numerator b", b), ("Denominator a", a)):
        if one.ndim != 1:
            raise refuse(f"{name} must be 1-D.")
    while a.size > 1 and a[0] == 0:
        a = a[1:]
    if a.size < 1:
        raise refuse("There must be at least one nonzero `a` coefficient.")
    dtype = numpy.result_type(a, b)
    dtype = dtype if dtype.kind in "fc" else numpy.dtype(float)
    a, b = (one.astype(dtype) / dtype.type(a[0]) for one in (a, b))
    order = max(a.size, b.size) - 1
    if order == 0:
        raise refuse("The length of `a` along the last axis must be at least 2.")
    a, b = (numpy.concatenate([one, numpy.zeros(order + 1 - one.size, dtype)]) for one in (a, b))
    # Of the states z: z = M z + g, where M shifts them and feeds the output back.
    matrix = numpy.eye(order, dtype=dtype) - numpy.eye(order, k=1, dtype=dtype)
    matrix[:, 0] += a[1:]
    return numpy.linalg.solve(matrix, b[1:] - a[1:] * b[0])


@described(
    "ndarray: The states, a vector.",
    {"ValueError": "A coefficient is no vector, or there is none.",
     "LinAlgError": "The filter does not come to rest."},
    SMALL,
)
def lfilter_zi(b, a):
    """The states with which the response to a step starts at rest."""
    return np.asarray(_settled(b, a))


def _sections(sos):
    import numpy

    sos = numpy.atleast_2d(host(sos))
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise refuse("sos array must be shape (n_sections, 6)")
    if not (sos[:, 3] == 1).all():
        raise refuse("sos[:, 3] should be all ones")
    return sos


@described(
    "ndarray or (ndarray, ndarray): The filtered signal; with `zi` also the states at its end.",
    {"ValueError": "`sos` has not six columns, or `zi` does not fit.",
     "NotImplementedError": "All numbers are integers."},
    SMALL + _LIMITS,
    zi=("array_like", "The initial states: the sections, then the shape of `x` with 2 "
        "elements along the axis; zeros by default."),
)
def sosfilt(sos, x, axis=-1, zi=None):
    """A signal through a cascade of filters of second order along an axis."""
    sos = _sections(sos)
    x = _signal(x)
    axis = axis_of(axis, x.ndim)
    if zi is not None:
        zi = array(zi)
        shape = (sos.shape[0], *x.shape[:axis], 2, *x.shape[axis + 1 :])
        if zi.shape != shape:
            raise refuse(
                f"Invalid zi shape. With axis={axis}, an input with shape {x.shape}, and an sos "
                f"array with {sos.shape[0]} sections, zi must have shape {shape}, got {zi.shape}."
            )
    y, states = cascade(sos, x, axis, zi)
    return y if zi is None else (y, states)


def _settled_sections(sos):
    import numpy

    sos = sos if sos.dtype.kind in "fc" else sos.astype(float)
    states, gain = numpy.empty((sos.shape[0], 2), sos.dtype), 1
    for at, section in enumerate(sos):
        states[at] = gain * _settled(section[:3], section[3:])
        # The gain of the section at frequency 0.
        gain = gain * section[:3].sum() / section[3:].sum()
    return states


@described(
    "ndarray: The states, two for each section.",
    {"ValueError": "`sos` has not six columns."}, SMALL,
)
def sosfilt_zi(sos):
    """The states of sections with which the response to a step starts at rest."""
    return np.asarray(_settled_sections(_sections(sos)))


def _extended(x, axis, padtype, padlen, length):
    """A signal, extended at both ends, and by how many samples."""
    if padtype not in (*_EXTENSIONS, None):
        raise refuse(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', "
            "'constant', or None.",
            mistake="choice",
        )
    if padtype is None:
        padlen = 0
    edge = length if padlen is None else operator.index(padlen)
    if x.shape[axis] <= edge:
        raise refuse(
            "The length of the input vector x must be greater than padlen, which is "
            f"{edge}."
        )
    if padtype is None or edge <= 0:
        return x, 0
    return _EXTENSIONS[padtype](x, edge, axis=axis), edge


def _both_ways(forward, x, axis, states):
    """A signal filtered forward and backward. `forward` filters with initial states, `states` are
    those of a filter at rest, for a sample of 1, in a form that broadcasts."""
    y, _ = forward(x, states * part(x, axis, 0, 1))
    y, _ = forward(np.flip(y, axis=axis), states * part(y, axis, -1))
    return np.flip(y, axis=axis)


_BOTH_WAYS = {
    "ValueError": "The signal is too short, or a word is unknown.",
    "NotImplementedError": "All numbers are integers.",
}


@described(
    "ndarray: The filtered signal, without a shift of its phase.",
    _BOTH_WAYS,
    SMALL + " Collective with the method 'gust', which solves equations." + _LIMITS,
    method=("{'pad', 'gust'}", "Whether the signal is extended, or the initial states are those "
            "for which both orders of the directions agree (Gustafsson 1996)."),
)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """A signal through a filter, forward and then backward."""
    import numpy

    b, a = numpy.atleast_1d(host(b)), numpy.atleast_1d(host(a))
    x = _signal(x)
    axis = axis_of(axis, x.ndim)
    if method not in ("pad", "gust"):
        raise refuse("method must be 'pad' or 'gust'.", mistake="choice")
    if b.dtype.kind not in "fc" and a.dtype.kind not in "fc" and x.dtype.kind not in "fc":
        b = b.astype(float)
    if method == "gust":
        return np.moveaxis(_agreeing(b, a, np.moveaxis(x, axis, -1), irlen), -1, axis)
    extended, edge = _extended(x, axis, padtype, padlen, 3 * max(a.size, b.size))
    settled = _settled(b, a)
    states = np.asarray(settled).reshape((-1,) + (1,) * (x.ndim - 1 - axis))

    def forward(signal, zi):
        return filtered(b, a, signal, axis, zi)

    y = _both_ways(forward, extended, axis, states)
    return part(y, axis, edge, y.shape[axis] - edge) if edge else y


def _agreeing(b, a, x, irlen):
    """A signal along the last axis, filtered both ways with initial states by which filtering
    backward first gives the same."""
    order, n = max(b.size, a.size) - 1, x.shape[-1]
    if order == 0:
        dtype = np.result_type(b.dtype, a.dtype, x.dtype)
        return x.astype(dtype) * ((b[0] / a[0]) ** 2).item()
    m = n if irlen is None or n <= 2 * irlen else irlen

    def forward(signal):
        return filtered(b, a, signal)[0]

    def backward(signal):
        return np.flip(forward(np.flip(signal, -1)), -1)

    # The responses to unit states, in rows, and these filtered the other way.
    dtype = np.result_type(b.dtype, a.dtype, x.dtype)
    nothing = np.zeros((order, m), dtype)
    free, _ = filtered(b, a, nothing, -1, np.eye(order, dtype=dtype))
    reversed_free = np.flip(free, -1)
    again = forward(reversed_free)
    reversed_again = np.flip(again, -1)
    both, other = backward(forward(x)), forward(backward(x))
    difference = other - both
    left, right = reversed_again - free, reversed_free - again
    if m == n:
        matrix, response = np.concatenate([left, right]), np.concatenate(
            [reversed_again, reversed_free]
        )
        ends = difference
    else:
        zeros = np.zeros((order, m), dtype)
        matrix = np.block([[left, zeros], [zeros, right]])
        response = np.block([[reversed_again, zeros], [zeros, reversed_free]])
        ends = np.concatenate([difference[..., :m], difference[..., -m:]], axis=-1)
    rows = ends.reshape(-1, ends.shape[-1])
    states = np.linalg.lstsq(matrix.T, rows.T, rcond=None)[0]
    change = (states.T @ response).reshape(ends.shape)
    if m == n:
        return both + change
    middle = np.zeros((*x.shape[:-1], n - 2 * m), change.dtype)
    return both + np.concatenate([change[..., :m], middle, change[..., m:]], axis=-1)


@described(
    "ndarray: The filtered signal, without a shift of its phase.", _BOTH_WAYS, SMALL + _LIMITS,
)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """A signal through a cascade of filters, forward and then backward."""
    sos = _sections(sos)
    x = _signal(x)
    axis = axis_of(axis, x.ndim)
    # Zeros at the ends of all sections make the filter shorter.
    length = 2 * sos.shape[0] + 1
    length -= min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum())
    extended, edge = _extended(x, axis, padtype, padlen, 3 * int(length))
    states = np.asarray(_settled_sections(sos))
    shape = [sos.shape[0], *[1] * x.ndim]
    shape[axis + 1] = 2
    states = states.reshape(shape)

    def forward(signal, zi):
        return cascade(sos, signal, axis, zi)

    y = _both_ways(forward, extended, axis, states)
    return part(y, axis, edge, y.shape[axis] - edge) if edge else y


@described(
    "(ndarray, ndarray): The quotient and the remainder.",
    {"ValueError": "A signal is no vector, or the first coefficient of the divisor is 0."},
    "Local: computed on the host of every process. Collective for arrays on devices, which are "
    "read; it is meant for short signals.",
    signal=("array_like", "The dividend, a vector."),
)
def deconvolve(signal, divisor):
    """The quotient and the remainder of a convolution, as of polynomials."""
    import numpy

    signal, divisor = numpy.atleast_1d(host(signal)), numpy.atleast_1d(host(divisor))
    for name, one in (("signal", signal), ("divisor", divisor)):
        if one.ndim != 1 or one.size == 0:
            raise refuse(
                f"Parameter {name} must be non-empty 1d array, but its shape is {one.shape}!"
            )
    dtype = numpy.result_type(signal, divisor, numpy.float64)
    count = signal.size - divisor.size + 1
    if count < 1:
        return np.zeros(0), np.asarray(signal)
    if divisor[0] == 0:
        raise refuse("the first coefficient of the divisor is 0")
    rest, quotient = signal.astype(dtype), numpy.zeros(count, dtype)
    for at in range(count):
        quotient[at] = rest[at] / divisor[0]
        rest[at : at + divisor.size] -= quotient[at] * divisor
    remainder = signal - numpy.convolve(divisor, quotient)
    return np.asarray(quotient), np.asarray(remainder)
