"""Kernels of the user's own: texts in C++ on arrays of any sharding."""

import numpy
import pytest

import phalanx as np

from .conftest import on_parsed_texts

RNG = numpy.random.default_rng(4)


def check(ours, expected, tolerance=0):
    expected = numpy.asarray(expected)
    assert (ours.dtype, ours.shape) == (expected.dtype, expected.shape)
    if tolerance:
        numpy.testing.assert_allclose(ours.get(), expected, rtol=tolerance, atol=tolerance)
    else:
        numpy.testing.assert_array_equal(ours.get(), expected)


def elementwise(text, *arrays, types=None, out="T z", **options):
    """The kernel of a text whose inputs are x, y and w."""
    types = types or ["T"] * len(arrays)
    inputs = ", ".join(f"{of} {name}" for of, name in zip(types, "xyw"))
    kernel = np.ElementwiseKernel(inputs, out, text, "test", **options)
    return kernel(*[np.array(a) if isinstance(a, numpy.ndarray) else a for a in arrays])


FLOATS = RNG.standard_normal(1000)
SINGLES = FLOATS.astype("f4")
WHOLE = RNG.integers(-100, 100, 1000).astype("i4")
OTHER = RNG.integers(1, 50, 1000).astype("i4") * RNG.choice([-1, 1], 1000).astype("i4")


def test_a_generic_kernel():
    squared = np.ElementwiseKernel(
        "T x, T y", "T z",
        """
            T diff = x - y;
            z = diff * diff;
        """,
        "squared_diff_generic",
    )
    for dtype in ("f4", "f8", "i4", "i8", "c8"):
        x = RNG.integers(-9, 9, (5, 40)).astype(dtype)
        y = RNG.integers(-9, 9, 40).astype(dtype)
        check(squared(np.array(x), np.array(y)), (x - y) ** 2)
    out = np.zeros((5, 40))
    x = RNG.standard_normal((5, 40))
    assert squared(np.array(x), 2.0, out) is not None
    check(out, (x - 2) * (x - 2))
    with pytest.raises(TypeError, match="`y` is float64, but its parameter is float32"):
        squared(np.array(SINGLES), np.array(FLOATS))


def test_integers_are_divided_towards_zero():
    check(elementwise("z = x / y", WHOLE, OTHER), numpy.trunc(WHOLE / OTHER).astype("i4"))
    check(elementwise("z = x % y", WHOLE, OTHER), numpy.fmod(WHOLE, OTHER))
    check(elementwise("z = x / 7 * 7 + x % 7", WHOLE), WHOLE)


def test_types_are_those_of_c():
    bytes_ = RNG.integers(0, 256, 100).astype("u1")
    # Small integers are computed as int.
    check(elementwise("z = x + x", bytes_, out="int32 z"), bytes_.astype("i4") * 2)
    check(elementwise("z = x + x", bytes_), bytes_ + bytes_)
    check(elementwise("z = -x < 0", bytes_, out="bool z"), bytes_ > 0)
    # A negative integer beside an unsigned one becomes large.
    unsigned = numpy.arange(5, dtype="u4")
    check(elementwise("z = x > -1", unsigned, out="bool z"), numpy.zeros(5, bool))
    # A double makes a float a double; a float literal does not.
    check(elementwise("z = x * 0.1", SINGLES), (SINGLES.astype("f8") * 0.1).astype("f4"))
    check(elementwise("z = x * 0.1f", SINGLES), SINGLES * numpy.float32(0.1))
    check(elementwise("z = (int)x", FLOATS * 9, out="int64 z"), (FLOATS * 9).astype("i4").astype("i8"))
    check(elementwise("z = x > 0 ? 1 : 2.5f", FLOATS, out="float32 z"),
          numpy.where(FLOATS > 0, 1, 2.5).astype("f4"))
    halves = SINGLES.astype("f2")
    check(elementwise("z = x * x + x", halves),
          (halves.astype("f4") * halves.astype("f4") + halves.astype("f4")).astype("f2"))
    check(elementwise("z = 1 << x", numpy.arange(20, dtype="i4")), 1 << numpy.arange(20, dtype="i4"))
    check(elementwise("unsigned char t = x; z = t", WHOLE), WHOLE.astype("u1").astype("i4"))
    check(elementwise("z = 0x7fffffff + x", numpy.ones(3, "i4")),
          numpy.full(3, -(2**31), "i4"))


