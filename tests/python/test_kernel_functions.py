"""CUDA's functions in texts of kernels: each against NumPy, SciPy or Python."""

import math
import random
import re
from fractions import Fraction

import numpy
import pytest
import scipy.special

import phalanx as np

from .conftest import on_parsed_texts

RNG = numpy.random.default_rng(11)
EDGES = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1.0, -1.0]
X = numpy.concatenate([RNG.standard_normal(200) * 3, EDGES])
Y = numpy.roll(X, 7)
POSITIVE = numpy.abs(X) + 0.01
UNIT = numpy.tanh(X) * 0.999
PART = (UNIT + 1) / 2 + 1e-4


def run(text, *arrays, out="T z"):
    """The result of a text of x, y, w and v, whose parameters have the dtypes of the arrays."""
    inputs = ", ".join(f"{a.dtype} {name}" for a, name in zip(arrays, "xywv"))
    out = out if "T" not in out else out.replace("T", str(arrays[0].dtype))
    return np.ElementwiseKernel(inputs, out, text, "test")(*map(np.array, arrays)).get()


def rounded(x):
    return numpy.trunc(x + numpy.copysign(0.5, x))


FLOATS = {
    "sin": (numpy.sin, X), "cos": (numpy.cos, X), "tan": (numpy.tan, X),
    "asin": (numpy.arcsin, UNIT), "acos": (numpy.arccos, UNIT), "atan": (numpy.arctan, X),
    "sinh": (numpy.sinh, X), "cosh": (numpy.cosh, X), "tanh": (numpy.tanh, X),
    "asinh": (numpy.arcsinh, X), "acosh": (numpy.arccosh, POSITIVE + 1),
    "atanh": (numpy.arctanh, UNIT), "sinpi": (lambda x: numpy.sin(numpy.pi * x), UNIT),
    "cospi": (lambda x: numpy.cos(numpy.pi * x), UNIT), "exp": (numpy.exp, X),
    "exp2": (numpy.exp2, X), "exp10": (lambda x: 10.0**x, X), "expm1": (numpy.expm1, X),
    "log": (numpy.log, POSITIVE), "log2": (numpy.log2, POSITIVE), "log10": (numpy.log10, POSITIVE),
    "log1p": (numpy.log1p, POSITIVE), "sqrt": (numpy.sqrt, POSITIVE),
    "rsqrt": (lambda x: 1 / numpy.sqrt(x), POSITIVE), "cbrt": (numpy.cbrt, X),
    "rcbrt": (lambda x: 1 / numpy.cbrt(x), POSITIVE),
    "erf": (scipy.special.erf, X), "erfc": (scipy.special.erfc, X),
    "erfinv": (scipy.special.erfinv, UNIT), "erfcinv": (scipy.special.erfcinv, PART),
    "erfcx": (scipy.special.erfcx, X), "normcdf": (scipy.special.ndtr, X),
    "normcdfinv": (scipy.special.ndtri, PART), "lgamma": (scipy.special.gammaln, POSITIVE),
    "tgamma": (scipy.special.gamma, POSITIVE), "j0": (scipy.special.j0, X),
    "j1": (scipy.special.j1, X), "y0": (scipy.special.y0, POSITIVE),
    "y1": (scipy.special.y1, POSITIVE), "cyl_bessel_i0": (scipy.special.i0, X),
    "cyl_bessel_i1": (scipy.special.i1, X), "floor": (numpy.floor, X), "ceil": (numpy.ceil, X),
    "trunc": (numpy.trunc, X), "rint": (numpy.rint, X), "nearbyint": (numpy.rint, X),
    "round": (rounded, X), "fabs": (numpy.abs, X), "__saturatef": (lambda x: x.clip(0, 1), X),
    "logb": (lambda x: numpy.frexp(x)[1] - 1.0, POSITIVE),
}


@pytest.mark.parametrize("name", FLOATS)
def test_functions_of_one_float(name):
    expected, x = FLOATS[name]
    found = run(f"z = {name}(x)", x)
    if not name.endswith("f") or name == "erf":
        assert found.dtype == numpy.float64
        numpy.testing.assert_allclose(found, expected(x), rtol=2e-13, atol=1e-14)
    single = x.astype("f4")
    wanted = expected(single.astype("f8"))
    for called in (name, name if name.startswith("__") else name + "f"):
        found = run(f"z = {called}(x)", single)
        assert found.dtype == numpy.float32
        numpy.testing.assert_allclose(found, wanted, rtol=2e-6, atol=1e-6)


