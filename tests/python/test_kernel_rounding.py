"""Operations in texts of kernels that round once, or to a side: against exact fractions."""

import math
import struct
from fractions import Fraction

import numpy
import pytest

import phalanx as np

RNG = numpy.random.default_rng(23)
LARGEST, LEAST = 1.7976931348623157e308, 5e-324
SIDES = {"rd": -1, "rz": 0, "ru": 1}


def run(text, *arrays, out="float64 z"):
    inputs = ", ".join(f"{a.dtype} {name}" for a, name in zip(arrays, "xywv"))
    return np.ElementwiseKernel(inputs, out, text, "test")(*map(np.array, arrays)).get()


def below(value):
    """The largest double that is at most a positive fraction."""
    if value > Fraction(LARGEST):
        return LARGEST
    exponent = max(value.numerator.bit_length() - value.denominator.bit_length() - 54, -1074)
    while (digits := int(value / Fraction(2) ** exponent)).bit_length() > 53:
        exponent += 1
    return math.ldexp(digits, exponent)


def rounded(value, side):
    """A fraction that is not zero, rounded to a side."""
    if value < 0:
        return -rounded(-value, -side)
    low = below(value)
    is_exact = low < math.inf and Fraction(low) == value
    return low if side <= 0 or is_exact else math.nextafter(low, math.inf)


def zero(x, y, side):
    """The zero that is the sum of two numbers of these signs."""
    if math.copysign(1, x) == math.copysign(1, y):
        return math.copysign(0.0, x)
    return -0.0 if side < 0 else 0.0


def bits(numbers):
    """Doubles as integers, so that zeros differ; NaN is one number."""
    return [struct.unpack("<q", struct.pack("<d", x))[0] if x == x else "nan" for x in numbers]


SPECIAL = [0.0, -0.0, 1.0, -1.0, 3.0, 0.1, LEAST, -LEAST, 2.0**-1022, 2.0**-1022 - LEAST, LARGEST,
           -LARGEST, 2.0**1023, 2.0**-537, 2.0**512, math.inf, -math.inf, math.nan, 2.0**-1073]


def operands():
    pairs = [(x, y) for x in SPECIAL for y in SPECIAL]
    anything = RNG.integers(0, 2**64, 300, "u8").view("f8")
    pairs += zip(anything, numpy.roll(anything, 1))
    near = RNG.standard_normal(300)
    pairs += zip(near, RNG.standard_normal(300) * 10.0 ** RNG.integers(-20, 20, 300))
    tiny = numpy.ldexp(RNG.standard_normal(200), RNG.integers(-545, -505, 200))
    pairs += zip(tiny, numpy.roll(tiny, 3))
    pairs += zip(near, -near * (1 + RNG.integers(-2, 3, 300) * 2.0**-53))
    return numpy.array(pairs).T.copy()


def compare(text, arrays, exact):
    """Compares an operation; ``exact`` gives a fraction, or the double itself."""
    for mode, side in SIDES.items():
        found = run(f"z = {text.replace('_r', '_' + mode)}", *arrays)
        for values, got in zip(zip(*(a.tolist() for a in arrays)), found.tolist()):
            wanted = exact(*values, side)
            if isinstance(wanted, Fraction):
                wanted = rounded(wanted, side)
            assert bits([got]) == bits([wanted]), (text, mode, values, got, wanted)


def is_finite(*values):
    return all(map(math.isfinite, values))


def test_sums_and_differences():
    x, y = operands()

    def added(a, b, side):
        if not is_finite(a, b):
            return a + b
        return Fraction(a) + Fraction(b) or zero(a, b, side)

    compare("__dadd_r(x, y)", (x, y), added)
    compare("__dsub_r(x, y)", (x, y), lambda a, b, side: added(a, -b, side))


def test_products_and_quotients():
    x, y = operands()

    def product(a, b, side):
        return Fraction(a) * Fraction(b) or a * b if is_finite(a, b) else a * b

    def quotient(a, b, side):
        with numpy.errstate(all="ignore"):
            plain = float(numpy.float64(a) / numpy.float64(b))
        return Fraction(a) / Fraction(b) or plain if is_finite(a, b) and b else plain

    compare("__dmul_r(x, y)", (x, y), product)
    compare("__ddiv_r(x, y)", (x, y), quotient)
    compare("__drcp_r(x)", (x,), lambda a, side: quotient(1.0, a, side))


