"""Functions of arrays that other functions make up, and functions of integers."""

import functools
import math

import phalanx as np

from ..._phalanx import _refusal
from . import _edges, _host, _ufuncs
from ._described import INTEGERS, RECORDED, described

_SHAPES = {"ValueError": "Shapes do not broadcast."}
_REAL = {"TypeError": "An argument is complex.", "ValueError": "Shapes do not broadcast."}
_EXACT = "Local: recorded, and computed when a value is observed. Collective if `exact`, because " \
    "the integers are read."


def special(name):
    """A function of the module by its name."""
    from phalanx.scipy import special as module

    return getattr(module, name)


@functools.cache
def inner(name, count, order="fd"):
    """A native function that has no name in SciPy. Of its loops that of single precision comes
    first, or with the order "df" the other."""
    found = _ufuncs.inner(name, count, order)
    if found is None:
        raise _refusal(NotImplementedError, "absent", f"this build has no function {name}")
    return found


def on_host(n):
    """Integers that decide which operations are recorded, as an array of NumPy."""
    import numpy

    return n.get() if isinstance(n, np.ndarray) else numpy.asarray(n)


def _double(x):
    """The operand as an array of float64 or of complex numbers."""
    x = np.asarray(x)
    return x if x.dtype.kind == "c" else x.astype("float64")