def test_functions_of_several_floats():
    third = RNG.standard_normal(X.size)
    for text, expected in {
        "atan2(x, y)": numpy.arctan2(X, Y), "hypot(x, y)": numpy.hypot(X, Y),
        "pow(fabs(x), y)": numpy.abs(X) ** Y, "fmod(x, y + 20)": numpy.fmod(X, Y + 20),
        "fmin(x, y)": numpy.fmin(X, Y), "fmax(x, y)": numpy.fmax(X, Y),
        "fdim(x, y)": numpy.maximum(X - Y, 0), "copysign(x, y)": numpy.copysign(X, Y),
        "nextafter(x, y)": numpy.nextafter(X, Y),
        "rhypot(x, 2.0)": 1 / numpy.hypot(X, 2), "fdivide(x, y + 20)": X / (Y + 20),
        "remainder(x, 0.7)": numpy.array([math.remainder(v, 0.7) for v in X]),
    }.items():
        numpy.testing.assert_allclose(run(f"z = {text}", X, Y), expected, rtol=1e-13, atol=1e-15)
    long = numpy.sqrt(X * X + Y * Y + third * third)
    numpy.testing.assert_allclose(run("z = norm3d(x, y, w)", X, Y, third), long, rtol=1e-13)
    numpy.testing.assert_allclose(run("z = rnorm3d(x, y, w)", X, Y, third), 1 / long, rtol=1e-13)
    longer = numpy.hypot(long, 3)
    numpy.testing.assert_allclose(run("z = norm4d(x, y, w, 3.0)", X, Y, third), longer, rtol=1e-13)
    found = run("z = rnorm4d(x, y, w, 3.0)", X, Y, third)
    numpy.testing.assert_allclose(found, 1 / longer, rtol=1e-13)
    assert run("z = norm3d(x, x, x)", numpy.array([1e300, 1e-300]))[0] < numpy.inf
    orders = numpy.arange(X.size, dtype="i4") % 5
    for name, function in (("jn", scipy.special.jn), ("yn", scipy.special.yn)):
        found = run(f"z = {name}(y, x)", POSITIVE, orders)
        numpy.testing.assert_allclose(found, function(orders, POSITIVE), rtol=1e-11, atol=1e-13)
        single = run(f"z = {name}f(y, x)", POSITIVE.astype("f4"), orders)
        assert single.dtype == numpy.float32


def test_parts_of_floats():
    whole = numpy.array([3, -2, 0, 1], "i4").repeat(60)[: X.size]
    long = whole.astype("i8") * 10**12
    numpy.testing.assert_array_equal(run("z = ldexp(x, y)", X, whole), numpy.ldexp(X, whole))
    numpy.testing.assert_array_equal(run("z = scalbnf(x, y)", X.astype("f4"), whole),
                                     numpy.ldexp(X.astype("f4"), whole))
    with numpy.errstate(all="ignore"):
        expected = numpy.where(long > 0, X * numpy.inf, numpy.where(long < 0, X * 0.0, X))
        expected[(X == 0) & (long > 0)] = X[(X == 0) & (long > 0)]
    numpy.testing.assert_array_equal(run("z = scalbln(x, y)", X, long), expected)
    for text, expected in {
        "lrint(x)": numpy.rint(X), "llrint(x)": numpy.rint(X), "lround(x)": rounded(X),
        "llroundf(x)": rounded(X.astype("f4")), "ilogb(x)": None,
    }.items():
        found = run(f"z = {text}", X, out="int64 z")
        if expected is not None:
            numpy.testing.assert_array_equal(found, expected.astype("i8"))
    special = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 5e-324, 1.0, -8.5])
    low, high = -(2**31), 2**31 - 1
    numpy.testing.assert_array_equal(run("z = ilogb(x)", special, out="int32 z"),
                                     [low, low, high, high, low, -1074, 0, 3])
    numpy.testing.assert_array_equal(
        run("z = logb(x)", special),
        [-numpy.inf, -numpy.inf, numpy.inf, numpy.inf, numpy.nan, -1074, 0, 3])
    for text, function in {"isnan": numpy.isnan, "isinf": numpy.isinf, "isfinite": numpy.isfinite,
                           "signbit": numpy.signbit, "finite": numpy.isfinite}.items():
        found = run(f"z = {text}(x)", special, out="bool z")
        numpy.testing.assert_array_equal(found, function(special))


