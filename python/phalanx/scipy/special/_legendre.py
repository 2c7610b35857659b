"""Legendre functions and spherical harmonics, by recurrences over the degree.

Each recurrence carries the values with their first and second derivatives. Degrees and orders are
read on the host, because they decide which operations are recorded.
"""

import functools
import math
import operator

import phalanx as np

from ..._phalanx import _refusal
from ._described import INTEGERS, described
from ._loops import complex_of
from ._several import inner, on_host
from ._ufuncs import has

_OF_INTEGERS = INTEGERS.format("`n` or `m`")
_OF_DERIVATIVES = (
    "Local: recorded, and computed when a value is observed. Collective with derivatives if {} is "
    "an array on devices, because the integers are read."
)
_REFUSED = {
    "TypeError": "A degree or an order is no integer.",
    "ValueError": "`diff_n` is negative, or shapes do not broadcast.",
    "NotImplementedError": "`diff_n` is above 2.",
}
_FIRST = "ndarray: The values, and the derivatives up to `diff_n`, along the first axis."
_ALL = "ndarray: The values. The first axis has the derivatives, the second the degrees 0 to `n`"


class _Jet:
    """A function with its derivatives up to an order: its value, slope and curvature."""

    __slots__ = ("parts",)

    def __init__(self, parts):
        self.parts = parts

    def __mul__(self, other):
        if not isinstance(other, _Jet):
            return _Jet([one * other for one in self.parts])
        a, b = self.parts, other.parts
        made = [a[0] * b[0]]
        if len(a) > 1:
            made.append(a[1] * b[0] + a[0] * b[1])
        if len(a) > 2:
            made.append(a[2] * b[0] + 2 * (a[1] * b[1]) + a[0] * b[2])
        return _Jet(made)

    def __add__(self, other):
        return _Jet([one + its for one, its in zip(self.parts, other.parts)])

    def scaled(self, number):
        """The jet times a number, zero if the number is, even at infinite derivatives."""
        if number == 0:
            return _Jet([np.zeros_like(one) for one in self.parts])
        return self * number


def _order(diff_n):
    try:
        diff_n = operator.index(diff_n)
    except TypeError:
        raise _refusal(
            ValueError, "value", f"diff_n must be a non-negative integer, received: {diff_n}."
        ) from None
    if diff_n < 0:
        raise _refusal(
            ValueError, "value", f"diff_n must be a non-negative integer, received: {diff_n}."
        )
    if diff_n > 2:
        raise _refusal(NotImplementedError, "absent", "diff_n is currently only implemented for "
                       f"orders 0, 1, and 2, received: {diff_n}.")
    return diff_n


def _integers(name, n):
    """Degrees or orders, as an array of NumPy."""
    n = on_host(n)
    if n.dtype.kind not in "biu":
        text = f"{name}: degrees and orders are integers, not {n.dtype}"
        raise _refusal(TypeError, "dtype", text)
    return n.astype("int64")


def _highest(name, n):
    try:
        n = operator.index(n)
    except TypeError:
        raise _refusal(TypeError, "type", f"{name} must be a non-negative integer") from None
    if n < 0:
        raise _refusal(ValueError, "value", f"{name} must be a non-negative integer")
    return n


def _wide(z):
    """An argument in double precision: float32 would lose digits along a recurrence."""
    z = np.asarray(z)
    return z.astype("complex128" if z.dtype.kind == "c" else "float64")


def _variable(z, count):
    """The jet of the variable itself."""
    return _Jet([z, np.ones_like(z), np.zeros_like(z)][:count + 1])


def _power(root, square, m, count):
    """The jet of (sign (1 - z**2))**(m / 2); `square` is the jet of the base, `root` its root."""
    value = root**m if m else np.ones_like(root)
    parts = [value]
    first, second = square.parts[1:2], square.parts[2:3]
    if count > 0:
        slope = root ** (m - 2) * (m / 2) if m else np.zeros_like(root)
        parts.append(slope * first[0])
    if count > 1:
        bend = slope * second[0]
        if m not in (0, 2):
            bend = bend + root ** (m - 4) * (m / 2 * (m / 2 - 1)) * first[0] * first[0]
        parts.append(bend)
    return _Jet(parts)