def test_conditions_select():
    text = """
        if (x > 0) {
            T t = x * 2;
            if (x > 1) { z = t; } else z = -t;
        } else if (x < -1) {
            z = 1;
        } else {
            z = y;
        }
        if (z > 3) z = 3;
    """
    x, y = FLOATS, RNG.standard_normal(1000)
    expected = numpy.where(x > 0, numpy.where(x > 1, 2 * x, -2 * x), numpy.where(x < -1, 1, y))
    check(elementwise(text, x, y), numpy.minimum(expected, 3))
    check(elementwise("z = x > 0 && y > 0 || !(x < 1)", x, y, out="bool z"),
          ((x > 0) & (y > 0)) | ~(x < 1))
    check(elementwise("z = 0; z += x > 0; z += y > 0;", x, y, out="int32 z"),
          (x > 0).astype("i4") + (y > 0))


def test_loops_are_run_as_often_as_they_say():
    text = """
        T sum = 0, power = 1;
        for (int k = 0; k < 5; ++k) {
            sum += power * (k + 1);
            power *= x;
        }
        int turns = 3;
        while (turns > 0) { sum += turns; turns--; }
        z = sum;
    """
    expected = sum((k + 1) * FLOATS**k for k in range(5)) + 6
    check(elementwise(text, FLOATS), expected, 1e-13)
    text = """
        float c[3] = {1, 2, 3};
        float d[2];
        d[0] = c[0] + c[2]; d[1] = 0;
        for (int k = 0; k < 3; k++) d[1] += c[k] * x;
        z = d[0] + d[1];
    """
    check(elementwise(text, SINGLES), (4 + (SINGLES + 2 * SINGLES + 3 * SINGLES)).astype("f4"), 1e-6)


def test_numbers_as_arguments_are_known():
    text = """
        z = 0;
        for (int k = 0; k < turns; k++) z += x;
        if (factor > 1) z *= factor;
    """
    kernel = np.ElementwiseKernel("T x, int32 turns, T factor", "T z", text)
    x = np.array(FLOATS)
    for turns, factor in [(0, 2.0), (3, 2), (5, 0.5), (numpy.int32(2), 3.0)]:
        expected = sum((FLOATS for _ in range(turns)), numpy.zeros(1000))
        check(kernel(x, turns, factor), expected * factor if factor > 1 else expected)
    check(np.ElementwiseKernel("T x, T y", "T z", "z = x + y")(np.array(SINGLES), 0.1),
          SINGLES + numpy.float32(0.1))
    halves = SINGLES.astype("f2")
    check(np.ElementwiseKernel("T x, T y", "T z", "z = x * y")(np.array(halves), 0.1),
          (halves.astype("f4") * numpy.float32(numpy.float16(0.1))).astype("f2"))
    check(np.ElementwiseKernel("T x, int32 y", "T z", "z = x + y")(np.array(FLOATS), 2.7), FLOATS + 2)
    check(np.ElementwiseKernel("complex128 x", "complex128 z", "z = x * x")(1 + 2j),
          numpy.asarray((1 + 2j) ** 2))
    check(np.ElementwiseKernel("bool x, T y", "T z", "z = x ? y : -y")(True, np.array(FLOATS)), FLOATS)