@on_parsed_texts
def test_numbers_beyond_integers_are_those_of_elements():
    for text, value in {"(int)NUMBER": 1e10, "lrint(NUMBER)": math.nan, "(unsigned char)NUMBER": 3e9,
                        "__float2int_rz(NUMBER)": -1e20, "llround(NUMBER)": math.inf}.items():
        known = repr(value).replace("nan", "CUDART_NAN").replace("inf", "CUDART_INF")
        x = numpy.array([value])
        with numpy.errstate(all="ignore"):
            found = run("z = " + text.replace("NUMBER", known), x, out="int64 z")
            element = run("z = " + text.replace("NUMBER", "x"), x, out="int64 z")
        numpy.testing.assert_array_equal(found, element)


def test_remainders_are_exact():
    x = numpy.array([5.0, 7.0, -5.0, 6.0, 1e300, 3e-310, 1.7e308, 5.5, -0.0, 9.0, 1.0, 2.0])
    y = numpy.array([2.0, 2.0, 2.0, 4.0, 3.1e-5, 1e-310, 1.2e308, -2.0, 3.0, 6.0, numpy.inf, 4.0])
    expected = numpy.array([math.remainder(a, b) for a, b in zip(x, y)])
    found = run("z = remainder(x, y)", x, y)
    numpy.testing.assert_array_equal(found, expected)
    numpy.testing.assert_array_equal(numpy.signbit(found), numpy.signbit(expected))
    many = RNG.standard_normal(500) * 10.0 ** RNG.integers(-5, 12, 500)
    by = RNG.standard_normal(500)
    numpy.testing.assert_array_equal(run("z = remainder(x, y)", many, by),
                                     [math.remainder(a, b) for a, b in zip(many, by)])
    near = RNG.integers(-2000, 2000, 500) / 8.0
    quotients = run("int q; double r = remquo(x, y, &q); z = q", near, by, out="int32 z")
    exact = numpy.array([round((a - math.remainder(a, b)) / b) for a, b in zip(near, by)])
    numpy.testing.assert_array_equal(quotients, numpy.sign(exact) * (numpy.abs(exact) % 8))
    # The nearest multiple is larger than all floats.
    x, y = numpy.array([1.7e308, -1.7e308, 1.7e308]), numpy.array([1e308, 1e308, 6e307])
    text = "int q; remquo(x, y, &q); z = q"
    numpy.testing.assert_array_equal(run(text, x, y, out="int32 z"), [2, -2, 3])
    x, y = numpy.array([1.0, numpy.inf]), numpy.array([0.0, 1.0])
    assert numpy.isnan(run("z = remainder(x, y)", x, y)).all()


def test_functions_that_write_variables():
    for suffix, dtype in (("", "f8"), ("f", "f4")):
        x = X.astype(dtype)
        found = run(f"{x.dtype} s, c; sincos{suffix}(x, &s, &c); z = s - 2 * c", x)
        numpy.testing.assert_allclose(found, numpy.sin(x) - 2 * numpy.cos(x), rtol=1e-5, atol=1e-6)
        mantissa, exponent = numpy.frexp(x)
        found = run(f"int e; z = frexp{suffix}(x, &e) + e * 10", x)
        numpy.testing.assert_array_equal(found, mantissa + (exponent * 10).astype(dtype))
        fraction, whole = numpy.modf(x)
        found = run(f"double part[2]; part[0] = modf{suffix}(x, &part[1]); z = part[0] - part[1]", x)
        numpy.testing.assert_allclose(found, fraction - whole, rtol=1e-6)
    text = "double s = 1, c = 1; if (x > 0) sincospi(x, &s, &c); z = s + c"
    expected = numpy.where(X > 0, numpy.sin(numpy.pi * X) + numpy.cos(numpy.pi * X), 2)
    numpy.testing.assert_allclose(run(text, X), expected, atol=1e-13)
    both = np.zeros((2, X.size))
    np.ElementwiseKernel("T x", "raw T z", "sincos(x, &z[i], &z[i + n])")(np.array(X), both)
    numpy.testing.assert_allclose(both.get(), [numpy.sin(X), numpy.cos(X)], rtol=1e-13, atol=1e-15)
    # A function of the preamble comes first.
    own = np.ElementwiseKernel("T x", "T z", "z = modf(x, x)",
                               preamble="template <typename T> T modf(T a, T b) { return a + b; }")
    numpy.testing.assert_array_equal(own(np.array(X)).get(), X + X)


