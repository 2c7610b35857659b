"""CUDA's functions for dynamic programming and of half precision in texts of kernels: against
Python's integers and NumPy's halves."""

import numpy
import pytest

import phalanx as np

from .conftest import on_parsed_texts

RNG = numpy.random.default_rng(41)
EDGES = [0, 1, 0x7FFF7FFF, 0x80008000, 0xFFFFFFFF, 0x80000001, 0x7FFFFFFF, 0x00018000, 0x7FFF0001]
WORDS = numpy.concatenate([RNG.integers(0, 2**32, 100, "u4"), numpy.array(EDGES, "u4")])
OTHERS, THIRDS = numpy.roll(WORDS, 7), numpy.roll(WORDS, 3)
# (name of the operands, bits of a part, whether it has a sign)
PARTS = [("s32", 32, True), ("u32", 32, False), ("s16x2", 16, True), ("u16x2", 16, False)]


def parts(word, bits, is_signed):
    """The parts of a word, the lowest first."""
    found = [int(word) >> bits * at & (1 << bits) - 1 for at in range(32 // bits)]
    return [part - (1 << bits) if is_signed and part >> bits - 1 else part for part in found]


def wrapped(value, bits, is_signed):
    return parts(value & (1 << bits) - 1, bits, is_signed)[0]


def word(values, bits):
    return sum((value & (1 << bits) - 1) << bits * at for at, value in enumerate(values))


def run(text, *arrays, out="uint32 z"):
    inputs = ", ".join(f"{a.dtype} {name}" for a, name in zip(arrays, "xyw"))
    made = np.ElementwiseKernel(inputs, out, text, "test")(*map(np.array, arrays))
    return [one.get() for one in made] if isinstance(made, tuple) else made.get()


@pytest.mark.parametrize(("of", "bits", "is_signed"), PARTS)
def test_the_best_of_sums_and_of_numbers(of, bits, is_signed):
    arrays = (WORDS, OTHERS, THIRDS)
    lanes = [tuple(zip(*(parts(one, bits, is_signed) for one in three)))
             for three in zip(*map(numpy.ndarray.tolist, arrays))]
    for name, best in (("max", max), ("min", min)):
        functions = {
            f"__viadd{name}_{of}": lambda a, b, c: best(wrapped(a + b, bits, is_signed), c),
            f"__vi{name}3_{of}": lambda a, b, c: best(a, b, c),
        }
        if is_signed:
            functions |= {f"{known}_relu": lambda a, b, c, it=it: max(it(a, b, c), 0)
                          for known, it in list(functions.items())}
            functions[f"__vi{name}_{of}_relu"] = lambda a, b, _: max(best(a, b), 0)
        for function, expected in functions.items():
            takes = "x, y, w" if "add" in function or "3_" in function else "x, y"
            found = run(f"z = {function}({takes})", *arrays)
            values = [word([expected(*lane) for lane in row], bits) for row in lanes]
            numpy.testing.assert_array_equal(found, numpy.array(values, "u4"), err_msg=function)


@pytest.mark.parametrize(("of", "bits", "is_signed"), PARTS)
def test_the_chosen_number_is_written(of, bits, is_signed):
    pairs = list(zip(WORDS.tolist(), OTHERS.tolist())) + [(5, 5), (0x50005, 0x50006)]
    x, y = (numpy.array(one, "u4") for one in zip(*pairs))
    lanes = [tuple(zip(parts(a, bits, is_signed), parts(b, bits, is_signed))) for a, b in pairs]
    for name, is_first in (("max", lambda a, b: a >= b), ("min", lambda a, b: a <= b)):
        targets = ["&high", "&low"] if bits == 16 else ["&low"]
        text = f"""
            bool high = false, low;
            z = __vib{name}_{of}(x, y, {', '.join(targets)});
            bits = high * 2 + low;
        """
        found, chosen = run(text, x, y, out="uint32 z, int32 bits")
        values = [word([a if is_first(a, b) else b for a, b in row], bits) for row in lanes]
        numpy.testing.assert_array_equal(found, numpy.array(values, "u4"), err_msg=name)
        values = [sum(is_first(a, b) << at for at, (a, b) in enumerate(row)) for row in lanes]
        numpy.testing.assert_array_equal(chosen, values, err_msg=name)


def test_results_have_the_types_of_cuda():
    # -1 as an int, and all bits as an unsigned int.
    ones = numpy.full(3, -1, "i4")
    assert run("z = __vimin3_s32(x, x, x) < 0", ones, out="bool z").all()
    assert run("z = __vimin3_u32(x, x, x) > 0", ones, out="bool z").all()
    assert run("z = __vimin3_s16x2(x, x, x) > 0", ones, out="bool z").all()
    assert run("z = __vimax3_s32(3, 5, 4)", ones, out="int32 z").tolist() == [5, 5, 5]


@on_parsed_texts
@pytest.mark.parametrize(("text", "message"), [
    ("z = __vimax_s32(x, x)", "`__vimax_s32` is not known here"),
    ("z = __viaddmax_s32(x, x)", "takes 3 arguments, not 2"),
    ("z = __vimax3_s32(x, x, 1.5)", "takes integers"),
    ("z = __vibmax_s32(x, x, x)", "writes to addresses of variables"),
    ("bool p; z = x > 0 ? __vibmax_s32(x, x, &p) : 0", "stands outside of"),
    ("z = __hadd2(x, x)", "a pair of halves is two variables here"),
    ("double v[2] = {3, 4}; z = norm(-1, v)", "a vector has 0 to 10000 elements, not -1"),
    ("double v[2] = {3, 4}; z = norm(x, v)", "the length of a vector must be known"),
])
def test_bad_calls_say_what_is_wrong(text, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run(text, numpy.arange(3, dtype="i4"), out="int32 z")


HALVES = numpy.concatenate([
    RNG.normal(0, 3, 60), RNG.normal(0, 300, 20),
    [0, -0.0, 1, -1, 65504, -65504, 6e-8, numpy.inf, -numpy.inf, numpy.nan, 0.5, 2048, 2.5, -2.5],
]).astype("f2")


def same(found, expected, name):
    numpy.testing.assert_array_equal(found, expected, err_msg=name)


@numpy.errstate(all="ignore")
def test_arithmetic_of_halves():
    x, y = HALVES, numpy.roll(HALVES, 5)
    unsure = {"__hadd": x + y, "__hsub": x - y, "__hmul": x * y}
    for name, expected in unsure.items():
        same(run(f"z = {name}(x, y)", x, y, out="float16 z"), expected, name)
        same(run(f"z = {name}_rn(x, y)", x, y, out="float16 z"), expected, name)
        limited = numpy.where(numpy.isnan(expected), 0, numpy.clip(expected, 0, 1))
        same(run(f"z = {name}_sat(x, y)", x, y, out="float16 z"), limited, name)
    for name, expected in {
        "__hdiv": x / y, "__hmax": numpy.fmax(x, y), "__hmin": numpy.fmin(x, y),
        "__hmax_nan": numpy.maximum(x, y), "__hmin_nan": numpy.minimum(x, y),
    }.items():
        same(run(f"z = {name}(x, y)", x, y, out="float16 z"), expected, name)
    for name, expected in {
        "__hneg": -x, "__habs": abs(x), "hsqrt": numpy.sqrt(x), "hfloor": numpy.floor(x),
        "hceil": numpy.ceil(x), "htrunc": numpy.trunc(x), "hrint": numpy.rint(x), "hrcp": 1 / x,
        "hrsqrt": 1 / numpy.sqrt(x.astype("f8")),
    }.items():
        same(run(f"z = {name}(x)", x, out="float16 z"), expected.astype("f2"), name)
    for name, function in {
        "hexp": numpy.exp, "hexp2": numpy.exp2, "hlog": numpy.log, "hlog2": numpy.log2,
        "hlog10": numpy.log10, "hsin": numpy.sin, "hcos": numpy.cos, "htanh": numpy.tanh,
        "hexp10": lambda it: 10**it,
    }.items():
        found = run(f"z = {name}(x)", x, out="float16 z")
        expected = function(x.astype("f8")).astype("f2")
        numpy.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-7, err_msg=name)


@numpy.errstate(all="ignore")
def test_comparisons_of_halves():
    x, y = HALVES, numpy.concatenate([HALVES[:40], numpy.roll(HALVES[40:], 3)])
    is_nan = numpy.isnan(x) | numpy.isnan(y)
    for name, expected in {
        "eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
    }.items():
        same(run(f"z = __h{name}(x, y)", x, y, out="bool z"), expected & ~is_nan, name)
        same(run(f"z = __h{name}u(x, y)", x, y, out="bool z"), expected | is_nan, name)
    same(run("z = __hisnan(x)", x, out="bool z"), numpy.isnan(x), "isnan")
    signs = numpy.where(numpy.isinf(x), numpy.sign(x), 0)
    same(run("z = __hisinf(x)", x, out="int32 z"), signs, "isinf")


def test_products_and_sums_of_halves_round_once():
    # In single precision, the sum is halfway between two halves.
    x, y, w = (numpy.array([one], "f2") for one in (1 + 2**-10, 1 - 2**-10, 2050))
    assert run("z = __hfma(x, y, w)", x, y, w, out="float16 z") == 2050
    draws = [RNG.uniform(-8, 8, 200).astype("f2") for _ in range(3)]
    # Doubles hold these sums without rounding.
    exact = draws[0].astype("f8") * draws[1] + draws[2]
    same(run("z = __hfma(x, y, w)", *draws, out="float16 z"), exact.astype("f2"), "fma")
    limited = numpy.clip(exact, 0, 1).astype("f2")
    same(run("z = __hfma_sat(x, y, w)", *draws, out="float16 z"), limited, "sat")
    limited = numpy.maximum(exact, 0).astype("f2")
    same(run("z = __hfma_relu(x, y, w)", *draws, out="float16 z"), limited, "relu")


def test_numbers_are_rounded_to_halves_first():
    x = numpy.ones(2, "f2")
    # 0.1 as a half, times three, is not 0.3.
    expected = [float(numpy.float16(0.1)) * 3] * 2
    for text in ("z = (double)__float2half(0.1f) * 3.0", "__half h = 0.1; z = 3.0 * h"):
        assert run(text, x, out="float64 z").tolist() == expected
    # A number of the call, too.
    kernel = np.ElementwiseKernel("T x, T y", "float64 z", "z = (double)y * 3.0")
    assert kernel(np.array(x), 0.1).get().tolist() == expected
    assert run("z = __half2float(__hmul(0.1, x))", x, out="float32 z")[0] == numpy.float16(0.1)
    # Of integers, it is the mean.
    assert run("z = __hadd(3, 8)", x, out="int32 z").tolist() == [5, 5]


def test_brain_floats():
    x = numpy.array([1, -2.5, 3.140625, 2.0**100], "f4")
    bits = x.view("u4") >> 16
    text = "__nv_bfloat16 b = __float2bfloat16(x); z = __bfloat162float(b)"
    found = run(text, x, out="float32 z")
    same(found, (bits << 16).astype("u4").view("f4"), "conversion")
    # 1/256 is half a step above one, and is lost; 1/128 is not.
    text = "z = __bfloat162float(__hadd(__float2bfloat16(1.0f), __float2bfloat16(x)))"
    found = run(text, numpy.array([1 / 256, 1 / 128], "f4"), out="float32 z")
    assert found.tolist() == [1, 1 + 1 / 128]
    found = run("z = __bfloat16_as_ushort(__float2bfloat16(x))", x, out="uint16 z")
    same(found, bits.astype("u2"), "bits")
    found = run("z = __half_as_ushort(x)", HALVES[:20], out="uint16 z")
    same(found, HALVES[:20].view("u2"), "bits")
