"""Operations on numbers in kernels from Python: the dtypes of NumPy's functions and their C++."""

import functools as _functools
import math as _math
import re as _re

import numpy as _numpy

from .types import (
    BOOL, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, UINT64, _WEAK, convert, known_dtype,
    literal_dtype, promote, real_of, spelling,
)

# Functions of floats, and the name of each in C++.
_FLOAT = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "exp": "exp", "exp2": "exp2", "expm1": "expm1",
    "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p", "sqrt": "sqrt",
    "cbrt": "cbrt", "fabs": "fabs", "rint": "rint", "floor": "floor", "ceil": "ceil",
    "trunc": "trunc", "arctan2": "atan2", "hypot": "hypot", "copysign": "copysign",
    "nextafter": "nextafter", "fmin": "fmin", "fmax": "fmax", "rsqrt": "rsqrt", "erf": "erf",
    "erfc": "erfc", "tgamma": "tgamma", "lgamma": "lgamma",
}
# Those of them that complex numbers have.
_COMPLEX = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"}
_PREDICATES = {"isnan", "isinf", "isfinite", "signbit"}
_COMPARISONS = {
    "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==",
    "not_equal": "!=",
}
_LOGICAL = {"logical_and": "&&", "logical_or": "||", "logical_xor": "!="}
_BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
_ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*"}
_ALIASES = {
    "divide": "true_divide", "abs": "absolute", "acos": "arccos", "acosh": "arccosh",
    "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "pow": "power", "bitwise_not": "invert", "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "mod": "remainder",
    "conj": "conjugate", "rad2deg": "degrees", "deg2rad": "radians", "concat": "concat",
}
# Functions of whole numbers, too, in the mode of CUDA; all others compute with floats.
_KEEP = {
    *_ARITHMETIC, *_BITS, *_COMPARISONS, "floor_divide", "remainder", "power", "negative",
    "positive", "absolute", "sign", "square", "reciprocal", "minimum", "maximum", "fmin", "fmax",
    "fmod", "invert", "left_shift", "right_shift", "gcd", "lcm", "conjugate", "floor", "ceil",
    "trunc",
}
_INTEGERS_ONLY = {*_BITS, "invert", "left_shift", "right_shift", "gcd", "lcm"}
_OTHERS = {"true_divide", "logical_not", "degrees", "radians", "ldexp", "logaddexp", "heaviside"}
NAMES = {*_FLOAT, *_PREDICATES, *_LOGICAL, *_KEEP, *_OTHERS}
_BINARY = {
    *_ARITHMETIC, *_BITS, *_COMPARISONS, *_LOGICAL, "floor_divide", "remainder", "power",
    "minimum", "maximum", "fmin", "fmax", "fmod", "left_shift", "right_shift", "gcd", "lcm",
    "arctan2", "hypot", "copysign", "nextafter", "true_divide", "ldexp", "logaddexp", "heaviside",
}


def known_name(name):
    """The name under which an operation is known here; None if it is not."""
    name = _ALIASES.get(name, name)
    return name if name in NAMES else None


def arity(name):
    """The number of operands."""
    return 2 if name in _BINARY else 1


@_functools.lru_cache(maxsize=4096)
def resolve(mode, name, operands):
    """The dtypes in which an operation takes its operands, and the dtype of its result. Raises a
    TypeError if no such operation is defined."""
    if name in _LOGICAL or name == "logical_not":
        return (BOOL,) * len(operands), BOOL
    numpys = getattr(_numpy, name, None)
    if mode == "numpy" and isinstance(numpys, _numpy.ufunc):
        return _resolve_as_numpy(numpys, operands)
    if mode == "numpy" and all(one in _WEAK for one in operands):
        operands = tuple(literal_dtype(mode, _WEAK[one]) for one in operands)
    common = promote(mode, *operands)
    if name in _COMPARISONS:
        return _resolve_comparison(operands, common), BOOL
    if common.kind == "b" and name in ("subtract", "negative", "positive", "sign"):
        raise TypeError(f"{name} is not defined for truth values")
    if name not in _KEEP and common.kind in "biu":
        common = FLOAT64
    if name == "ldexp":
        return (FLOAT64 if operands[0].kind in "biu" else operands[0], INT32), common
    if common.kind in "fc" and name in _INTEGERS_ONLY:
        raise TypeError(f"{name} is defined for integers only")
    result = BOOL if name in _PREDICATES else common
    return (common,) * len(operands), real_of(common) if name == "absolute" else result