@on_parsed_texts
def test_mistakes_with_functions_that_write_variables():
    for text, reason in {
        "T s; z = x > 0 ? sincos(x, &s, &s) : 0": "stands outside of",
        "int e; z = x > 0 && frexp(x, &e) > 0": "stands outside of",
        "T s, c; z = sincos(x, &s, &c)": "`sincos` returns nothing",
        "T s; sincos(x, s, s);": "`sincos` writes to addresses",
        "T s; sincos(x, &s);": "`sincos` takes 3 arguments, not 2",
    }.items():
        with pytest.raises(ValueError, match=reason):
            np.ElementwiseKernel("T x", "T z", text)(np.array(X))


WORDS = numpy.concatenate([RNG.integers(0, 2**32, 200, "u4"), numpy.array([0, 1, 2**31, 2**32 - 1], "u4")])
SIGNED = WORDS.view("i4")
LONGS = numpy.concatenate([RNG.integers(0, 2**64, 200, "u8"),
                           numpy.array([0, 1, 2**63, 2**64 - 1], "u8")])


def test_bits_of_integers():
    for x, bits, kind, end in ((WORDS, 32, "u4", ""), (LONGS, 64, "u8", "ll")):
        texts = [f"{int(v):0{bits}b}" for v in x]
        expected = {
            f"__popc{end}": [t.count("1") for t in texts],
            f"__clz{end}": [bits - len(t.lstrip("0")) for t in texts],
            f"__ffs{end}": [bits - t.rindex("1") if "1" in t else 0 for t in texts],
        }
        for name, numbers in expected.items():
            for given in (x, x.view(kind.replace("u", "i"))):
                numpy.testing.assert_array_equal(run(f"z = {name}(x)", given, out="int32 z"), numbers)
        numpy.testing.assert_array_equal(run(f"z = __brev{end}(x)", x),
                                         numpy.array([int(t[::-1], 2) for t in texts], kind))


def test_bits_are_those_of_the_parameters():
    # `__popc` takes an unsigned int: a longer integer loses its upper half.
    lower = numpy.bitwise_count(LONGS.astype("u4"))
    numpy.testing.assert_array_equal(run("z = __popc(x)", LONGS, out="int32 z"), lower)
    upper = numpy.bitwise_count(numpy.arange(-9, 9).astype("i8").view("u8"))
    numpy.testing.assert_array_equal(
        run("z = __popcll(x)", numpy.arange(-9, 9, dtype="i4"), out="int32 z"), upper)


def test_products_and_means_of_integers():
    def exact(function, x, y, dtype):
        bits = 8 * numpy.dtype(dtype).itemsize
        values = [function(int(a), int(b)) % 2**bits for a, b in zip(x, y)]
        return numpy.array(values, f"u{bits // 8}").view(dtype)

    for x, dtype, names in (
        (WORDS, "u4", ("__umulhi", "__uhadd", "__urhadd", "umin", "umax")),
        (SIGNED, "i4", ("__mulhi", "__hadd", "__rhadd", "min", "max")),
        (LONGS, "u8", ("__umul64hi", None, None, "ullmin", "ullmax")),
        (LONGS.view("i8"), "i8", ("__mul64hi", None, None, "llmin", "llmax")),
    ):
        y, bits = numpy.roll(x, 3), 8 * x.itemsize
        functions = (lambda a, b: a * b >> bits, lambda a, b: (a + b) >> 1,
                     lambda a, b: (a + b + 1) >> 1, min, max)
        for name, function in zip(names, functions):
            if name is not None:
                found = run(f"z = {name}(x, y)", x, y)
                numpy.testing.assert_array_equal(found, exact(function, x, y, dtype), err_msg=name)
    y = numpy.roll(WORDS, 5)
    numpy.testing.assert_array_equal(
        run("z = __umul24(x, y)", WORDS, y),
        exact(lambda a, b: a % 2**24 * (b % 2**24), WORDS, y, "u4"))
    lower = (SIGNED << 8) >> 8
    numpy.testing.assert_array_equal(run("z = __mul24(x, y)", SIGNED, numpy.roll(SIGNED, 5)),
                                     exact(lambda a, b: a * b, lower, numpy.roll(lower, 5), "i4"))
    numpy.testing.assert_array_equal(
        run("z = __sad(x, y, 7u)", SIGNED, numpy.roll(SIGNED, 5), out="uint32 z"),
        exact(lambda a, b: abs(a - b) + 7, SIGNED, numpy.roll(SIGNED, 5), "u4"))
    numpy.testing.assert_array_equal(run("z = __usad(x, y, 7u)", WORDS, y),
                                     exact(lambda a, b: abs(a - b) + 7, WORDS, y, "u4"))
    bytes_ = SIGNED.view("i1").reshape(-1, 4).astype("i4")
    other = numpy.roll(SIGNED, 5).view("i1").reshape(-1, 4).astype("i4")
    numpy.testing.assert_array_equal(run("z = __dp4a(x, y, 3)", SIGNED, numpy.roll(SIGNED, 5)),
                                     (bytes_ * other).sum(axis=1) + 3)


