"""Special functions: operands of ufuncs and parameters of ``scipy.special``."""

import numpy
import scipy.special

from . import special_domains
from .drawing import Array

EXACT = set()
COARSE = None
# SciPy's function has a name for its argument, and ours is a ufunc.
SIGNATURES = {"softplus": "x, /"}
LEFT_OUT = {}
ARRAYS = {"dtypes": ["float64", "float64", "float32", "int32"], "least": 0, "most": 2,
          "longest": 9, "rare": ["float16", "int64", "uint8", "int8", "bool"]}

# Functions with complex numbers that are computed on devices.
COMPLEX = ("dawsn digamma erf erfc erfcx erfi exp1 expi expm1 fresnel gamma gammaln log1p loggamma "
           "psi rgamma shichi sici spence wofz xlog1py xlogy").split()
# Functions whose first operands are orders.
ORDERS = ("eval_ expn jn kn yn mathieu obl_ pro_ bdtr nbdtr pdtr smirnov jv yv iv kv hankel pbdv "
          "pbvv pbwa struve modstruve jve yve ive kve binom stdtr").split()


# Distributions and their inverses: with each other's results, or beyond their domains, SciPy
# returns NaN, infinities or bounds of its searches.
INNER = ("bdtr btdtr chdtr chndtr fdtr gdtr nbdtr ncf nct nrd pdtr stdtr betainc gammainc beta_ "
         "smirnov kolmog tklmbda owens").split()


# Functions whose parameters are positive, or whose values at poles have either sign.
POSITIVE = ("eval_jacobi", "eval_gegenbauer", "eval_sh_jacobi", "eval_genlaguerre", "eval_chebys",
            "eval_laguerre", "besselpoly", "yve", "hyperu", "elliprc", "it2i0k0", "it2j0y0",
            "modfresnel")


def operand(place):
    def drawn(d):
        """Numbers that broadcast with those before."""
        if place == 0:
            d.shared = d.shape(0, 2)
        kept = d.whole(0, len(d.shared)) if d.often(0.3) else 0
        shape = [1 if d.often(0.15) else extent for extent in d.shared[kept:]]
        if shape and d.often(0.03):
            shape[0] += 1
        if d.often(0.15):
            return d.one([1, 2.0, 0.5, 3, True if d.often(0.1) else 1.5])
        return d.laid(numbers(d, shape, place))
    return drawn


def numbers(d, shape, place):
    dtype = d.dtype()
    if d.function in COMPLEX and d.often(0.3):
        made = d.chance.uniform(-3, 3, shape) + 1j * d.chance.uniform(-3, 3, shape)
        return numpy.round(made, 2).astype(d.one(["complex64", "complex128"]))
    if place == 0 and d.function.startswith(tuple(ORDERS)) and d.often(0.8):
        return d.chance.integers(0, 6, shape).astype(d.one(["int32", "float64", "int64"]))
    if d.function.startswith(tuple(INNER)):
        dtype = dtype if "float" in dtype else "float64"
        return numpy.round(d.chance.uniform(0.05, 0.95, shape), 2).astype(dtype)
    if "int" in dtype or dtype == "bool":
        if d.function.startswith(POSITIVE):
            return d.chance.integers(1, 6, shape).astype("int32")
        return d.chance.integers(0, 2 if dtype == "bool" else 6, shape).astype(dtype)
    if d.function.startswith(("obl_", "pro_", "mathieu")):
        # Degrees are at least orders; prolate radial functions are for numbers above 1.
        if place == 1 and d.function[:3] in ("obl", "pro"):
            return d.chance.integers(6, 9, shape).astype(d.one(["int32", "float64"]))
        low, high = (1.1, 3) if d.function.startswith("pro_rad") else (0.1, 0.9)
        return numpy.round(d.chance.uniform(low, high, shape), 2).astype(
            dtype if "float" in dtype else "float64")
    if d.function.startswith(POSITIVE):
        return numpy.round(d.chance.uniform(0.1, 4, shape), 2).astype(dtype)
    low, high = d.one([(0.05, 0.95), (0.1, 4), (-3, 3)])
    made = numpy.round(d.chance.uniform(low, high, shape), 2).astype(dtype)
    # With several arguments, what NaN and infinities give depends on SciPy's order of tests, and
    # SciPy does not return from some hypergeometric functions of infinity.
    if d.often(0.1) and getattr(getattr(scipy.special, d.function), "nin", 2) == 1:
        made = numpy.where(d.chance.random(shape) < 0.3, d.chance.choice(
            [0.0, 1.0, numpy.inf, -numpy.inf, numpy.nan], shape), made).astype(dtype)
    return made


def values(d):
    return d.array(d.shape(0, 3))


def whole(d):
    return d.one([0, 1, 2, 3, Array(numpy.arange(4)), 1.5 if d.often(0.1) else 5])


PARAMETERS = {
    **{f"x{place}": operand(place) for place in range(7)},
    "x": lambda d: Array(numbers(d, d.shape(0, 2), 1)),
    "z": lambda d: Array(numbers(d, d.shape(0, 2), 1)),
    "q": lambda d: Array(numbers(d, (), 1)),
    "a": values,
    "b": lambda d: d.one([None, 2.0, Array(numpy.round(d.chance.normal(size=d.first.shape), 1))]),
    "axis": lambda d: d.one([None, d.axis(), d.axis(), d.axes()]),
    "keepdims": lambda d: d.often(0.5), "return_sign": lambda d: d.often(0.5),
    "n": lambda d: d.whole(0, 4), "k": lambda d: d.whole(0, 3), "N": whole, "v": lambda d: d.one(
        [0, 1, 2.5, 0.5]),
    "exact": lambda d: False, "repetition": lambda d: d.often(0.5),
    "extend": lambda d: d.one(["zero", "zero", "complex", "none"]),
    "tol": lambda d: 1e-8, "d": lambda d: d.one([1, 2, 3]), "out": lambda d: None,
    "derivative": lambda d: d.often(0.5),
}
OWN = {
    **special_domains.strategies(),
    "lmbda": {"x": lambda d: d.one([0.5, 1.5, 3])},
    "softmax": {"x": lambda d: d.array(d.shape(1, 3), ["float64", "float32", "int32"])},
    "spherical_yn": {"z": lambda d: Array(numpy.round(d.chance.uniform(0.1, 4, d.shape(0, 2)), 2))},
    "factorial": {"n": lambda d: d.array(d.shape(0, 2), ["int32", "float64"])},
    "factorial2": {"n": lambda d: d.array(d.shape(0, 2), ["int32", "int64"])},
    "factorialk": {"n": lambda d: d.array(d.shape(0, 2), ["int32", "int64"]),
                   "k": lambda d: d.whole(1, 3)},
    "comb": {"k": whole}, "perm": {"k": whole},
    "zeta": {"q": lambda d: d.one([None, 1.5, 2])},
    "log_softmax": {"x": lambda d: d.array(d.shape(1, 3), ["float64", "float32", "int32"])},
    "multigammaln": {"a": lambda d: Array(numpy.round(d.chance.uniform(1.1, 5, d.shape(0, 2)), 2))},
    "polygamma": {"n": lambda d: d.one([0, 1, 2, Array(numpy.arange(3))])},
    "diric": {"n": lambda d: d.one([1, 2, 5, 7, 0 if d.often(0.1) else 4])},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    # SciPy's values of these have four digits.
    return 2**39 if name == "itairy" else 2**22


def excuse(name, values, found, expected):
    """Whether a search of SciPy's is the less exact one."""
    return special_domains.is_solution(name, values, found, expected)