def _resolve_as_numpy(function, operands):
    if all(one in _WEAK for one in operands):
        operands = tuple(literal_dtype("numpy", _WEAK[one]) for one in operands)
    dtypes = [known_dtype(one) for one in function.resolve_dtypes((*operands, None))]
    if any(one is None for one in dtypes):
        raise TypeError(f"{function.__name__} has no result that kernels can hold")
    return tuple(dtypes[:-1]), dtypes[-1]


def _resolve_comparison(operands, common):
    """Comparisons of signed with unsigned integers are exact, in both modes."""
    if {one.name for one in operands if one not in _WEAK} == {"int64", "uint64"}:
        return operands
    return (common,) * len(operands)


def spell(uses, mode, name, dtypes, result, codes):
    """The C++ of an operation on operands that have its dtypes. ``uses`` collects the functions
    that the text calls. Raises a TypeError if the operation is not there for the dtypes."""
    dtype = dtypes[0]
    if dtype == FLOAT16:
        if name == "nextafter":
            raise TypeError("it is not there for float16 in kernels")
        codes = [
            f"(float){code}" if one == FLOAT16 else code for code, one in zip(codes, dtypes)
        ]
        code = _spell(uses, mode, name, FLOAT32, result, codes)
        return f"half({code})" if result == FLOAT16 else code
    if name in _COMPARISONS and len(set(dtypes)) == 2:
        return _compare_mixed(uses, name, dtypes, codes)
    return _spell(uses, mode, name, dtype, result, codes)


def _spell(uses, mode, name, dtype, result, codes):
    if name in _ARITHMETIC:
        return _arithmetic(name, dtype, codes)
    if name in _COMPARISONS:
        return f"({codes[0]} {_COMPARISONS[name]} {codes[1]})"
    if name in _LOGICAL:
        return f"({codes[0]} {_LOGICAL[name]} {codes[1]})"
    if name in _BITS:
        return _narrow(f"({codes[0]} {_BITS[name]} {codes[1]})", dtype)
    special = globals().get(f"_spell_{name}")
    if special is not None:
        return special(uses, mode, dtype, codes)
    if name in _PREDICATES:
        return _predicate(name, dtype, codes[0])
    if dtype.kind in "biu" and name in ("floor", "ceil", "trunc"):
        return codes[0]
    if dtype.kind in "biu" and name in ("fmin", "fmax"):
        name = "minimum" if name == "fmin" else "maximum"
        return globals()[f"_spell_{name}"](uses, mode, dtype, codes)
    if dtype.kind == "c" and name not in _COMPLEX:
        raise TypeError(f"{name} is not there for complex numbers in kernels")
    return f"{_FLOAT[name]}({', '.join(codes)})"


def _narrow(code, dtype):
    """C++ computes with int; a small integer wraps around as NumPy's does."""
    small = dtype.kind in "iu" and dtype.itemsize < 4
    return f"(({spelling(dtype)}){code})" if small or dtype.kind == "b" else code


def _arithmetic(name, dtype, codes):
    if dtype.kind == "b":
        sign = {"add": "||", "multiply": "&&"}.get(name)
        if sign is None:
            raise TypeError("truth values have no difference: compare them with != or ^")
        return f"({codes[0]} {sign} {codes[1]})"
    return _narrow(f"({codes[0]} {_ARITHMETIC[name]} {codes[1]})", dtype)


def _predicate(name, dtype, code):
    if dtype.kind in "biu":
        if name == "signbit" and dtype.kind == "i":
            return f"({code} < 0)"
        return "true" if name == "isfinite" else "false"
    if dtype.kind == "c":
        joint = "&&" if name == "isfinite" else "||"
        return f"({name}(real({code})) {joint} {name}(imag({code})))"
    return f"((bool){name}({code}))"