def _associated(z, m, branch, norm, count):
    """The jets of the associated Legendre functions of an order, from the degree |m| on."""
    size = abs(m)
    x = _variable(z, count)
    sign = 1 if branch == 2 else -1
    square = _Jet([sign * (1 - z) * (1 + z), -2 * sign * z, -2.0 * sign * np.ones_like(z)])
    if z.dtype.kind == "c" and branch == 3:
        root = np.sqrt(z - 1) * np.sqrt(z + 1)
    else:
        root = np.sqrt(square.parts[0])
    start = _power(root, square, size, count)
    # The factor of the first degree, with the phase (-1)**m on the usual branch.
    if norm:
        factor = _normalised(size)
        if branch == 2 and (size % 2 and m > 0):
            factor = -factor
    elif m >= 0:
        factor = float(math.prod(range(1, 2 * size, 2))) if size < 151 else math.inf
        if branch == 2 and size % 2:
            factor = -factor
    else:
        factor = math.exp(-size * math.log(2) - math.lgamma(size + 1)) if size > 20 else (
            1 / (2**size * math.factorial(size)))
    return _degrees(x, start.scaled(factor), size, m, norm)


def _normalised(size):
    """sqrt((2 m + 1)!! / (2 (2 m)!!)), the normalised function of degree m and order m at z = 0."""
    product = 0.5
    for j in range(1, size + 1):
        product *= (2 * j + 1) / (2 * j)
    return math.sqrt(product)


def _degrees(x, start, size, m, norm):
    """The functions of the degrees `size`, `size` + 1, ... from the first one."""
    before, current, n = None, start, size
    while True:
        yield current
        n += 1
        if norm:
            high = math.sqrt((4 * n * n - 1) / (n * n - m * m))
            low = 0.0
            if before is not None:
                low = -high * math.sqrt(((n - 1) ** 2 - m * m) / (4 * (n - 1) ** 2 - 1))
        else:
            high, low = (2 * n - 1) / (n - m), -(n - 1 + m) / (n - m)
        following = (x * current) * high
        if before is not None:
            following = following + before.scaled(low)
        before, current = current, following


def _spherical(theta, m, count):
    """The jets of the spherical Legendre functions of an order, as functions of the angle."""
    size = abs(m)
    cos, sin = np.cos(theta), np.sin(theta)
    direction = np.where(sin < 0, -1.0, 1.0)
    sin = np.abs(sin)
    x = _Jet([cos, -direction * sin, -cos][:count + 1])
    parts = [sin**size if size else np.ones_like(sin)]
    if count > 0:
        slope = size * sin ** (size - 1) * cos if size else np.zeros_like(sin)
        parts.append(direction * slope)
    if count > 1:
        bend = -size * parts[0]
        if size > 1:
            bend = bend + size * (size - 1) * sin ** (size - 2) * cos * cos
        parts.append(bend)
    factor = _normalised(size) / math.sqrt(2 * math.pi)
    if size % 2 and m > 0:
        factor = -factor
    return _degrees(x, _Jet(parts).scaled(factor), size, size, True)


def _recorded(name, *given):
    """Degrees or orders as an array of float64, for native functions, which read none."""
    made = [np.asarray(one) for one in given]
    for one in made:
        if one.dtype.kind not in "biu":
            text = f"{name}: degrees and orders are integers, not {one.dtype}"
            raise _refusal(TypeError, "dtype", text)
    return [one.astype("float64") for one in made]


def _selected(name, n, m, z, count, degrees):
    """The values for arrays of degrees and orders; `degrees` iterates over those of an order."""
    import numpy

    n, m = numpy.broadcast_arrays(_integers(name, n), _integers(name, m))
    shape = np.broadcast_shapes(n.shape, z.shape)
    made = [np.zeros(shape, z.dtype) for _ in range(count + 1)]
    for order in sorted(set(m.ravel().tolist())):
        wanted = set(n[(m == order) & (n >= abs(order))].tolist())
        if not wanted:
            continue
        for degree, jet in zip(range(abs(order), max(wanted) + 1), degrees(order)):
            if degree not in wanted:
                continue
            is_own = (n == degree) & (m == order)
            for i, part in enumerate(jet.parts):
                part = np.broadcast_to(part, shape)
                # One degree and one order need no selection.
                made[i] = part if is_own.all() else np.where(np.asarray(is_own), part, made[i])
    return made


