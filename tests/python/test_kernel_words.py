"""Packed words, constants, types and vectors in texts of kernels: against Python's integers."""

import math

import numpy
import pytest

import phalanx as np

from .conftest import on_parsed_texts

RNG = numpy.random.default_rng(29)
EDGES = [0, 1, 0x7FFF7FFF, 0x80008000, 0xFFFFFFFF, 0x00FF00FF, 0x80000001, 0x7F80FF01, 0x01020304]
WORDS = numpy.concatenate([RNG.integers(0, 2**32, 150, "u4"), numpy.array(EDGES, "u4")])


def run(text, *arrays, out="uint32 z"):
    inputs = ", ".join(f"{a.dtype} {name}" for a, name in zip(arrays, "xyw"))
    return np.ElementwiseKernel(inputs, out, text, "test")(*map(np.array, arrays)).get()


def parts(word, bits, is_signed):
    """The parts of a word, the lowest first."""
    found = [int(word) >> bits * at & (1 << bits) - 1 for at in range(32 // bits)]
    return [part - (1 << bits) if is_signed and part >> bits - 1 else part for part in found]


def packed(values, bits):
    return sum((value & (1 << bits) - 1) << bits * at for at, value in enumerate(values))


def limited(value, bits, is_signed):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(value, low), high)


def away(total):
    """Half of a sum, halves rounded away from zero."""
    return (abs(total) + 1) // 2 * (1 if total >= 0 else -1)


PLAIN = {
    "add": (False, lambda a, b: a + b), "sub": (False, lambda a, b: a - b),
    "absdiffs": (True, lambda a, b: abs(a - b)), "absdiffu": (False, lambda a, b: abs(a - b)),
    "avgs": (True, lambda a, b: away(a + b)), "avgu": (False, lambda a, b: away(a + b)),
    "haddu": (False, lambda a, b: a + b >> 1), "maxs": (True, max), "maxu": (False, max),
    "mins": (True, min), "minu": (False, min), "abs": (True, abs), "neg": (True, lambda a: -a),
}
LIMITED = {
    "addss": (True, lambda a, b: a + b), "addus": (False, lambda a, b: a + b),
    "subss": (True, lambda a, b: a - b), "subus": (False, lambda a, b: a - b),
    "absss": (True, abs), "negss": (True, lambda a: -a),
}
ORDERS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "ge": lambda a, b: a >= b,
          "gt": lambda a, b: a > b, "le": lambda a, b: a <= b, "lt": lambda a, b: a < b}


@pytest.mark.parametrize("bits", [8, 16])
def test_packed_words(bits):
    other = numpy.roll(WORDS, 5)
    pairs = list(zip(WORDS.tolist(), other.tolist()))
    count = 32 // bits

    def check(name, expected):
        one = name in ("abs", "neg", "absss", "negss")
        found = run(f"z = __v{name}{count}({'x' if one else 'x, y'})", WORDS, other)
        numpy.testing.assert_array_equal(found, numpy.array(expected, "u4"), err_msg=name)

    for table, end in ((PLAIN, lambda value, _: value),
                       (LIMITED, lambda value, is_signed: limited(value, bits, is_signed))):
        for name, (is_signed, function) in table.items():
            takes = function.__code__.co_argcount if hasattr(function, "__code__") else (
                1 if function is abs else 2)
            expected = []
            for pair in pairs:
                lanes = zip(*(parts(word, bits, is_signed) for word in pair[:takes]))
                expected.append(packed([end(function(*lane), is_signed) for lane in lanes], bits))
            check(name, expected)
    for name, function in ORDERS.items():
        for sign in ("",) if name in ("eq", "ne") else ("s", "u"):
            truths = [[function(a, b) for a, b in zip(parts(p, bits, sign == "s"),
                                                      parts(q, bits, sign == "s"))]
                      for p, q in pairs]
            check(f"set{name}{sign}", [packed(map(int, lanes), bits) for lanes in truths])
            check(f"cmp{name}{sign}",
                  [packed([-int(is_) for is_ in lanes], bits) for lanes in truths])
    for sign in "su":
        check(f"sad{sign}", [sum(abs(a - b) for a, b in zip(parts(p, bits, sign == "s"),
                                                            parts(q, bits, sign == "s")))
                             for p, q in pairs])


def test_dot_products_of_parts():
    other, third = numpy.roll(WORDS, 5), numpy.roll(WORDS, 11)
    for kind in ("u4", "i4"):
        x, y, w = (one.view(kind) for one in (WORDS, other, third))
        is_signed = kind == "i4"
        out = "int32 z" if is_signed else "uint32 z"
        for name, first in (("lo", 0), ("hi", 2)):
            exact = [
                sum(a * b for a, b in zip(parts(p, 16, is_signed), parts(q, 8, is_signed)[first:]))
                + int(c) for p, q, c in zip(WORDS, other, w)]
            expected = numpy.array([value % 2**32 for value in exact], "u4").view(kind)
            found = run(f"z = __dp2a_{name}(x, y, w)", x, y, w, out=out)
            numpy.testing.assert_array_equal(found, expected, err_msg=name)
        exact = [sum(a * b for a, b in zip(parts(p, 8, is_signed), parts(q, 8, is_signed))) + int(c)
                 for p, q, c in zip(WORDS, other, w)]
        expected = numpy.array([value % 2**32 for value in exact], "u4").view(kind)
        numpy.testing.assert_array_equal(run("z = __dp4a(x, y, w)", x, y, w, out=out), expected)