def test_shifts_and_bytes_of_two_words():
    high = numpy.roll(WORDS, 9)
    shifts = numpy.arange(WORDS.size, dtype="u4") % 40
    rows = [(int(h) << 32 | int(low), int(s)) for low, h, s in zip(WORDS, high, shifts)]
    for name, expected in {
        "__funnelshift_l": [(v << s % 32 >> 32) % 2**32 for v, s in rows],
        "__funnelshift_lc": [(v << min(s, 32) >> 32) % 2**32 for v, s in rows],
        "__funnelshift_r": [(v >> s % 32) % 2**32 for v, s in rows],
        "__funnelshift_rc": [(v >> min(s, 32)) % 2**32 for v, s in rows],
    }.items():
        found = run(f"z = {name}(x, y, w)", WORDS, high, shifts)
        numpy.testing.assert_array_equal(found, numpy.array(expected, "u4"), err_msg=name)
    found = run("z = __byte_perm(x, y, w)", WORDS, high, numpy.roll(WORDS, 4))
    for number, (value, _), selector in zip(found, rows, numpy.roll(WORDS, 4)):
        parts = [value >> 8 * (int(selector) >> 4 * k & 7) & 255 for k in range(4)]
        assert number == sum(part << 8 * k for k, part in enumerate(parts))


def test_conversions_that_round():
    functions = {"rn": numpy.rint, "rz": numpy.trunc, "rd": numpy.floor, "ru": numpy.ceil}
    for mode, function in functions.items():
        for source, dtype in (("double", "f8"), ("float", "f4")):
            x = (X * 9).astype(dtype)
            for target, out in (("int", "int32"), ("ll", "int64")):
                found = run(f"z = __{source}2{target}_{mode}(x)", x, out=f"{out} z")
                numpy.testing.assert_array_equal(found, function(x).astype(out))
            found = run(f"z = __{source}2uint_{mode}(x)", numpy.abs(x), out="uint32 z")
            numpy.testing.assert_array_equal(found, function(numpy.abs(x)).astype("u4"))
    x = numpy.concatenate([X, [1e300, -1e300, 1e-50, -1e-50, 0.1, 16777217.0, -16777217.0]])
    with numpy.errstate(over="ignore"):
        near = x.astype("f4")
    down, up = run("z = __double2float_rd(x)", x, out="float32 z"), run("z = __double2float_ru(x)", x, out="float32 z")
    assert (down <= x).all() and (up >= x).all()
    assert ((down == near) | (up == near)).all()
    assert ((down == up) | (numpy.nextafter(down, numpy.float32(numpy.inf)) == up)).all()
    zero = run("z = __double2float_rz(x)", x, out="float32 z")
    numpy.testing.assert_array_equal(zero, numpy.where(x > 0, down, up))
    numpy.testing.assert_array_equal(run("z = __double2float_rn(x)", X, out="float32 z"), X.astype("f4"))
    whole = numpy.array([16777217, -16777217, 2**31 - 1, 3], "i4")
    numpy.testing.assert_array_equal(run("z = __int2float_rz(x)", whole, out="float32 z"),
                                     numpy.array([16777216, -16777216, 2147483520, 3], "f4"))
    numpy.testing.assert_array_equal(run("z = __int2double_rn(x)", whole, out="float64 z"), whole)
    halves = run("z = __half2float(__float2half(x))", X.astype("f4"))
    numpy.testing.assert_array_equal(halves, X.astype("f4").astype("f2").astype("f4"))