def _helper(uses, name, dtype, codes, text):
    """A call of a function that is written before the kernel. In its text ``T`` is the type and
    ``U`` the unsigned type of the same width; it begins after the names of the parameters."""
    function = f"{name}_{dtype.name}"
    unsigned = spelling(_numpy.dtype(f"u{dtype.name}")) if dtype.kind == "i" else spelling(dtype)
    words = {"T": spelling(dtype), "U": unsigned}
    text = _re.sub(r"\b[TU]\b", lambda found: words[found[0]], text)
    parameters = ", ".join(f"{words['T']} {one}" for one in "abc"[: len(codes)])
    head = f"static __device__ inline {spelling(dtype)} {function}({parameters})"
    uses.function(function, f"{head} {{\n{text}\n}}")
    return f"{function}({', '.join(codes)})"


def _spell_true_divide(uses, mode, dtype, codes):
    return f"({codes[0]} / {codes[1]})"


def _spell_negative(uses, mode, dtype, codes):
    if dtype.kind == "b":
        raise TypeError("truth values have no negative: use `not`")
    return _narrow(f"(-{codes[0]})", dtype)


def _spell_positive(uses, mode, dtype, codes):
    return codes[0]


def _spell_logical_not(uses, mode, dtype, codes):
    return f"(!{codes[0]})"


def _spell_invert(uses, mode, dtype, codes):
    return f"(!{codes[0]})" if dtype.kind == "b" else _narrow(f"(~{codes[0]})", dtype)


def _spell_absolute(uses, mode, dtype, codes):
    if dtype.kind in "bu":
        return codes[0]
    if dtype.kind == "i":
        return _helper(uses, "absolute", dtype, codes, "    return a < 0 ? (T)(-a) : a;")
    return f"{'fabs' if dtype.kind == 'f' else 'abs'}({codes[0]})"


def _spell_sign(uses, mode, dtype, codes):
    if dtype.kind == "c":
        raise TypeError("sign is not there for complex numbers in kernels")
    if dtype.kind in "iu":
        return _helper(uses, "sign", dtype, codes, "    return (T)((a > 0) - (a < 0));")
    text = "    return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a;"
    return _helper(uses, "sign", dtype, codes, text)


def _spell_square(uses, mode, dtype, codes):
    if _re.fullmatch(r"\w+", codes[0]):
        return _narrow(f"({codes[0]} * {codes[0]})", dtype)
    return _helper(uses, "square", dtype, codes, "    return (T)(a * a);")


def _spell_reciprocal(uses, mode, dtype, codes):
    if dtype.kind in "iu":
        minus = " || a == (T)-1" if dtype.kind == "i" else ""
        text = f"    return a == (T)1{minus} ? a : (T)0;"
        return _helper(uses, "reciprocal", dtype, codes, text)
    return f"({convert('1.0', FLOAT64, dtype)} / {codes[0]})"


def _spell_conjugate(uses, mode, dtype, codes):
    return f"conj({codes[0]})" if dtype.kind == "c" else codes[0]


def _nan_first(uses, name, dtype, codes, sign):
    """NumPy's minimum and maximum: NaN if an operand is NaN."""
    if dtype.kind == "c":
        raise TypeError(f"{name} is not there for complex numbers in kernels")
    guard = "a != a || " if dtype.kind == "f" else ""
    return _helper(uses, name, dtype, codes, f"    return {guard}a {sign} b ? a : b;")


def _spell_minimum(uses, mode, dtype, codes):
    return _nan_first(uses, "minimum", dtype, codes, "<=")


def _spell_maximum(uses, mode, dtype, codes):
    return _nan_first(uses, "maximum", dtype, codes, ">=")


def extreme(uses, dtype, codes, sign):
    """Python's ``min`` and ``max``: the later operand only if it is beyond the earlier one."""
    if dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    if dtype == FLOAT16:
        inner = extreme(uses, FLOAT32, [f"(float){code}" for code in codes], sign)
        return f"half({inner})"
    name = "smaller" if sign == "<" else "larger"
    return _helper(uses, name, dtype, codes, f"    return b {sign} a ? b : a;")