def test_roots():
    x = numpy.abs(operands()[0])
    for mode, side in SIDES.items():
        for value, root in zip(x.tolist(), run(f"z = __dsqrt_{mode}(x)", x).tolist()):
            if not is_finite(value) or value == 0:
                assert bits([root]) == bits([value])
                continue
            low = root if side <= 0 else math.nextafter(root, 0)
            high = math.nextafter(low, math.inf)
            is_exact = Fraction(root) ** 2 == Fraction(value)
            assert is_exact or Fraction(low) ** 2 < Fraction(value) < Fraction(high) ** 2, value
    assert math.isnan(run("z = __dsqrt_ru(x)", numpy.array([-1.0]))[0])
    assert bits(run("z = __dsqrt_rd(x)", numpy.array([-0.0]))) == bits([-0.0])
    numpy.testing.assert_array_equal(run("z = __dsqrt_rn(x)", x), numpy.sqrt(x))


def triples():
    x, y = operands()
    with numpy.errstate(all="ignore"):
        near = -x * y * (1 + RNG.integers(-2, 3, x.size) * 2.0**-53)
    w = numpy.where(RNG.random(x.size) < 0.6, near, RNG.permutation(x))
    # What is far away decides the last digit, also on both sides of zero.
    apart = [(1.0, 1.0, LEAST), (1.0, -1.0, LEAST), (1e300, 1e300, -1e300), (1.0, LEAST, 1e300),
             (2.0**-600, 2.0**-600, 1.0), (2.0**-600, -(2.0**-600), 1.0), (-1e200, 1e200, LARGEST),
             (2.0**-540, 2.0**-540, LEAST), (3.0, 5.0, -15.0), (0.0, 5.0, -0.0), (-0.0, 5.0, -0.0),
             (1e200, 1e200, -math.inf), (0.0, math.inf, 1.0), (LARGEST, 1.0, LARGEST)]
    return [numpy.concatenate([part, more]) for part, more in zip((x, y, w), zip(*apart))]


def fused(a, b, c, side):
    if not is_finite(a, b):
        return a * b + c
    if not is_finite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return exact
    # A product that is not zero and its negative, or two zeros.
    signs = math.copysign(1, a) * math.copysign(1, b)
    return zero(signs, c if c == 0 else -signs, side)


def test_products_that_are_added():
    compare("__fma_r(x, y, w)", triples(), fused)


def to_nearest(value, kind):
    """A fraction, rounded to the nearest number of a dtype, ties to even."""
    bits_of = {"f4": "u4", "f8": "u8"}[kind]
    infinity = numpy.array(numpy.inf, kind)[()]
    with numpy.errstate(all="ignore"):
        try:
            middle = numpy.array(float(value), kind)[()]
        except OverflowError:
            middle = numpy.copysign(infinity, float(numpy.sign(value.numerator)))
        near = [numpy.nextafter(middle, -infinity), middle, numpy.nextafter(middle, infinity)]
    near = [one for one in near if numpy.isfinite(one)]
    def apart(one):
        return abs(Fraction(float(one)) - value), int(one.view(bits_of)) & 1

    best = min(near, key=apart)
    info = numpy.finfo(kind)
    limit = Fraction(float(info.max)) + Fraction(2) ** (info.maxexp - info.nmant - 2)
    return numpy.copysign(infinity, best) if abs(value) >= limit else best


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_products_that_are_added_are_rounded_once(kind):
    names = ("fmaf", "__fmaf_rn", "fma") if kind == "f4" else ("fma", "__fma_rn", "mad")
    if kind == "f8":
        x, y, w = triples()
    else:
        x, y = RNG.integers(0, 2**32, (2, 600), "u4").view("f4")
        with numpy.errstate(all="ignore"):
            w = (x * y * 2.0 ** RNG.integers(-60, 60, 600)).astype("f4")
        # Ties of floats that a far digit decides: a sum in double loses it, and a second rounding
        # goes to the wrong side.
        tie = numpy.float32(1 + 2.0**-12)
        hard = [(tie, tie, 2.0**-80), (tie, tie, -(2.0**-80)), (tie, -tie, -(2.0**-100)),
                (tie * 2**60, tie, 2.0**-40), (tie * 2.0**-70, tie, 2.0**-149),
                (1 + 2.0**-23, 2.0**-24, 1.0), (1 + 2.0**-23, -(2.0**-24), 1.0),
                (2.0**-75, 2.0**-75, 2.0**-149), (2.0**-75, -(2.0**-76), 2.0**-149)]
        x, y, w = (numpy.concatenate([part, numpy.array(more, "f4")])
                   for part, more in zip((x, y, w), zip(*hard)))
    out = "float32 z" if kind == "f4" else "float64 z"
    for name in names:
        found = run(f"z = {name}(x, y, w)", x, y, w, out=out)
        differ = 0
        for a, b, c, got in zip(*(part.astype("f8").tolist() for part in (x, y, w)), found):
            wanted = fused(a, b, c, 0)
            if isinstance(wanted, Fraction):
                wanted = to_nearest(wanted, kind)
                with numpy.errstate(all="ignore"):
                    differ += numpy.array(a * b + c, kind)[()] != wanted
            assert bits([float(got)]) == bits([float(wanted)]), (name, a, b, c, got, wanted)
        assert differ > 2


