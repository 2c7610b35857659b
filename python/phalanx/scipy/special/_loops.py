"""Functions of real numbers that other functions of arrays make up: Hankel and Kelvin functions,
and functions that NumPy has."""

import math

import phalanx as np

from ... import _phalanx

_HANKEL = ["ff->F", "dd->D", "fF->F", "dD->D"]
_FRESNEL = ["f->FF", "d->DD"]


def native(name, *arrays):
    """The values of a native function of arrays of real numbers."""
    return _phalanx.special._call(name, list(arrays))


def complex_of(real, imaginary):
    """Complex numbers of their parts, which may be infinite."""
    dtype = "complex64" if real.dtype == "float32" else "complex128"
    made = np.empty(real.shape, dtype)
    made.real = real
    made.imag = imaginary
    return made


def _hankel(v, z, kind):
    """The real and imaginary parts of a Hankel function of any real argument."""
    size = np.abs(z)
    with np.errstate(all="ignore"):
        j, y = native("jv", v, size), native("yv", v, size)
        # DLMF 10.11.5 and 10.11.3, as SciPy: negative arguments are above the cut.
        cos, sin = _turned(v)
        if kind == 1:
            return (
                np.where(z < 0, y * sin - cos * j, j),
                np.where(z < 0, cos * y + sin * j, y),
            )
        return (
            np.where(z < 0, 3 * cos * j - sin * y, j),
            np.where(z < 0, sin * j - cos * y, -y),
        )


def _turned(v):
    """cos(pi v) and sin(pi v), exact for integers and halves."""
    r = v - 2 * np.rint(v / 2)
    cos = np.where(np.abs(r) == 0.5, 0.0, np.cos(math.pi * r))
    sin = np.where(np.abs(r) == 1, 0.0, np.sin(math.pi * r))
    return cos.astype(v.dtype), sin.astype(v.dtype)


def _hankel_loop(kind, is_scaled):
    def compute(v, z):
        # Products of parts in float32 would lose digits.
        wide = [v.astype("float64"), z.astype("float64")]
        result = complex_of(*_hankel(*wide, kind))
        if is_scaled:
            angle = wide[1] if kind == 2 else -wide[1]
            result = result * complex_of(np.cos(angle), np.sin(angle))
        return result.astype("complex64") if z.dtype == "float32" else result

    return compute


def _kelvin(x):
    pairs = ("ber", "bei"), ("ker", "kei"), ("berp", "beip"), ("kerp", "keip")
    return tuple(complex_of(native(one, x), native(other, x)) for one, other in pairs)


def _modified_fresnel(sign):
    """The integral F of exp(i sign t**2) and K of it; K(x) is w(x exp(i pi / 4)) / 2."""

    def compute(x):
        wide = x.astype("float64")
        part = wide * math.sqrt(0.5)
        k = complex_of(native("wofz_real", part, part), native("wofz_imag", part, part)) / 2
        angle = wide * wide + math.pi / 4
        f = k * complex_of(np.cos(angle), np.sin(angle)) * math.sqrt(math.pi)
        if sign < 0:
            k, f = k.conj(), f.conj()
        return (f.astype("complex64"), k.astype("complex64")) if x.dtype == "float32" else (f, k)

    return compute


def wofz(z):
    """The Faddeeva function."""
    real, imaginary = z.real, z.imag
    return complex_of(native("wofz_real", real, imaginary), native("wofz_imag", real, imaginary))


def _of_numpy(function):
    def compute(x):
        with np.errstate(all="ignore"):
            return function(x)

    return compute


def _softplus(x):
    with np.errstate(all="ignore"):
        return np.logaddexp(np.zeros((), x.dtype), x)


def _lpmv(m, v, x):
    """Associated Legendre functions by recurrence, if all degrees are integers; else SciPy's."""
    import numpy

    from . import _host, _legendre

    m, v = m.get(), v.get()
    is_whole = numpy.isfinite(m) & numpy.isfinite(v) & (m == numpy.rint(m)) & (v == numpy.rint(v))
    if not is_whole.all():
        return np.asarray(_host.call("lpmv", m, v, x), dtype=x.dtype)
    # DLMF 14.9.5: the degrees v and -v - 1 have the same functions.
    n = numpy.where(v < 0, -v - 1, v).astype("int64")
    found = _legendre.values(n, m.astype("int64"), x.astype("float64"))
    return np.where(np.asarray(m < -n), np.nan, found).astype(x.dtype)


# For each name the native functions that it needs, the computation for real numbers, and loops
# unlike SciPy's.
_COMPOSED = {
    "cbrt": ((), _of_numpy(np.cbrt), None),
    "exp2": ((), _of_numpy(np.exp2), None),
    "expm1": ((), _of_numpy(np.expm1), None),
    "log1p": ((), _of_numpy(np.log1p), None),
    "round": ((), np.rint, None),
    "softplus": ((), _softplus, None),
    "kelvin": (("ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip"), _kelvin,
               ["f->FFFF", "d->DDDD"]),
    "modfresnelp": (("wofz_real", "wofz_imag"), _modified_fresnel(1), _FRESNEL),
    "modfresnelm": (("wofz_real", "wofz_imag"), _modified_fresnel(-1), _FRESNEL),
    "hankel1": (("jv", "yv"), _hankel_loop(1, False), _HANKEL),
    "hankel1e": (("jv", "yv"), _hankel_loop(1, True), _HANKEL),
    "hankel2": (("jv", "yv"), _hankel_loop(2, False), _HANKEL),
    "hankel2e": (("jv", "yv"), _hankel_loop(2, True), _HANKEL),
}


# Where no native function is there.
OTHERWISE = {"lpmv": _lpmv}


def found(name, natives):
    """The computation of a function, and its loops if they are unlike SciPy's; None twice if it is
    not composed."""
    needs, compute, loops = _COMPOSED.get(name, ((), None, None))
    if compute is None or any(need not in natives for need in needs):
        return None, None
    return compute, loops