# Division of integers rounds down, and the remainder has the sign of the divisor. A divisor of
# zero gives zero, as in NumPy; -1 is a case of its own because the least number has no negative.
_FLOOR_DIVIDE = """\
    if (b == 0) return (T)0;
    if (b == (T)-1) return (T)(0 - (U)a);
    T quotient = (T)(a / b);
    return (T)(quotient - (quotient * b != a && (a < 0) != (b < 0) ? 1 : 0));"""
_REMAINDER = """\
    if (b == 0 || b == (T)-1) return (T)0;
    T rest = (T)(a % b);
    return (T)(rest + (rest != 0 && (rest < 0) != (b < 0) ? b : (T)0));"""

# The quotient of floats is found from the exact remainder, so that a == b * (a // b) + a % b holds
# as closely as in NumPy.
_FLOOR_DIVIDE_FLOATS = """\
    if (b == 0) return a / b;
    T rest = fmod(a, b);
    T quotient = (a - rest) / b;
    quotient = quotient - (rest != 0 && (rest < 0) != (b < 0) ? (T)1 : (T)0);
    if (quotient == 0) return copysign((T)0, a / b);
    T whole = floor(quotient);
    return whole + (quotient - whole > (T)0.5 ? (T)1 : (T)0);"""
_REMAINDER_FLOATS = """\
    T rest = fmod(a, b);
    if (b == 0) return rest;
    if (rest == 0) return copysign((T)0, b);
    return rest + ((rest < 0) != (b < 0) ? b : (T)0);"""


def _divide_whole(uses, name, dtype, codes, signed, unsigned, floats):
    if dtype.kind == "c":
        raise TypeError(f"{name} is not defined for complex numbers")
    if dtype.kind == "b":
        raise TypeError(f"{name} is not there for truth values in kernels")
    text = {"i": signed, "u": unsigned, "f": floats}[dtype.kind]
    return _helper(uses, name, dtype, codes, text)


def _spell_floor_divide(uses, mode, dtype, codes):
    unsigned = "    return b == 0 ? (T)0 : (T)(a / b);"
    texts = (_FLOOR_DIVIDE, unsigned, _FLOOR_DIVIDE_FLOATS)
    return _divide_whole(uses, "floor_divide", dtype, codes, *texts)


def _spell_remainder(uses, mode, dtype, codes):
    unsigned = "    return b == 0 ? (T)0 : (T)(a % b);"
    return _divide_whole(
        uses, "remainder", dtype, codes, _REMAINDER, unsigned, _REMAINDER_FLOATS
    )


def _spell_fmod(uses, mode, dtype, codes):
    if dtype.kind == "f":
        return f"fmod({', '.join(codes)})"
    minus = " || b == (T)-1" if dtype.kind == "i" else ""
    text = f"    return b == 0{minus} ? (T)0 : (T)(a % b);"
    return _divide_whole(uses, "fmod", dtype, codes, text, text, "")


_POWER = """\
    if (b < 0) return a == (T)1 ? (T)1 : a == (T)-1 ? (b % 2 == 0 ? (T)1 : (T)-1) : (T)0;
    U result = 1;
    U factor = (U)a;
    while (b > 0) {
        if (b % 2 == 1) result = (U)(result * factor);
        factor = (U)(factor * factor);
        b = (T)(b / 2);
    }
    return (T)result;"""


def _spell_power(uses, mode, dtype, codes):
    if dtype.kind == "b":
        raise TypeError("powers of truth values are not there in kernels")
    if dtype.kind in "fc":
        if codes[1] in ("2.0", "2.0f"):
            return _spell_square(uses, mode, dtype, codes[:1])
        return f"pow({', '.join(codes)})"
    digits = _re.sub(r"[uLl]|\(\([a-z ]+\)|\)", "", codes[1])
    if digits in ("1", "2", "3", "4"):
        return _small_power(uses, dtype, codes[0], int(digits))
    return _helper(uses, "power", dtype, codes, _POWER)