@described("ndarray: The values.")
def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0."""
    return np.sinc(x)


@described("ndarray: The values; NaN if `n` is no positive integer.", _SHAPES)
def diric(x, n):
    """The Dirichlet kernel sin(n x / 2) / (n sin(x / 2)), a periodic sinc function."""
    x, n = _double(x), _double(n)
    with np.errstate(all="ignore"):
        half = x / 2
        below = np.sin(half)
        # The number of whole turns, at which the quotient has a limit of 1 or -1.
        turns = np.rint(half / math.pi)
        odd = np.abs(np.fmod(turns * (n - 1), 2)) == 1
        limit = np.where(odd, -1.0, 1.0)
        value = np.where(np.abs(below) < 1e-7, limit, np.sin(n * half) / (n * below))
        return np.where((n > 0) & (n == np.floor(n)), value, np.nan)


@described(
    "ndarray: The values.",
    {"ValueError": "`d` is no positive integer, or an element is not above (d - 1) / 2."},
    notes="Collective: every process calls it, because the elements are checked.",
)
def multigammaln(a, d):
    """The logarithm of the multivariate gamma function."""
    a = _double(a)
    if not (np.isscalar(d) and math.floor(d) == d and d >= 1):
        raise _refusal(ValueError, "value", "d should be a positive integer (dimension)")
    if a.size and bool((a <= 0.5 * (d - 1)).any()):
        least = float(a.min())
        raise _refusal(ValueError, "value",
                       f"condition a ({least:f}) > 0.5 * (d-1) ({0.5 * (d - 1):f}) not met")
    gammaln = special("gammaln")
    total = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(int(d)):
        total = total + gammaln(a - j / 2)
    return total


@described("ndarray: The values, in the shape to which `n` and `x` broadcast.", _REAL)
def polygamma(n, x):
    """The derivatives of the digamma function."""
    n, x = np.asarray(n), np.asarray(x)
    value = inner("polygamma", 2, "df")(n, x)
    # As SciPy, whose sign is a power of -1.
    return np.where(np.isinf(n), np.abs(value), value)


@described(
    "ndarray: The values.", {"ValueError": "Shapes do not broadcast, or an array is too long."},
    f"{RECORDED} Complex numbers: SciPy's function computes them on the host, for up to "
    f"{_host.LONGEST} elements. Collective then, because the arrays are copied.",
)
def zeta(x, q=None, out=None):
    """The Riemann zeta function, or with `q` the Hurwitz zeta function."""
    given = [np.asarray(one) for one in (x, q) if one is not None]
    if any(one.dtype.kind == "c" for one in given):
        value = np.asarray(_host.call("zeta", *given))
    elif q is None:
        return inner("riemann_zeta", 1, "df")(x, out=out)
    else:
        value = _edges.zeta(inner("zeta", 2)(x, q), *given)
    if out is None:
        return value
    np.copyto(out, value)
    return out


@described(
    "ndarray: The complex values.", {"ValueError": "Shapes do not broadcast."},
    notes=INTEGERS.format("`k`"),
)
def lambertw(z, k=0, tol=1e-8):
    """The Lambert W function, which solves w exp(w) = z."""
    from . import _lambert

    return _lambert.lambertw(np.asarray(z), on_host(k))


def _exact_integers(function, *given):
    whole = all(isinstance(one, int) or getattr(one, "dtype", np.dtype("d")).kind in "iu"
                or isinstance(one, float) and one.is_integer() for one in given)
    if not whole:
        raise _refusal(ValueError, "value", f"Non-integer arguments of {function} with exact=True "
                       "are not supported.")
    return [int(one) for one in given]


@described(
    "ndarray or int: The numbers; an int of Python if `exact`.",
    {"ValueError": "`exact` is true and a number is no integer."}, notes=_EXACT,
)
def comb(N, k, *, exact=False, repetition=False):
    """The number of combinations of `N` things taken `k` at a time."""
    N, k = _exact_integers("comb", N, k) if exact else (_double(N), _double(k))
    # Nothing is taken of nothing in one way.
    nothing = (N == 0) & (k == 0) if repetition else False
    if repetition:
        N = N + k - 1
    if exact:
        if nothing:
            return 1
        return 0 if k > N or N < 0 or k < 0 else math.comb(N, k)
    found = special("binom")(N, k)
    found = np.where((k <= N) & (N >= 0) & (k >= 0), found, 0.0)
    return np.where(nothing, 1.0, found) if repetition else found


@described(
    "ndarray or int: The numbers; an int of Python if `exact`.",
    {"ValueError": "`exact` is true and a number is no integer."}, notes=_EXACT,
)
def perm(N, k, exact=False):
    """The number of sequences of `k` different things of `N`."""
    if exact:
        N, k = _exact_integers("perm", N, k)
        return 0 if k > N or N < 0 or k < 0 else math.perm(N, k)
    N, k = _double(N), _double(k)
    with np.errstate(all="ignore"):
        found = special("poch")(N - k + 1, k)
    return np.where((k <= N) & (N >= 0) & (k >= 0), found, np.zeros((), found.dtype))


_FACTORIAL = {"ValueError": "`extend` is unknown, does not allow the numbers, or excludes `exact`."}
_PRODUCTS = "ndarray or int: The products; with `exact` an int, or an array of int64."


def _checked(name, n, exact, extend):
    """The numbers as an array of real numbers, or as an int of Python if they are one."""
    if extend not in ("zero", "complex"):
        raise _refusal(ValueError, "choice",
                       f"argument `extend` must be either 'zero' or 'complex', received: {extend}")
    if exact and extend == "complex":
        raise _refusal(ValueError, "value",
                       "Incompatible options: `exact=True` and `extend='complex'`")
    if isinstance(n, int):
        return n
    n = np.asarray(n)
    if n.dtype.kind == "c":
        text = f"{name} of complex numbers is not supported"
        raise _refusal(ValueError, "value", text, f"use scipy.special.{name} on the host")
    if exact and n.size and n.dtype.kind not in "iu":
        raise _refusal(ValueError, "value",
                       f"`exact=True` only supports integers, cannot use data type {n.dtype}")
    return n


def _whole(n):
    """Refuses numbers that are no integers."""
    if not isinstance(n, int) and n.size and n.dtype.kind not in "iu":
        raise _refusal(ValueError, "value", "In order to use non-integer arguments, you must opt "
                       "into this by passing `extend='complex'`.")


def _product(n, k):
    return math.prod(range(n, 0, -k)) if n >= 0 else 0


def _exactly(n, k):
    """Products of integers: int64 as far as they fit."""
    if isinstance(n, int):
        return _product(n, k)
    import numpy

    integers = n.get()
    found = [_product(int(one), k) for one in integers.ravel()]
    if any(one > 2**63 - 1 for one in found):
        raise _refusal(OverflowError, "value", "a product does not fit an array of int64",
                       "use exact=False, or integers of Python one by one")
    found = np.asarray(numpy.array(found, "int64").reshape(integers.shape))
    return int(found) if found.ndim == 0 and integers.ndim == 0 else found


@described(_PRODUCTS, _FACTORIAL, notes=_EXACT)
def factorial(n, exact=False, extend="zero"):
    """The products of the integers from 1 to `n`: gamma(n + 1)."""
    n = _checked("factorial", n, exact, extend)
    if exact:
        return _exactly(n, 1)
    if isinstance(n, np.ndarray) and not n.size:
        # SciPy returns nothing in the dtype in which it is given.
        return n
    n = _double(n)
    found = special("gamma")(n + 1)
    if extend == "zero":
        return np.where(n < 0, 0.0, found)
    # No value at the poles, as in SciPy.
    return np.where(np.isinf(found) & (n == -1), np.nan, found)


@described(_PRODUCTS, _FACTORIAL, notes=_EXACT)
def factorial2(n, exact=False, extend="zero"):
    """The products of every second integer from `n` down."""
    return _steps("factorial2", n, 2, exact, extend)


@described(
    _PRODUCTS, {**_FACTORIAL, "TypeError": "`k` is no integer."}, notes=_EXACT,
)
def factorialk(n, k, exact=False, extend="zero"):
    """The products of every `k`-th integer from `n` down."""
    return _steps("factorialk", n, k, exact, extend)


def _steps(name, n, k, exact, extend):
    n = _checked(name, n, exact, extend)
    if extend == "zero":
        _whole(n)
        if not isinstance(k, int):
            k = np.asarray(k)
            if k.ndim or k.dtype.kind not in "iu":
                raise _refusal(ValueError, "value",
                               f"Unsupported data type for `k` in {name}: {k.dtype}")
            k = int(k)
        if k < 1:
            raise _refusal(ValueError, "value",
                           f"For `extend='zero'`, k must be a positive integer, received: {k}")
    if exact:
        return _exactly(n, k)
    if isinstance(n, np.ndarray) and not n.size:
        return n
    n = _double(n)
    gamma = special("gamma")
    if extend == "complex":
        # The same formula for all numbers, with the remainder 1.
        k = float(k)
        found = np.power(k, (n - 1) / k) * gamma(n / k + 1) / float(gamma(1 / k + 1))
        return np.where(np.isinf(found) & (n == -k), np.nan, found)
    rest = n - k * np.floor(n / k)
    with np.errstate(all="ignore"):
        found = gamma(n / k + 1) / gamma(rest / k + 1) * np.power(float(k), (n - rest) / k)
    found = np.rint(found * np.maximum(rest, 1.0))
    return np.where(n < 0, 0.0, np.where(n == 0, 1.0, found))


@described("ndarray: The values.", _REAL)
def assoc_laguerre(x, n, k=0.0):
    """The generalised Laguerre polynomial of degree `n` and parameter `k`."""
    return special("eval_genlaguerre")(n, k, _double(x))


@described(
    "(ndarray, ndarray): The values for the orders v - int(v) to v, and their derivatives.",
    {"ValueError": "An argument is no scalar, or the order is negative."},
    notes="Collective: every process calls it, because the arguments are read.",
)
def lmbda(v, x):
    """The Jahnke-Emden Lambda function gamma(v + 1) jv(v, x) / (x / 2)**v, and its derivative."""
    if np.ndim(v) or np.ndim(x):
        raise _refusal(ValueError, "value", "arguments must be scalars.")
    v, x = float(v), float(x)
    if v < 0:
        raise _refusal(ValueError, "value", "argument must be > 0.")
    # The function is even in x.
    half = abs(x) / 2
    orders = v - int(v) + np.arange(int(v) + 2, dtype="float64")
    values = np.ones(orders.shape)
    if half > 0:
        gamma, jv = special("gamma"), special("jv")
        values = gamma(orders + 1) * jv(orders, 2 * half) / np.power(half, orders)
    slopes = -x / (2 * (orders[:-1] + 1)) * values[1:]
    return values[:-1], slopes