def test_bits_of_floats():
    single = X.astype("f4")
    numpy.testing.assert_array_equal(run("z = __float_as_int(x)", single, out="int32 z"), single.view("i4"))
    numpy.testing.assert_array_equal(run("z = __float_as_uint(x + 1)", single, out="uint32 z"),
                                     (single + 1).view("u4"))
    numpy.testing.assert_array_equal(run("z = __int_as_float(x)", single.view("i4"), out="float32 z"), single)
    numpy.testing.assert_array_equal(run("z = __double_as_longlong(x)", X, out="int64 z"), X.view("i8"))
    numpy.testing.assert_array_equal(run("z = __longlong_as_double(x ^ 1)", X.view("i8"), out="float64 z"),
                                     (X.view("i8") ^ 1).view("f8"))
    numpy.testing.assert_array_equal(
        run("z = __hiloint2double(__double2hiint(x), __double2loint(x))", X), X)
    numpy.testing.assert_array_equal(run("z = __int_as_float(0x7f800000)", single), numpy.full(X.size, numpy.inf))
    # The result is no view of the argument.
    x = np.array(single)
    bits = np.ElementwiseKernel("float32 x", "int32 z", "z = __float_as_int(x)")(x)
    x[:] = 0
    numpy.testing.assert_array_equal(bits.get(), single.view("i4"))


def test_operations_that_round_to_nearest():
    single, other = X.astype("f4"), Y.astype("f4") + 9
    for text, expected in {
        "__fadd_rn(x, y)": single + other, "__fsub_rn(x, y)": single - other,
        "__fmul_rn(x, y)": single * other, "__fdiv_rn(x, y)": single / other,
        "__frcp_rn(y)": 1 / other, "__fsqrt_rn(y * y)": numpy.sqrt(other * other),
        "__fmaf_rn(x, y, x)": (single.astype("f8") * other + single).astype("f4"),
        "fmaf(x, y, -x * y)": (single.astype("f8") * other - single * other).astype("f4"),
    }.items():
        numpy.testing.assert_array_equal(run(f"z = {text}", single, other), expected, err_msg=text)
    numpy.testing.assert_allclose(run("z = __frsqrt_rn(y)", single, other), 1 / numpy.sqrt(other), rtol=1e-6)
    for text, expected in {
        "__dadd_rn(x, y)": X + Y, "__dmul_rn(x, y)": X * Y, "__drcp_rn(x + 20)": 1 / (X + 20),
        "__dsqrt_rn(x * x)": numpy.sqrt(X * X),
    }.items():
        numpy.testing.assert_allclose(run(f"z = {text}", X, Y), expected, rtol=1e-15, atol=1e-15)


def test_operations_that_round_to_a_side():
    extremes = numpy.array([1e38, -3e38, 1e-38, 1e-45, -1e-45, 3.0, 1.0, -7.0, 2.0**-100], "f4")
    x = numpy.concatenate([X, X * 1e10, extremes, extremes, [1.0, 2.0]]).astype("f4")
    y = numpy.concatenate([Y + 9, Y * 1e-6, extremes[::-1], extremes, [-(2.0**-80), 2.0**-90]])
    y = y.astype("f4")
    w = numpy.roll(x, 3)

    def fractions(*values):
        return [[Fraction(float(v)) for v in value] for value in values]

    a, b, c = fractions(x, y, w)
    exact = {
        "__fadd": ("x, y", [p + q for p, q in zip(a, b)]),
        "__fsub": ("x, y", [p - q for p, q in zip(a, b)]),
        "__fmul": ("x, y", [p * q for p, q in zip(a, b)]),
        "__fmaf": ("x, y, w", [p * q + r for p, q, r in zip(a, b, c)]),
        "__fdiv": ("x, y", [p / q if q else None for p, q in zip(a, b)]),
        "__frcp": ("y", [1 / q if q else None for q in b]),
    }
    infinity = numpy.float32(numpy.inf)
    for name, (operands, results) in exact.items():
        down, up, zero = (run(f"z = {name}_{mode}({operands})", x, y, w)
                          for mode in ("rd", "ru", "rz"))
        for low, high, cut, result in zip(down, up, zero, results):
            if result is None:
                continue
            assert not numpy.isfinite(low) or Fraction(float(low)) <= result, name
            assert not numpy.isfinite(high) or Fraction(float(high)) >= result, name
            is_exact = numpy.isfinite(low) and Fraction(float(low)) == result
            assert high == (low if is_exact else numpy.nextafter(low, infinity)), name
            assert cut == (low if result > 0 else high), name
    roots, squares = numpy.abs(x), fractions(numpy.abs(x))[0]
    down, up = (run(f"z = __fsqrt_{mode}(x)", roots) for mode in ("rd", "ru"))
    for low, high, square in zip(*fractions(down, up), squares):
        assert low * low <= square <= high * high
    assert ((down == up) | (numpy.nextafter(down, infinity) == up)).all()
    numpy.testing.assert_array_equal(run("z = __fsqrt_rz(x)", roots), down)