def test_functions():
    names = {
        "sin": numpy.sin, "cos": numpy.cos, "exp": numpy.exp, "atan": numpy.arctan,
        "tanh": numpy.tanh, "floor": numpy.floor, "ceil": numpy.ceil, "trunc": numpy.trunc,
        "rint": numpy.rint, "fabs": numpy.abs, "cbrt": numpy.cbrt, "expm1": numpy.expm1,
        "exp2": numpy.exp2, "abs": numpy.abs, "asinh": numpy.arcsinh,
    }
    for name, function in names.items():
        check(elementwise(f"z = {name}(x)", FLOATS), function(FLOATS), 1e-14)
        check(elementwise(f"z = {name}(x)", SINGLES), function(SINGLES), 1e-6)
    positive = numpy.abs(FLOATS) + 0.1
    check(elementwise("z = log(x) + sqrt(x) + rsqrt(x)", positive),
          numpy.log(positive) + numpy.sqrt(positive) + 1 / numpy.sqrt(positive), 1e-13)
    check(elementwise("z = pow(x, 2.5) + hypot(x, 1.0) + atan2(x, 2.0)", positive),
          positive**2.5 + numpy.hypot(positive, 1) + numpy.arctan2(positive, 2), 1e-13)
    check(elementwise("z = round(x)", FLOATS * 4), numpy.trunc(FLOATS * 4 + numpy.copysign(0.5, FLOATS)))
    check(elementwise("z = round(x)", numpy.array([0.5, 1.5, 2.5, -0.5, -2.5])),
          numpy.array([1.0, 2, 3, -1, -3]))
    check(elementwise("z = min(max(x, -0.5), 0.5)", FLOATS), FLOATS.clip(-0.5, 0.5))
    check(elementwise("z = max(x, y)", WHOLE, OTHER), numpy.maximum(WHOLE, OTHER))
    check(elementwise("z = fma(x, x, 1.0)", FLOATS), FLOATS * FLOATS + 1, 1e-15)
    check(elementwise("z = isnan(x) || isinf(x)", numpy.array([1, numpy.nan, numpy.inf]), out="bool z"),
          numpy.array([False, True, True]))
    check(elementwise("z = __sinf(x) + sinf(x)", FLOATS), 2.0 * numpy.sin(SINGLES).astype("f8"), 1e-6)
    check(elementwise("z = __popc(x)", OTHER), numpy.bitwise_count(OTHER.view("u4")).astype("i4"))
    check(elementwise("z = std::min(x, y) + (x == y ? M_PI : INFINITY * 0 == 0)", FLOATS, FLOATS),
          FLOATS + numpy.pi)


def test_functions_near_their_limits():
    exponents = numpy.array([1100, 2000, -2000, 1100, 3], "i4")
    values = numpy.array([1e-300, 0.0, 1e300, 5e-324, 1.5])
    check(np.ElementwiseKernel("T x, int32 k", "T z", "z = ldexp(x, k)")(
        np.array(values), np.array(exponents)), numpy.ldexp(values, exponents))
    turns = numpy.array([0.0, 0.5, 1.0, 1.5, 2.0, -0.5, -1.0, 1e15, 0.25, 2.75, -7.3])
    sines = numpy.array([0, 1, 0, -1, 0, -1, 0, 0, 2**-0.5, 2**-0.5, numpy.sin(-7.3 * numpy.pi)])
    cosines = numpy.array([1, 0, -1, 0, 1, 0, -1, 1, 2**-0.5, -(2**-0.5), numpy.cos(-7.3 * numpy.pi)])
    check(elementwise("z = sinpi(x)", turns), sines, 1e-14)
    check(elementwise("z = cospi(x)", turns), cosines, 1e-14)
    assert elementwise("z = sinpi(x) == 0", numpy.array([1.0, 2, 3]), out="bool z").all()
    assert elementwise("z = cospi(x) == 0", numpy.array([0.5, 1.5, -2.5]), out="bool z").all()
    check(elementwise("z = 0; for (int k = 0; k < min(3, 4); ++k) z += x;", FLOATS),
          FLOATS + FLOATS + FLOATS)
    # The other part of a choice has a share in its type.
    check(elementwise("z = (true ? -1 : 1u) > 0", FLOATS, out="bool z"), numpy.ones(1000, bool))
    check(elementwise("z = (false ? sin(x) : 1) / 2", FLOATS), numpy.full(1000, 0.5))


def test_complex_numbers():
    z = FLOATS + 1j * RNG.standard_normal(1000)
    check(elementwise("z = x * conj(x)", z), z * z.conj(), 1e-14)
    check(elementwise("z = x.real() + imag(x)", z, out="float64 z"), z.real + z.imag)
    check(elementwise("z = complex<T>(x, -x)", FLOATS, out="complex128 z"), FLOATS - 1j * FLOATS)
    check(elementwise("z = static_cast<complex<double>>(thrust::complex<float>(1, 2)) + x", z), z + (1 + 2j))
    check(elementwise("z = norm(x) + abs(x)", z, out="float64 z"), abs(z) ** 2 + abs(z), 1e-13)
    if np.cuda.is_available():
        # What is no arithmetic is compiled there, and refused by the compiler.
        return
    with pytest.raises(ValueError, match="complex number becomes a real one"):
        elementwise("z = x", z, out="float64 z")
    with pytest.raises(ValueError, match="no order"):
        elementwise("z = x < x", z, out="bool z")


def test_the_number_of_an_element():
    check(elementwise("z = i", numpy.zeros((3, 50)), out="int64 z"), numpy.arange(150).reshape(3, 50))
    check(elementwise("z = x + n", numpy.arange(30)), numpy.arange(30) + 30)
    check(elementwise("z = _ind.get()[0] * 100 + _ind.get()[1]", numpy.zeros((4, 30)), out="int64 z"),
          numpy.arange(4)[:, None] * 100 + numpy.arange(30))
    check(elementwise("z = _ind.size()", numpy.zeros(7), out="int32 z"), numpy.full(7, 7, "i4"))