def test_integers_of_64_bits():
    signed = numpy.concatenate([RNG.integers(-(2**63), 2**63, 200, "i8"), numpy.array(
        [0, 1, -1, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**24 + 1, 2**62 + 1], "i8")])
    for x, word in ((signed, "ll"), (signed.view("u8"), "ull")):
        for kind, size in (("double", "f8"), ("float", "f4")):
            out = "float32 z" if size == "f4" else "float64 z"
            found = {mode: run(f"z = __{word}2{kind}_{mode}(x)", x, out=out)
                     for mode in ("rn", *SIDES)}
            infinity = numpy.array(numpy.inf, size)[()]
            for at, value in enumerate(x.tolist()):
                low, high, cut = (found[mode][at] for mode in ("rd", "ru", "rz"))
                is_exact = int(low) == value
                assert int(low) <= value <= int(high)
                assert high == (low if is_exact else numpy.nextafter(low, infinity))
                assert cut == (low if value >= 0 else high)
                assert found["rn"][at] == to_nearest(Fraction(value), size)


def test_floats_to_a_side_have_the_zeros_of_the_side():
    one = numpy.array([1.0, -1.0, 0.0, -0.0, 0.0], "f4")
    other = numpy.array([1.0, -1.0, 0.0, -0.0, -0.0], "f4")
    for mode, side in SIDES.items():
        found = run(f"z = __fsub_{mode}(x, y)", one, other, out="float32 z")
        expected = [zero(a, -b, side) for a, b in zip(one.tolist(), other.tolist())]
        assert bits(found.tolist()) == bits(expected)


def test_known_numbers_are_rounded_likewise():
    x = numpy.zeros(2)
    for text, value in {
        "__dadd_ru(1.0, 1e-30)": 1 + 2.0**-52, "__dmul_rd(0.1, 0.1)": 0.01,
        "__ddiv_ru(1.0, 3.0)": math.nextafter(1 / 3, 1),
        "__dsqrt_rz(2.0)": math.sqrt(2.0) - 2.0**-52,
        "fma(0.1, 10.0, -1.0)": 2.0**-54, "__ll2float_ru(16777217ll)": 16777218.0,
    }.items():
        numpy.testing.assert_array_equal(run(f"z = x + {text}", x), [value] * 2, err_msg=text)


@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_products_that_are_added_in_place(kind):
    x, y, w = RNG.standard_normal((3, 1003)).astype(kind)
    # The sum is what the rounded product lacks, and zero if the product was rounded first.
    product = x * y
    exact = [to_nearest(Fraction(float(a)) * Fraction(float(b)) - Fraction(float(p)), kind)
             for a, b, p in zip(x, y, product)]
    kernel = np.ElementwiseKernel("T x, T y, T w", "T z", "z = fma(x, y, w)")
    for at in range(3):
        given = [np.array(x), np.array(y), np.array(-product)]
        kernel(*given, given[at])
        numpy.testing.assert_array_equal(given[at].get(), exact)
    square = np.array(w)
    kernel(square, square, square, square)
    expected = [to_nearest(Fraction(float(a)) ** 2 + Fraction(float(a)), kind) for a in w]
    numpy.testing.assert_array_equal(square.get(), expected)