def test_types_of_results_are_those_of_the_functions():
    # The untaken part of a choice decides the type of the quotient.
    for name, size in {"lround(y)": 8, "ilogb(y)": 4, "erf(y)": None, "__float2int_rn(y)": 4,
                       "__mulhi(1, 1)": 4, "__clzll(1)": 4, "__double_as_longlong(y)": 8}.items():
        text = f"z = (true ? 2147483647 : {name}) + 1 > 0"
        found = run(text, X, Y, out="bool z")
        assert found.all() == (size != 4), name


def test_operands_have_the_types_of_the_parameters():
    single = numpy.array([1.1, 1e30], "f4")
    double = numpy.array([1e-9, 1e30])
    wide = single.astype("f8")
    found = run("z = norm3d(x, x, y)", single, double, out="float64 z")
    expected = numpy.sqrt(wide * wide * 2 + double * double)
    numpy.testing.assert_allclose(found, expected, rtol=1e-14)
    low = numpy.array([-(2**31), 100_000], "i4")
    sizes = numpy.abs(low.astype("f8"))
    for text, expected in {"labs(x)": sizes, "llabs(x)": sizes, "norm(x)": sizes**2,
                           "real(x) / 3": low / 3.0}.items():
        numpy.testing.assert_array_equal(run(f"z = {text}", low, out="float64 z"), expected)
    # `__sad` takes an `int`, `scalbln` a `long`, `ldexp` an `int`.
    x = numpy.array([2**32 - 1, 5], "u4")
    found = run("z = __sad(x, y, 0u)", x, numpy.array([1, 5], "u4"), out="uint32 z")
    numpy.testing.assert_array_equal(found, [2, 0])
    for text, expected in {"scalbln(3.0, x)": [numpy.inf, 96], "ldexp(3.0, x)": [1.5, 96]}.items():
        numpy.testing.assert_array_equal(run(f"z = {text}", x, out="float64 z"), expected)
    wrapped = numpy.array([2**64 - 1, 5], "u8")
    for name in ("ldexp", "scalbln"):
        found = run(f"z = {name}(3.0, x)", wrapped, out="float64 z")
        numpy.testing.assert_array_equal(found, [1.5, 96])
    # Numbers of several types stay known.
    for text in ("max(m, 3)", "labs(min(m, -3ll))", "abs(max(m, 3u))"):
        loop = f"z = 0; for (int k = 0; k < {text}; ++k) z += x"
        turns = np.ElementwiseKernel("T x, int64 m", "T z", loop)
        expected = 3 if "labs" in text else 5
        assert turns(np.ones(2), 5).tolist() == [expected] * 2, text


def test_zeros_of_sines_have_the_signs_of_the_values():
    x = numpy.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 7.0, -1e300, 2.0**40 + 1])
    for text in ("z = sinpi(x)", "double c; sincospi(x, &z, &c);"):
        found = run(text, x)
        numpy.testing.assert_array_equal(found, 0.0)
        numpy.testing.assert_array_equal(numpy.signbit(found), numpy.signbit(x))


def test_constants():
    for name, value in {
        "M_1_PI": 1 / math.pi, "M_LOG2E": math.log2(math.e), "M_2_SQRTPI": 2 / math.sqrt(math.pi),
        "CUDART_PI": math.pi, "CUDART_INF_F": math.inf, "LLONG_MIN": -(2**63), "UINT_MAX": 2**32 - 1,
        "SHRT_MIN": -(2**15),
    }.items():
        numpy.testing.assert_allclose(run(f"z = x * 0 + {name}", X[:1] * 0), [value], rtol=1e-15)


@on_parsed_texts
def test_functions_that_are_not_known_are_named():
    for text, reason in {
        "__dadd_rx(x, x)": "`__dadd_rx` is not known here: define",
        "__shfl_sync(1, x, 2)": "`__shfl_sync` is not known here: .*RawKernel",
        "__fns(1, 2, 3)": "`__fns` is not known here: take the parts",
        "nan(0)": "`NAN` is the constant",
        "atomicCAS(x, x, x)": "combine elements",
        "atomicAdd(x, x)": "a statement of its own",
        "gama(x)": "`gama` is not known here: define it in the preamble",
        "erf(x, x)": "`erf` takes 1 arguments, not 2",
        "jn(x, x)": "`jn` takes integers",
        "__clz(x)": "`__clz` takes integers",
        "erf(complex<double>(x, x))": "`erf` takes no complex numbers",
        "__float2int_rn(complex<double>(x, x))": "takes no complex numbers",
        "remainder(complex<double>(x, x), x)": "takes no complex numbers",
    }.items():
        with pytest.raises(ValueError, match=reason):
            np.ElementwiseKernel("float64 x", "float64 z", f"z = {text}")(np.array(X))