def test_raw_arrays():
    add_reverse = np.ElementwiseKernel(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse"
    )
    check(add_reverse(np.array(FLOATS), np.array(FLOATS)), FLOATS + FLOATS[::-1])
    taken = np.ElementwiseKernel("raw T x, S at", "T z", "z = x[at]")
    at = RNG.integers(0, 1000, (30, 20))
    check(taken(np.array(FLOATS), np.array(at)), FLOATS[at])
    matrix = RNG.standard_normal((12, 40))
    check(taken(np.array(matrix.T), np.array(at % 480)), numpy.ascontiguousarray(matrix.T).ravel()[at % 480])
    # Neighbours: no gather, but views.
    edges = np.ElementwiseKernel(
        "raw T x", "T z", "z = (i > 0 ? x[i - 1] : 0) + x[i] + (i < n - 1 ? x[i + 1] : 0)"
    )
    padded = numpy.pad(FLOATS, 1)
    result = edges(np.array(FLOATS), size=1000)
    assert "take" not in result.explain()
    check(result, padded[:-2] + FLOATS + padded[2:], 1e-14)
    check(np.ElementwiseKernel("raw T x", "T z", "z = x[2 * i + 1] + x[3] + x.size()")(
        np.array(FLOATS), size=500), FLOATS[1::2] + FLOATS[3] + 1000)
    check(np.ElementwiseKernel("raw T x", "T z", "z = x[n - 1 - i]")(
        np.array(FLOATS), size=1000), FLOATS[::-1])
    # A place outside reads some element, and nothing of an empty array.
    outside = np.ElementwiseKernel("raw T x", "T z", "z = i > 3 ? x[3] : x[0]")
    check(outside(np.arange(3.0), size=3), numpy.zeros(3))
    check(np.ElementwiseKernel("T z, raw T x", "T y", "y = z + x[0]")(np.zeros(0), np.zeros(0)),
          numpy.zeros(0))
    own = np.ElementwiseKernel("raw T x, T y", "T z", "z = x[_ind.get()] * y")
    check(own(np.array(matrix), np.array(matrix)), matrix * matrix)
    shape = np.ElementwiseKernel("raw T x", "int32 z", "z = x.shape()[1] * 10 + x.ndim()")
    check(shape(np.array(matrix), size=2), numpy.full(2, 402, "i4"))


def test_raw_outputs():
    y = np.zeros(1000)
    put = np.ElementwiseKernel("T x, S at", "raw T y", "y[at] = x")
    at = RNG.permutation(1000)[:300]
    put(np.array(FLOATS[:300]), np.array(at), y)
    expected = numpy.zeros(1000)
    expected[at] = FLOATS[:300]
    check(y, expected)
    # Of several values for one place the last one stays.
    y = np.zeros(10)
    put(np.array(FLOATS), np.array(numpy.arange(1000) % 10), y)
    check(y, FLOATS[-10:])
    # With a condition, and places outside, which are left out.
    y = np.array(FLOATS)
    np.ElementwiseKernel("raw T x", "raw T y", "if (x[i] > 0) y[n - 1 - i] = -x[i]; y[i + n] = 7;")(
        np.array(FLOATS), y, size=1000)
    expected = FLOATS.copy()
    for number, x in enumerate(FLOATS):
        if x > 0:
            expected[999 - number] = -x
    check(y, expected)
    shifted = np.array(FLOATS)
    np.ElementwiseKernel("raw T x", "raw T y", "y[i + 1] = x[i]")(np.array(FLOATS), shifted, size=999)
    check(shifted, numpy.concatenate([FLOATS[:1], FLOATS[:-1]]))
    matrix = np.zeros((4, 25))
    np.ElementwiseKernel("", "raw T y", "y[2 * i] = i")(matrix, size=50)
    check(matrix, (numpy.arange(100) * (numpy.arange(100) % 2 == 0) / 2).reshape(4, 25))