def test_words_have_the_types_of_the_parameters():
    # The result is an unsigned int, also where the arguments are signed or longer.
    x = WORDS.view("i4").astype("i8")
    found = run("z = __vadd2(x, 0) / 2", x, out="int64 z")
    numpy.testing.assert_array_equal(found, WORDS // 2)
    found = run("z = (false ? __vabs4(x) : -1) > 0", x, out="bool z")
    assert found.all()


CONSTANTS = {
    "CHAR_BIT": 8, "CHAR_MIN": -(2**7), "CHAR_MAX": 2**7 - 1, "SCHAR_MIN": -(2**7),
    "SCHAR_MAX": 2**7 - 1, "UCHAR_MAX": 2**8 - 1, "SHRT_MIN": -(2**15), "SHRT_MAX": 2**15 - 1,
    "USHRT_MAX": 2**16 - 1, "INT_MIN": -(2**31), "INT_MAX": 2**31 - 1, "UINT_MAX": 2**32 - 1,
    "LONG_MIN": -(2**63), "LONG_MAX": 2**63 - 1, "ULONG_MAX": 2**64 - 1, "LLONG_MIN": -(2**63),
    "LLONG_MAX": 2**63 - 1, "ULLONG_MAX": 2**64 - 1, "INT8_MIN": -(2**7), "UINT8_MAX": 2**8 - 1,
    "INT16_MAX": 2**15 - 1, "UINT16_MAX": 2**16 - 1, "INT32_MIN": -(2**31), "UINT32_MAX": 2**32 - 1,
    "INT64_MAX": 2**63 - 1, "UINT64_MAX": 2**64 - 1, "SIZE_MAX": 2**64 - 1,
}


def test_constants_of_integers():
    one = numpy.zeros(1, "u8")
    for name, value in CONSTANTS.items():
        assert int(run(f"z = {name}", one, out="uint64 z")[0]) == value % 2**64, name
        # Those that an int holds are of this type.
        is_int = -(2**31) <= value < 2**31
        assert run(f"z = {name} - {name} - 1 < 0", one, out="bool z")[0] == (
            is_int or name in ("LONG_MIN", "LONG_MAX", "LLONG_MIN", "LLONG_MAX", "INT64_MAX")), name


def test_constants_of_floats():
    for kind, prefix in (("f4", "FLT"), ("f8", "DBL")):
        info, zero = numpy.finfo(kind), numpy.zeros(1, kind)
        out = "float32 z" if kind == "f4" else "float64 z"
        for name, value in {"MAX": info.max, "MIN": info.tiny, "EPSILON": info.eps,
                            "TRUE_MIN": info.smallest_subnormal}.items():
            assert run(f"z = {prefix}_{name}", zero, out=out)[0] == value, name
        digits = 24 if kind == "f4" else 53
        for name, value in {
            "DIG": info.precision, "MANT_DIG": digits, "MIN_EXP": int(info.minexp) + 1,
            "MAX_EXP": int(info.maxexp), "MAX_10_EXP": math.floor(math.log10(float(info.max))),
            "MIN_10_EXP": math.ceil(math.log10(float(info.tiny))),
            "DECIMAL_DIG": 9 if kind == "f4" else 17,
        }.items():
            assert run(f"z = {prefix}_{name}", zero, out="int32 z")[0] == value, name
    for name, value in {"CUDART_L2T": math.log2(10), "CUDART_LG2": math.log10(2),
                        "CUDART_THIRD_F": 1 / 3, "CUDART_LN2_F": math.log(2), "FLT_RADIX": 2,
                        "CUDART_3PIO4_F": 0.75 * math.pi}.items():
        found = run(f"z = {name}", numpy.zeros(1), out="float64 z")
        numpy.testing.assert_allclose(found, [value], rtol=1e-7)


def test_names_of_types():
    x = numpy.array([-1, 2**40 + 300, 70000], "i8")
    for name, dtype in {"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8",
                        "longlong": "i8", "ulonglong": "u8", "char": "i1", "short": "i2"}.items():
        expected = x.astype(dtype)
        for text in (f"z = ({name})x", f"{name} t = x; z = t", f"z = static_cast<{name}>(x)"):
            numpy.testing.assert_array_equal(run(text, x, out=f"{expected.dtype} z"), expected)
    # A parameter has the name of a dtype, and `uint` is NumPy's there.
    kernel = np.ElementwiseKernel("uint x", "uint y", "y = x + 1u")
    assert kernel(np.array([2**40], "u8")).get()[0] == 2**40 + 1


def test_lengths_of_vectors():
    x, y = RNG.standard_normal(50), RNG.standard_normal(50)
    length = numpy.sqrt(x * x + y * y + 4)
    text = "double v[3] = {x, y, 2}; z = "
    for call, expected, out in (
        ("norm(3, v)", length, "float64 z"), ("rnorm(3, v)", 1 / length, "float64 z"),
        ("norm(2, v)", numpy.hypot(x, y), "float64 z"), ("norm(1, v)", abs(x), "float64 z"),
        ("norm(0, v)", x * 0, "float64 z"), ("norm(2, &v[1])", numpy.hypot(y, 2), "float64 z"),
        ("normf(3, v)", length, "float32 z"), ("rnormf(2, v)", 1 / numpy.hypot(x, y), "float32 z"),
    ):
        tolerance = 1e-14 if out == "float64 z" else 1e-6
        numpy.testing.assert_allclose(run(text + call, x, y, out=out), expected, rtol=tolerance)
    large = run("double v[2] = {x, x}; z = norm(2, v)", numpy.array([1e300]), out="float64 z")
    numpy.testing.assert_allclose(large, math.sqrt(2) * 1e300)
    rows = RNG.standard_normal((20, 3))
    lengths = np.ElementwiseKernel("raw T v", "T z", "z = norm(3, &v[3 * i])")
    found = lengths(np.array(rows), size=20).get()
    numpy.testing.assert_allclose(found, numpy.linalg.norm(rows, axis=1), rtol=1e-14)
    whole = np.ElementwiseKernel("raw T v, T x", "T z", "z = x * rnorm(4, v)")
    numpy.testing.assert_allclose(whole(np.array(rows.ravel()), np.array(x)).get(),
                                  x / numpy.linalg.norm(rows.ravel()[:4]), rtol=1e-14)
    # Of a complex number, `norm` is the square of its size.
    numpy.testing.assert_allclose(run("z = norm(complex<double>(x, y))", x, y, out="float64 z"),
                                  x * x + y * y, rtol=1e-14)


def test_functions_of_known_numbers_bound_loops():
    bounds = {
        "__popc(m)": lambda m: bin(m).count("1"), "__clz(m)": lambda m: 32 - m.bit_length(),
        "__popcll(m)": lambda m: bin(m).count("1"), "64 - __clzll(m)": lambda m: m.bit_length(),
        "__ffs(m)": lambda m: (m & -m).bit_length(),
        "32 - __clz(m - 1)": lambda m: (m - 1).bit_length(),
        "min(m, 7)": lambda m: min(m, 7), "max(m, 7)": lambda m: max(m, 7),
        "umin(m, 7u)": lambda m: min(m, 7), "__hadd(m, 8)": lambda m: m + 8 >> 1,
        "__brev(m) >> 28": lambda m: int(f"{m:032b}"[::-1], 2) >> 28, "abs(-m)": lambda m: m,
        "__sad(m, 3, 0u)": lambda m: abs(m - 3), "__dp4a(m, 1, 0)": lambda m: m,
        "__mulhi(m << 20, 4096)": lambda m: m, "__vmaxu4(m, 5)": lambda m: max(m, 5),
        "(int)ceil(m / 2.0)": lambda m: -(-m // 2), "(int)sqrt(m * 1.0)": math.isqrt,
        "(int)fmin(m * 1.0f, 6.5f)": lambda m: min(m, 6),
        "__float2int_rd(m / 2.0f)": lambda m: m // 2,
    }
    for bound, function in bounds.items():
        text = f"z = 0; for (int k = 0; k < (int)({bound}); ++k) z += x"
        kernel = np.ElementwiseKernel("T x, int32 m", "T z", text)
        for m in (12, 5):
            assert kernel(np.ones(2), m).tolist() == [function(m)] * 2, bound


@on_parsed_texts
def test_mistakes():
    for text, reason in {
        "z = __vadd2(x, 1)": "`__vadd2` takes integers",
        "z = __vadd2(1)": "`__vadd2` takes 2 arguments, not 1",
        "z = __vadd3(1, 2)": "`__vadd3` is not known here",
        "z = __vsetlt2(1, 2)": "`__vsetlt2` is not known here",
        "double v[2] = {x, x}; z = norm(3, v)": "known and inside",
        "double v[2] = {x, x}; z = norm((int)x, v)": "the length of a vector must be known",
        "z = norm(2, x)": "`x` is no array",
        "z = norm(2, &x)": "begins at its element",
        "z = rnorm(2, x + 1)": "a vector is an array",
        "z = rnorm(x)": "`rnorm` is not known here: it takes the length",
        "uint uint = 3": "is no name of a variable",
    }.items():
        with pytest.raises(ValueError, match=reason):
            np.ElementwiseKernel("float64 x", "float64 z", text)(np.ones(3))