def test_functions_are_known_in_reductions_and_ufuncs():
    total = np.ReductionKernel("T x", "T y", "erf(x)", "a + b", "y = lgamma(fabs(a) + 1)", "0")
    expected = scipy.special.gammaln(abs(scipy.special.erf(X).sum()) + 1)
    numpy.testing.assert_allclose(total(np.array(X)).get(), expected, rtol=1e-9)
    own = np.ufunc_from("normcdf(x) - normcdf(y)")
    numpy.testing.assert_allclose(own(np.array(X), np.array(Y)).get(),
                                  scipy.special.ndtr(X) - scipy.special.ndtr(Y), atol=1e-14)


def test_the_combination_across_devices():
    x = RNG.standard_normal((5, 7, 11))
    for combine, across in (("hypot(a, b)", "sqrt(a * a + b * b)"), ("a + b", "own(a, b)"),
                            ("a + b", "b + a"), ("sqrt(a * a + b * b)", "hypot(b, a)")):
        kernel = np.ReductionKernel("T x", "T y", "x", combine, "y = a", "0", "test", across=across,
                                    preamble="template <typename T> T own(T p, T q) { return p + q; }")
        assert kernel.across == across
        for axis in (None, 0, 1, (0, 2)):
            found = kernel(np.array(x), axis=axis, keepdims=True).get()
            expected = x.sum(axis=axis, keepdims=True) if "+ b" == combine[2:] else (
                numpy.sqrt((x * x).sum(axis=axis, keepdims=True)))
            numpy.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
        long = RNG.standard_normal(100_003)
        expected = long.sum() if "+ b" == combine[2:] else numpy.sqrt((long * long).sum())
        numpy.testing.assert_allclose(kernel(np.array(long)).get(), expected, rtol=1e-10)
        assert kernel(np.zeros(0)) == 0
    own = "template <typename T> T own(T p, T q) { return p + q; }"
    with pytest.raises(ValueError, match="`own` takes 2 arguments, not 1"):
        np.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "test", preamble=own,
                           across="own(a) + b")
    for across, reason in {"a +": "PX138.*a \\+|an expression", "a": "names `a` and `b`",
                           "a + x": "`x` is not known here", "a[0] + b": "no addresses",
                           "frexp(a, &b)": "no addresses",
                           "own(a, b)": "`own` is not known here: define it in the preamble",
                           "hypot(a, b, a)": "`hypot` takes 2 arguments, not 3",
                           "__shfl_sync(a, b)": "`__shfl_sync` is not known here: .*threads",
                           "a.size() + b": "method",
                           "static_cast<Q>(a) + b": "`Q` is no type here"}.items():
        with pytest.raises(ValueError, match=reason):
            np.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "test", across=across)


TEXTS = (
    "T s, c; sincos(x, &s, &c); int e; z = s + c * frexp(x, &e) + (1 << (e & 3));",
    "if (x > 0) { T t = erf(x); z = t > 0.5 ? t : -t; } else { z = remainder(x, 2.5f); }",
    "double v[3] = {1, x}; for (int k = 0; k < 3; ++k) v[k] += k * fma(x, x, 1.0); z = v[1];",
    "unsigned int b = __float_as_uint((float)x); b ^= __brev(b) >> 3; z = __clz(b) + __popc(b);",
)
TOKENS = [token for text in TEXTS for token in re.findall(r"\w+|\s+|[^\w\s]+", text)]


@on_parsed_texts
def test_changed_texts_run_or_are_refused():
    rng, x, run_ones = random.Random(7), np.array(X[:5]), 0
    for _ in range(600):
        parts = re.findall(r"\w+|\s+|[^\w\s]+", rng.choice(TEXTS))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(parts))
            parts[at : at + rng.randrange(2)] = rng.sample(TOKENS, rng.randrange(2))
        try:
            np.ElementwiseKernel("T x", "T z", "".join(parts))(x).get()
            run_ones += 1
        except (ValueError, TypeError) as error:
            assert "bug" not in str(error)
    assert run_ones > 50