def _small_power(uses, dtype, code, exponent):
    if exponent == 1:
        return code
    if exponent == 2:
        return _spell_square(uses, "", dtype, [code])
    product = " * ".join("a" * exponent)
    return _helper(uses, f"power{exponent}", dtype, [code], f"    return (T)({product});")


def _shift(uses, mode, name, dtype, codes, sign, beyond):
    """A shift by the width or more is not defined in C++; NumPy has shifted all bits out."""
    width = dtype.itemsize * 8
    known = _re.fullmatch(r"(?:\(\([a-z ]+\))?(\d+)[uLl]*\)?", codes[1])
    if mode == "cuda" or (known and int(known[1]) < width):
        return _narrow(f"({codes[0]} {sign} {codes[1]})", dtype)
    text = f"    return (U)b < (U){width} ? (T)(a {sign} b) : (T){beyond};"
    return _helper(uses, name, dtype, codes, text)


def _spell_left_shift(uses, mode, dtype, codes):
    return _shift(uses, mode, "left_shift", dtype, codes, "<<", "0")


def _spell_right_shift(uses, mode, dtype, codes):
    beyond = "(a < 0 ? -1 : 0)" if dtype.kind == "i" else "0"
    return _shift(uses, mode, "right_shift", dtype, codes, ">>", beyond)


def _spell_degrees(uses, mode, dtype, codes):
    return f"({codes[0]} * {convert(repr(180 / _math.pi), FLOAT64, dtype)})"


def _spell_radians(uses, mode, dtype, codes):
    return f"({codes[0]} * {convert(repr(_math.pi / 180), FLOAT64, dtype)})"


def _spell_ldexp(uses, mode, dtype, codes):
    return f"ldexp({codes[0]}, (int){codes[1]})"


def _spell_logaddexp(uses, mode, dtype, codes):
    text = """\
    if (a == b) return a + (T)0.6931471805599453;
    T apart = a - b;
    return apart > 0 ? a + log1p(exp(-apart)) : apart <= 0 ? b + log1p(exp(apart)) : apart;"""
    return _helper(uses, "logaddexp", dtype, codes, text)


def _spell_heaviside(uses, mode, dtype, codes):
    text = "    return a != a ? a : a < 0 ? (T)0 : a > 0 ? (T)1 : b;"
    return _helper(uses, "heaviside", dtype, codes, text)


# The least integer has a size as an unsigned one only.
_SIZES = """\
    U x = a < 0 ? (U)(0 - (U)a) : (U)a;
    U y = b < 0 ? (U)(0 - (U)b) : (U)b;"""
_GCD = f"""\
{_SIZES}
    while (y != 0) {{
        U rest = (U)(x % y);
        x = y;
        y = rest;
    }}
    return (T)x;"""


def _spell_gcd(uses, mode, dtype, codes):
    return _helper(uses, "gcd", dtype, codes, _GCD)


def _spell_lcm(uses, mode, dtype, codes):
    _spell_gcd(uses, mode, dtype, ["0", "0"])
    text = f"""\
    U both = (U)gcd_{dtype.name}(a, b);
{_SIZES}
    return both == 0 ? (T)0 : (T)(x / both * y);"""
    return _helper(uses, "lcm", dtype, codes, text)


def _compare_mixed(uses, name, dtypes, codes):
    """A signed and an unsigned integer of 64 bits, which have no common type."""
    function = "order_of_signed_and_unsigned"
    uses.function(function, f"""\
static __device__ inline int {function}(long long a, unsigned long long b) {{
    if (a < 0) return -1;
    return (unsigned long long)a < b ? -1 : (unsigned long long)a > b ? 1 : 0;
}}""")
    if dtypes[0] == INT64:
        return f"({function}({codes[0]}, {codes[1]}) {_COMPARISONS[name]} 0)"
    assert dtypes[0] == UINT64
    return f"(0 {_COMPARISONS[name]} {function}({codes[1]}, {codes[0]}))"