def _every(n, m, z, count, degrees):
    """The values for all degrees up to `n` and all orders from 0 to `m` and -`m` to -1."""
    orders = [*range(m + 1), *range(-m, 0)]
    columns = []
    nothing = [np.zeros_like(z)] * (count + 1)
    for order in orders:
        missing = min(abs(order), n + 1)
        jets = zip(range(n + 1 - missing), degrees(order))
        columns.append([nothing] * missing + [jet.parts for _, jet in jets])
    return [
        np.stack([np.stack([column[k][i] for column in columns]) for k in range(n + 1)])
        for i in range(count + 1)
    ]


def _single(z, made):
    """The values in single precision, if the argument has it."""
    if np.asarray(z).dtype in ("float32", "complex64"):
        return made.astype("complex64" if made.dtype.kind == "c" else "float32")
    return made


def _branched(name, branch_cut, z, compute):
    """The values for each branch cut that an array names."""
    branches = _integers(name, branch_cut)
    kinds = sorted(set(branches.ravel().tolist()))
    if any(kind not in (2, 3) for kind in kinds):
        z = np.broadcast_to(z, np.broadcast_shapes(z.shape, branches.shape))
    found = [
        compute(kind) if kind in (2, 3) else [one * np.nan for one in compute(2)] for kind in kinds
    ]
    if len(found) == 1:
        return found[0]
    first, second = found[:2]
    return [np.where(np.asarray(branches == kinds[0]), *pair) for pair in zip(first, second)]


@described(_FIRST, _REFUSED, notes=_OF_DERIVATIVES.format("`n`"))
def legendre_p(n, z, *, diff_n=0):
    """Legendre polynomials of the first kind."""
    count, z = _order(diff_n), _wide(z)
    if count == 0 and z.dtype.kind != "c" and has("legendre_p"):
        return inner("legendre_p", 2)(*_recorded("legendre_p", n), z)[None]
    degrees = functools.partial(_degrees_of_polynomials, z, count)
    return np.stack(_selected("legendre_p", n, 0, z, count, degrees))


def _degrees_of_polynomials(z, count, order):
    one = _Jet([np.ones_like(z), np.zeros_like(z), np.zeros_like(z)][:count + 1])
    return _degrees(_variable(z, count), one, 0, 0, False)


@described(_ALL + ".", _REFUSED)
def legendre_p_all(n, z, *, diff_n=0):
    """All Legendre polynomials of the first kind up to a degree."""
    n, count, wide = _highest("n", n), _order(diff_n), _wide(z)
    degrees = functools.partial(_degrees_of_polynomials, wide, count)
    return _single(z, np.stack(_every(n, 0, wide, count, degrees))[:, :, 0])


@described(_FIRST, _REFUSED, notes=_OF_INTEGERS)
def assoc_legendre_p(n, m, z, *, branch_cut=2, norm=False, diff_n=0):
    """Associated Legendre functions of the first kind."""
    count, z = _order(diff_n), _wide(z)

    def compute(branch):
        degrees = functools.partial(_branch, z, branch, norm, count)
        return _selected("assoc_legendre_p", n, m, z, count, degrees)

    with np.errstate(all="ignore"):
        return np.stack(_branched("assoc_legendre_p", branch_cut, z, compute))


def values(n, m, z):
    """The functions on the usual branch, without a norm, for arrays of integers of NumPy."""
    with np.errstate(all="ignore"):
        return _selected("lpmv", n, m, z, 0, functools.partial(_branch, z, 2, False, 0))[0]


def _branch(z, branch, norm, count, order):
    return _associated(z, order, branch, norm, count)