def test_atomic_operations():
    at = RNG.integers(0, 20, 1000)
    histogram = np.zeros(20, "int32")
    np.ElementwiseKernel("S at", "raw T y", "atomicAdd(&y[at], 1)")(np.array(at), histogram)
    check(histogram, numpy.bincount(at, minlength=20).astype("i4"))
    sums = np.zeros(20)
    np.ElementwiseKernel("T x, S at", "raw T y", "if (x > 0) atomicAdd(&y[at], x)")(
        np.array(FLOATS), np.array(at), sums)
    check(sums, numpy.bincount(at, numpy.where(FLOATS > 0, FLOATS, 0), 20), 1e-12)
    largest = np.full(20, -100.0)
    np.ElementwiseKernel("T x, S at", "raw T y", "atomicMax(&y[at], x)")(
        np.array(FLOATS), np.array(at), largest)
    expected = numpy.full(20, -100.0)
    numpy.maximum.at(expected, at, FLOATS)
    check(largest, expected)


def test_functions_of_a_preamble():
    preamble = """
        __device__ float half_of(float x) { return x / 2; }
        template <typename U>
        __device__ U clipped(U x, const U& low, U high) {
            if (x < low) return low;
            if (x > high) { return high; }
            return x;
        }
        static inline int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
    """
    ours = elementwise("z = clipped(x, T(-1), T(1)) + half_of(2.0f) + sign(x)", FLOATS, preamble=preamble)
    check(ours, FLOATS.clip(-1, 1) + 1 + numpy.sign(FLOATS))
    ours = elementwise("z = x * factor", FLOATS, loop_prep="T factor = 3;")
    check(ours, FLOATS * 3)


def test_functions_return_from_anywhere():
    preamble = """
        __device__ double early(double x) { if (x > 0) { if (x > 1) return 2; } return 3; }
        __device__ double first(double x) {
            for (int k = 0; k < 3; ++k) { if (x <= k) return k; }
            return -1;
        }
        __device__ long long joined(int x) { if (x < 0) return x; return 1u; }
        __device__ int fibonacci(int k) { return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2); }
        __device__ int some(int x) { if (x > 0) return 1; }
    """

    def run(text, array, out="float64 z"):
        return elementwise(text, array, out=out, preamble=preamble)

    check(run("z = early(x)", FLOATS), numpy.where(FLOATS > 1, 2.0, 3.0))
    x = FLOATS * 2
    check(run("z = first(x)", x), numpy.select([x <= 0, x <= 1, x <= 2], [0.0, 1.0, 2.0], -1.0))
    check(run("z = joined(x)", WHOLE, "int64 z"), numpy.where(WHOLE < 0, WHOLE, 1).astype("i8"))
    check(run("z = fibonacci(12) + x - x", WHOLE, "int32 z"), numpy.full(1000, 144, "i4"))
    # A condition around the call is none of the function's.
    check(run("z = 0; if (x > 0) z = early(x);", FLOATS),
          numpy.where(FLOATS > 0, numpy.where(FLOATS > 1, 2.0, 3.0), 0))
    if np.cuda.is_available():
        return
    with pytest.raises(ValueError, match="returns for some elements only"):
        run("z = some(x)", WHOLE, "int32 z")
    with pytest.raises(ValueError, match="in `f`, line 2 of the preamble: `q` is not known"):
        elementwise("z = f(x)", FLOATS, preamble="double f(double x) {\n return q; }")


def test_outputs_that_are_inputs():
    x, y = np.arange(4.0), np.arange(4.0) + 10
    np.ElementwiseKernel("T a, T b", "T c, T d", "c = b; d = a;")(x, y, x, y)
    check(x, numpy.arange(4.0) + 10)
    check(y, numpy.arange(4.0))
    x, z = np.arange(4.0), np.zeros(4)
    np.ElementwiseKernel("T a", "T c, T d", "c = a + 1; d = a;")(x, x, z)
    check(x, numpy.arange(4.0) + 1)
    check(z, numpy.arange(4.0))
    for outputs in (numpy.zeros(4), [0.0, 0, 0, 0]):
        with pytest.raises(TypeError, match="an output is a phalanx.ndarray"):
            np.ElementwiseKernel("T a", "T d", "d = a + 1")(np.arange(4.0), outputs)
    with pytest.raises(TypeError, match="an output is a phalanx.ndarray"):
        np.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(x, out=numpy.zeros(()))