@described(_ALL + ", the third the orders 0 to `m`, then -`m` to -1.", _REFUSED)
def assoc_legendre_p_all(n, m, z, *, branch_cut=2, norm=False, diff_n=0):
    """All associated Legendre functions of the first kind up to a degree and an order."""
    n, m, count, z = _highest("n", n), _highest("m", m), _order(diff_n), _wide(z)

    def compute(branch):
        return _every(n, m, z, count, functools.partial(_branch, z, branch, norm, count))

    with np.errstate(all="ignore"):
        return np.stack(_branched("assoc_legendre_p_all", branch_cut, z, compute))


def _angular(theta, count, order):
    return _spherical(theta, order, count)


@described(_FIRST, _REFUSED, notes=_OF_INTEGERS)
def sph_legendre_p(n, m, theta, *, diff_n=0):
    """Spherical Legendre functions of the first kind: normalised functions of the cosine."""
    count, theta = _order(diff_n), _wide(theta)
    degrees = functools.partial(_angular, theta, count)
    return np.stack(_selected("sph_legendre_p", n, m, theta, count, degrees))


@described(_ALL + ", the third the orders 0 to `m`, then -`m` to -1.", _REFUSED)
def sph_legendre_p_all(n, m, theta, *, diff_n=0):
    """All spherical Legendre functions of the first kind up to a degree and an order."""
    n, m, count, wide = _highest("n", n), _highest("m", m), _order(diff_n), _wide(theta)
    made = np.stack(_every(n, m, wide, count, functools.partial(_angular, wide, count)))
    return _single(theta, made)


def _harmonics(parts, m, phi):
    """The values, gradients and Hessian matrices of functions of the polar angle times
    exp(i m phi). `m` is an array."""
    turn = complex_of(np.cos(m * phi), np.sin(m * phi))
    around = complex_of(np.zeros_like(m), m)
    made = [parts[0] * turn]
    if len(parts) > 1:
        across = parts[1] * turn
        made.append(np.stack((across, around * made[0]), axis=-1))
    if len(parts) > 2:
        mixed = around * across
        rows = (np.stack((parts[2] * turn, mixed), axis=-1),
                np.stack((mixed, around * around * made[0]), axis=-1))
        made.append(np.stack(rows, axis=-2))
    return made[0] if len(made) == 1 else tuple(made)


_HARMONICS = (
    "ndarray or tuple of ndarray: The complex values; with derivatives also the gradients by "
    "`theta` and `phi`, along a last axis, and the Hessian matrices."
)


@described(_HARMONICS, _REFUSED, notes=_OF_DERIVATIVES.format("`n` or `m`"))
def sph_harm_y(n, m, theta, phi, *, diff_n=0):
    """Spherical harmonics."""
    count, theta, phi = _order(diff_n), _wide(theta), _wide(phi)
    if count == 0 and has("sph_harm_y_re"):
        given = *_recorded("sph_harm_y", n, m), theta, phi
        return complex_of(*(inner(f"sph_harm_y_{part}", 4)(*given) for part in ("re", "im")))
    theta, phi = np.broadcast_arrays(theta, phi)
    degrees = functools.partial(_angular, theta, count)
    parts = _selected("sph_harm_y", n, m, theta, count, degrees)
    return _harmonics(parts, np.asarray(m).astype("float64"), phi)


@described(
    _HARMONICS + " The first axis has the degrees 0 to `n`, the second the orders 0 to `m`, then "
    "-`m` to -1.",
    _REFUSED,
)
def sph_harm_y_all(n, m, theta, phi, *, diff_n=0):
    """All spherical harmonics up to a degree and an order."""
    n, m, count = _highest("n", n), _highest("m", m), _order(diff_n)
    is_single = {np.asarray(one).dtype.name for one in (theta, phi)} == {"float32"}
    theta, phi = np.broadcast_arrays(_wide(theta), _wide(phi))
    parts = _every(n, m, theta, count, functools.partial(_angular, theta, count))
    orders = np.asarray([*range(m + 1), *range(-m, 0)], "float64")
    found = _harmonics(parts, orders.reshape(-1, *[1] * theta.ndim), phi)
    if not is_single:
        return found
    if isinstance(found, tuple):
        return tuple(one.astype("complex64") for one in found)
    return found.astype("complex64")