def test_several_outputs_and_no_return():
    both = np.ElementwiseKernel("T x", "T y, bool z", "y = -x; z = x > 0")
    y, z = both(np.array(FLOATS))
    check(y, -FLOATS)
    check(z, FLOATS > 0)
    assert isinstance(np.ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)(np.zeros(3)), tuple)
    silent = np.ElementwiseKernel("T x", "T y", "y = x + 1", no_return=True)
    out = np.zeros(3)
    assert silent(np.zeros(3), out) is None
    check(out, numpy.ones(3))
    # A result is never the operand itself.
    x = np.array(FLOATS)
    same = np.ElementwiseKernel("T x", "T y", "y = x")(x)
    x[:] = 0
    check(same, FLOATS)
    wide = np.ElementwiseKernel("T x, T y", "T z", "z = y")(np.zeros((3, 4)), np.arange(4.0))
    check(wide, numpy.tile(numpy.arange(4.0), (3, 1)))
    # An output that is given keeps what the text does not assign.
    kept = np.array(FLOATS)
    np.ElementwiseKernel("T x", "T y", "if (x > 0) y = 0; y += 1")(np.array(FLOATS), kept)
    check(kept, numpy.where(FLOATS > 0, 0, FLOATS) + 1)


def test_attributes():
    kernel = np.ElementwiseKernel("T x, raw int32 y", "float64 z", "z = x + y[0]", "named")
    assert (kernel.name, kernel.nin, kernel.nout, kernel.nargs) == ("named", 2, 1, 3)
    names = [(one.name, one.ctype, one.raw, one.is_const) for one in kernel.params]
    assert names == [("x", "T", False, True), ("y", "int32", True, True), ("z", "float64", False, False)]
    assert kernel.in_params[1].dtype == numpy.dtype("int32") and kernel.in_params[0].dtype is None
    assert kernel.operation == "z = x + y[0]" and not kernel.no_return
    assert repr(kernel) == "<ElementwiseKernel 'named'>"


def test_a_kernel_is_fused():
    numbers = RNG.standard_normal(100_000)
    x = np.array(numbers)
    np.evaluate(x)
    kernel = np.ElementwiseKernel("T x, T y", "T z", "T d = x - y; if (d > 0) z = d * d; else z = 0")
    result = kernel(x * 2, 1.0) + 1
    assert ": 1 launch" in result.explain()
    check(result, numpy.where(2 * numbers > 1, (2 * numbers - 1) ** 2, 0) + 1)


def test_fuse_is_no_more_than_a_name():
    @np.fuse(kernel_name="difference")
    def squared(x, y):
        """Squares."""
        difference = x - y
        return difference * difference

    @np.fuse()
    def total(x):
        return np.sqrt(np.sum(x * x + 1))

    class Holder:
        @np.fuse
        def double(self, x):
            return x + x

    numbers = RNG.standard_normal(100_000)
    x = np.array(numbers)
    np.evaluate(x)
    assert (squared.__name__, squared.__doc__, squared.kernel_name) == ("squared", "Squares.", "difference")
    # One kernel, as CuPy's.
    assert ": 1 launch" in squared(x, 1).explain()
    assert total(x).explain().count(" launch ") <= 2
    check(squared(x, 1), (numbers - 1) ** 2)
    check(total(x), numpy.asarray(numpy.sqrt((numbers * numbers + 1).sum())), 1e-12)
    check(Holder().double(x), numbers + numbers)
    assert squared(3, 1) == 4 and squared.clear_cache() is None
    for wrong in (lambda: np.fuse(3), lambda: np.fuse(len, len)):
        with pytest.raises(TypeError):
            wrong()


@on_parsed_texts
def test_mistakes():
    x = np.array(FLOATS)
    for text, message in [
        ("z = foo(x)", "`foo` is not known"),
        ("z = x;\nz = q;", "line 2: `q` is not known"),
        ("x = 1", "`x` is constant"),
        ("z = x[0]", "see `raw`"),
        ("for (int k = 0; k < x; k++) z = k;", "must not depend on elements"),
        ("for (int k = 0; k < 99999; k++) z = k;", "more than 10000 turns"),
        ("int k = 0; while (1) k++;", "more than 10000 turns"),
        ("z = x & 1", "must be integers"),
        ("z = sin(x, x)", "takes 1 arguments, not 2"),
        ("T t; z = t;", "has no value yet"),
        ("const int k = 1; k = 2;", "`k` is constant"),
        ("z = 1 / 0", "divided by zero"),
        ("return;", "`return` needs a value"),
        ("int v[2]; z = v[2];", "must be known and inside"),
        ("z = x + " + "x + " * 2000 + "x", "terms in a row"),
        ("z = x[7] + y[idx[0]];", "z = x[7] + y[idx[0]];"),
    ]:
        with pytest.raises(ValueError, match="PX138") as caught:
            np.ElementwiseKernel("T x", "T z", text, "wrong")(x)
        assert message in str(caught.value), caught.value
    for arguments in [("T", "T z", "z = 1"), ("T x, T x", "T z", "z = x"), ("T float", "T z", "z = 1"), ("T x", "Q9 z", "z = x"), ("T x", "T i", "i = x"),
                      ("T x", "T z", "z = "), ("T x", "T z", "__syncthreads(")]:
        with pytest.raises(ValueError, match="PX138"):
            np.ElementwiseKernel(*arguments)
    kernel = np.ElementwiseKernel("T x, T y", "T z", "z = x + y")
    with pytest.raises(TypeError, match="it takes 2 inputs, or 3 inputs and outputs, not 1 arguments"):
        kernel(x)
    with pytest.raises(ValueError, match="broadcast"):
        kernel(x, np.zeros(7))
    with pytest.raises(ValueError, match="size"):
        kernel(x, x, size=5)
    with pytest.raises(ValueError, match="size"):
        np.ElementwiseKernel("raw T x", "T z", "z = x[i]")(x)
    with pytest.raises(TypeError, match="the raw output `z` must be given"):
        np.ElementwiseKernel("raw T x", "raw T z", "z[i] = x[i]")(x, size=3)
    with pytest.raises(TypeError, match="decides the dtype of `z`"):
        np.ElementwiseKernel("T x", "S z", "z = x")(x)
    with pytest.raises(TypeError, match="unexpected keyword"):
        np.ElementwiseKernel("T x", "T z", "z = x", wrong=1)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(axis, keepdims):
    x = RNG.standard_normal((7, 11, 13))
    array = np.array(x)
    norm = np.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    check(norm(array, axis=axis, keepdims=keepdims),
          numpy.sqrt((x * x).sum(axis=axis, keepdims=keepdims)), 1e-12)
    largest = np.ReductionKernel("T x", "T y", "fabs(x)", "max(a, b)", "y = a", "0")
    check(largest(array, axis=axis, keepdims=keepdims), abs(x).max(axis=axis, keepdims=keepdims))
    # A combination that no table has: the one farthest from zero, with its sign.
    farthest = np.ReductionKernel("T x", "T y", "x", "fabs(a) < fabs(b) ? b : a", "y = a", None)
    greatest, least = x.max(axis=axis, keepdims=keepdims), x.min(axis=axis, keepdims=keepdims)
    check(farthest(array, axis=axis, keepdims=keepdims),
          numpy.where(abs(greatest) > abs(least), greatest, least))
    mean = np.ReductionKernel("T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0")
    check(mean(array, axis=axis, keepdims=keepdims), x.mean(axis=axis, keepdims=keepdims), 1e-12)


def test_more_reductions():
    x, y = RNG.standard_normal(1000), RNG.standard_normal(1000)
    dot = np.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
    check(dot(np.array(x), np.array(y)), numpy.asarray((x * y).sum()), 1e-12)
    ranks = np.ReductionKernel("T x", "bool z", "x > 3", "a || b", "z = a", "false")
    check(ranks(np.array(x)), numpy.asarray((x > 3).any()))
    count = np.ReductionKernel("T x", "int64 z", "x > 0 ? 1 : 0", "a + b", "z = a", "0")
    check(count(np.array(x)), numpy.asarray((x > 0).sum()))
    # Values of another type than the result, and an identity that counts.
    wide = np.ReductionKernel("T x", "float32 z", "x", "a + b", "z = a", "1", reduce_type="double")
    check(wide(np.array(x.astype("f4"))), numpy.float32(x.astype("f4").astype("f8").sum() + 1), 1e-6)
    # The order of values matters for this one: the last one that is positive.
    last = np.ReductionKernel("T x", "T z", "x", "b > 0 ? b : a", "z = a", None)
    for length in (1, 2, 3, 5, 8, 13, 100, 999):
        some = RNG.standard_normal(length)
        positive = some[some > 0]
        check(last(np.array(some)), numpy.asarray(positive[-1] if positive.size else some[0]))
    out = np.zeros(())
    assert dot(np.array(x), np.array(y), out=out) is not None
    check(out, numpy.asarray((x * y).sum()), 1e-12)
    nothing = np.zeros((3, 0))
    check(dot(nothing, nothing, axis=1), numpy.zeros(3))
    with pytest.raises(ValueError, match="PX016"):
        last(nothing, axis=1)
    with pytest.raises(ValueError, match="out of bounds"):
        dot(np.array(x), np.array(y), axis=1)
    pairs = np.ReductionKernel("T x", "T least, T twice", "x", "min(a, b)", "least = a; twice = 2 * a", None)
    least, twice = pairs(np.array(x))
    check(least, numpy.asarray(x.min()))
    check(twice, numpy.asarray(2 * x.min()))
    sizes = np.ReductionKernel("T x", "T y", "x * _out_ind.size()", "a + b", "y = a", "0")
    check(sizes(np.ones((3, 4)), axis=1), numpy.full(3, 12.0))
    greater = np.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", "0")
    check(greater(np.ones((0, 4)), axis=1), numpy.zeros(0))
    own = np.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None,
                             preamble="template<typename T> T max(T a, T b) { return a + 2 * b; }")
    check(own(np.arange(2.0)), numpy.asarray(2.0))
    raw = np.ReductionKernel("T x, raw T y", "T z", "x * y[_ind.size() - 1 - i]", "a + b", "z = a + y[0]", "0")
    check(raw(np.array(x), np.array(y)), numpy.asarray((x * y[::-1]).sum() + y[0]), 1e-12)


def test_black_scholes_as_a_kernel():
    text = """
        const T sqrt_t = sqrt(t);
        const T d1 = (log(s / k) + (r + v * v / 2) * t) / (v * sqrt_t);
        const T d2 = d1 - v * sqrt_t;
        call = s * cumulative(d1) - k * exp(-r * t) * cumulative(d2);
    """
    preamble = """
        __device__ double cumulative(double d) {
            const double a[5] = {0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429};
            const double w = 1.0 / (1.0 + 0.2316419 * fabs(d));
            double series = 0;
            for (int k = 4; k >= 0; --k) series = w * (a[k] + series);
            const double tail = 0.3989422804014327 * exp(-0.5 * d * d) * series;
            return d > 0 ? 1.0 - tail : tail;
        }
    """
    kernel = np.ElementwiseKernel("T s, T k, T t, T r, T v", "T call", text, preamble=preamble)
    s, k, t = (RNG.random(2000) * 30 + 1 for _ in range(3))

    def cumulative(d):
        w = 1 / (1 + 0.2316419 * abs(d))
        series = w * (0.319381530 + w * (-0.356563782 + w * (1.781477937 + w * (
            -1.821255978 + w * 1.330274429))))
        tail = 0.3989422804014327 * numpy.exp(-0.5 * d * d) * series
        return numpy.where(d > 0, 1 - tail, tail)

    d1 = (numpy.log(s / k) + (0.02 + 0.3**2 / 2) * t) / (0.3 * numpy.sqrt(t))
    d2 = d1 - 0.3 * numpy.sqrt(t)
    expected = s * cumulative(d1) - k * numpy.exp(-0.02 * t) * cumulative(d2)
    check(kernel(np.array(s), np.array(k), np.array(t), 0.02, 0.3), expected, 1e-11)


def test_outputs_share_no_memory():
    both = np.ElementwiseKernel("T x", "T z, T w", "T t = x + 1; z = t; w = t", "both")
    z, w = both(np.zeros(3))
    z[0] = 9
    assert (z.tolist(), w.tolist()) == ([9, 1, 1], [1, 1, 1])
    sums = np.ReductionKernel("T x", "T y, T z", "x", "a + b", "y = a; z = a", "0", "sums")
    y, z = sums(np.ones((2, 3)), axis=1)
    y[0] = 9
    assert (y.tolist(), z.tolist()) == ([9, 3], [3, 3])
    # A text that only moves elements.
    x = np.arange(4.0)
    for text in ("z = x[i]", "z = x[3 - i]", "z = x[_ind.get()]"):
        z = np.ElementwiseKernel("raw T x", "T z", text)(x, size=4)
        z[:] = 9
        assert x.tolist() == [0, 1, 2, 3], text
    last = np.ReductionKernel("T x", "T y", "x", "hypot(a, b)", "y = a", None)
    y = last(x.reshape(4, 1), axis=1)
    y[:] = 9
    assert x.tolist() == [0, 1, 2, 3]
    # An output may be an input.
    w = np.zeros(4)
    np.ElementwiseKernel("raw T x", "T z, T w", "z = x[3 - i]; w = x[i]")(x, x, w)
    assert (x.tolist(), w.tolist()) == ([3, 2, 1, 0], [0, 1, 2, 3])
