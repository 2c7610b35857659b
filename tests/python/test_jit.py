"""Kernels that are written in Python: their texts run on the CPU with g++, are compiled with NVRTC,
and run on GPUs where there are some."""

import inspect
import os
import re

import numpy
import pytest

import phalanx as np
from phalanx._jit import kernels as _jit
from phalanx._jit.types import Array

from . import jit_emulation as emulation
from . import jit_thrust_kernels  # noqa: F401: it adds cases
from .jit_kernels import CASES, jit

NO_GPU = np._phalanx._gpu_count() == 0
# The compilers for the host and for GPUs take seconds: each gets a part of the cases.
EACH = 1 if os.environ.get("PHALANX_TEST_FULL") == "1" else 8


def some(first):
    return list(CASES)[first::EACH]


def check(arguments, expected):
    for given, wanted in zip(arguments, expected):
        if wanted is None or wanted is ...:
            continue
        given = numpy.asarray(given)
        assert given.dtype == wanted.dtype or wanted.dtype.kind == "f"
        if given.dtype.kind in "fc":
            tolerance = 2e-3 if given.dtype == "float16" else 2e-6
            numpy.testing.assert_allclose(given, wanted, rtol=tolerance, atol=tolerance)
        else:
            numpy.testing.assert_array_equal(given, wanted)


def text_of(kernel, *args):
    """The text of a kernel for NumPy's arrays and numbers."""
    types = emulation.types_of(args)
    return _jit.kernel_text(kernel._jit_function, types, kernel._jit_mode)[0]


@pytest.mark.parametrize("name", some(0))
def test_kernels_on_the_cpu(name):
    kernel, grid, block, arguments, expected = CASES[name]()
    emulation.run(kernel, grid, block, *arguments)
    check(arguments, expected)


@pytest.mark.parametrize("name", some(EACH // 2))
def test_kernels_compile_for_gpus(name):
    kernel, _, _, arguments, _ = CASES[name]()
    emulation.compile_for_gpu(text_of(kernel, *arguments))


@pytest.mark.skipif(NO_GPU, reason="there is no GPU")
@pytest.mark.parametrize("name", CASES)
def test_kernels_on_gpus(name):
    kernel, grid, block, arguments, expected = CASES[name]()
    on_device = [np.asarray(one) if isinstance(one, numpy.ndarray) else one for one in arguments]
    # Some kernels have dynamic shared memory.
    kernel(grid, block, tuple(on_device), shared_mem=4096)
    check([one.get() if isinstance(one, np.ndarray) else one for one in on_device], expected)


@jit.rawkernel()
def grid_kernel(x):
    grid = jit.cg.this_grid()
    if grid.thread_rank() == 0:
        x[0] = grid.is_valid()
    grid.sync()
    jit.cg.sync(grid)
    x[1] = grid.num_blocks()


def test_grids_that_wait_need_a_header():
    x = numpy.zeros(64, "int32")
    text, _, cooperative = _jit.kernel_text(grid_kernel._jit_function, emulation.types_of([x]))
    assert cooperative and "#include <cooperative_groups.h>" in text
    emulation.compile_for_gpu(text, emulation.include_folders())


def test_other_kernels_need_no_header():
    for name, make in CASES.items():
        assert "#include" not in text_of(make()[0], *make()[3]), name


# Texts and caches


class Launches:
    """Stands for RawKernel: it keeps what it is called with."""

    made = []

    def __init__(self, code, name, options=(), **more):
        self.code, self.name, self.calls = code, name, []
        Launches.made.append(self)

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        self.calls.append((grid, block, args, shared_mem, stream))


@pytest.fixture
def launches(monkeypatch):
    monkeypatch.setattr(np, "RawKernel", Launches, raising=False)
    monkeypatch.setattr(_jit, "_has_gpus", lambda: True)
    Launches.made = []
    return Launches


def test_arrays_become_pointers_lengths_and_strides(launches):
    @jit.rawkernel
    def kernel(x, n, scale):
        x[0, 0] = n * scale

    assert kernel.cached_codes == {}
    with pytest.raises(ValueError, match="has not been called"):
        kernel.cached_code
    x = np.zeros((2, 3), "float32")
    kernel((4,), (32, 2), (x, 5, 0.5), shared_mem=16)
    kernel[4, 32](x, 6, numpy.float32(0.5))
    kernel[4, 32](x, 7, 1.5)
    assert len(launches.made) == 2 == len(kernel.cached_codes)
    assert kernel.cached_code == launches.made[0].code
    assert launches.made[0].name == "jit_kernel"
    grid, block, args, shared, stream = launches.made[0].calls[0]
    assert (grid, block, shared, stream) == ((4,), (32, 2), 16, None)
    assert args[0] is x and [int(one) for one in args[1:5]] == [2, 3, 12, 4]
    assert all(type(one) is numpy.int64 for one in args[1:6])
    assert type(args[6]) is numpy.float64
    head = re.search(r"void jit_kernel\((.*)\)", kernel.cached_code)[1]
    assert head == ("float* x_data, long long x_length_0, long long x_length_1, "
                    "long long x_stride_0, long long x_stride_1, long long n, double scale")


def test_arguments_that_kernels_do_not_have(launches):
    @jit.rawkernel()
    def kernel(x):
        x[0] = 1

    for args, match in [
        (([1],), "not builtins.list"), ((numpy.zeros(3),), "not numpy.ndarray"),
        (("a",), "not builtins.str"), ((None,), "NoneType"), ((1, 2), "takes 1 arguments, not 2"),
    ]:
        with pytest.raises(TypeError, match=match):
            kernel((1,), (1,), args)
    with pytest.raises(TypeError, match="args is a tuple"):
        kernel((1,), (1,), 5)
    with pytest.raises(TypeError, match="the grid is 1 to 3 integers"):
        kernel("a", 1, (np.zeros(3),))
    with pytest.raises(OverflowError, match="out of the range"):
        kernel(1, 1, (2**70,))
    with pytest.raises(TypeError, match="takes a grid and a block"):
        kernel[1]
    with pytest.raises(ValueError, match="mode is 'cuda' or 'numpy'"):
        jit.rawkernel(mode="c")
    with pytest.raises(TypeError, match="takes a function"):
        jit.rawkernel(3)


def test_device_functions_are_called_by_kernels_only():
    @jit.rawkernel(device=True)
    def function(x):
        return x

    with pytest.raises(TypeError, match="only kernels call it"):
        function(1, 1, (1,))


def test_names_of_kernels_raise_outside_of_them():
    for use in (
        lambda: jit.syncthreads(), lambda: jit.grid(1), lambda: jit.threadIdx.x,
        lambda: jit.atomic_add(None, 0, 1), lambda: jit.cg.this_grid(),
        lambda: jit.thrust.sort(jit.thrust.seq, 0, 1),
        lambda: jit.cub.WarpReduce[numpy.int32](None), lambda: jit.range(3),
    ):
        with pytest.raises(RuntimeError, match="inside of kernels only"):
            use()
    with pytest.raises(AttributeError):
        jit.threadIdx.w
    assert repr(jit.warpsize) == "<jit warpsize>"


def test_pragmas_of_unrolled_loops():
    def text(unroll):
        @jit.rawkernel()
        def kernel(x):
            if unroll == None:  # noqa: E711
                for i in jit.range(5):
                    x[i] += 2
            else:
                for i in jit.range(5, unroll=unroll):
                    x[i] += 2

        return text_of(kernel, numpy.zeros(8, "float32")).partition("jit_kernel")[2]

    assert "\n#pragma unroll\n" in text(True)
    assert "\n#pragma unroll(1)\n" in text(False)
    assert "\n#pragma unroll(5)\n" in text(5)
    assert "pragma" not in text(None)


def test_literals_widen_the_variables_that_they_start():
    @jit.rawkernel()
    def kernel(x, y):
        total, count, flag = 0, 0, False
        for i in range(len(x)):
            total += x[i]
            count += 1
            flag = flag or x[i] > 3
        y[0] = total + count + flag

    text = text_of(kernel, numpy.zeros(3), numpy.zeros(3))
    assert "double total;" in text and "int count;" in text and "bool flag;" in text
    text = text_of(kernel, numpy.zeros(3, "int8"), numpy.zeros(3))
    assert "int total;" in text


def test_contiguous_arrays_do_without_strides():
    x = numpy.zeros((4, 4), "float32")
    types = Array(numpy.dtype("float32"), 2, True), Array(numpy.dtype("float32"), 2, False)
    assert emulation.types_of([x, x.T]) == types
    assert types[0] != types[1]


def test_names_of_cxx_are_not_in_the_way():
    @jit.rawkernel()
    def template(new, double, π):
        int = new[0]
        sin = numpy.sin(double)
        __x = sin + π
        x_data = 1.0
        new[0] = int + __x + x_data

    x = numpy.array([1.0])
    emulation.run(template, 1, 1, x, 0.5, 2)
    assert x[0] == 1 + numpy.sin(0.5) + 2 + 1


def test_print_becomes_printf():
    @jit.rawkernel()
    def kernel(x):
        print("100% of\t", x[0], 5, x.size)

    text = text_of(kernel, numpy.zeros(3, "float32"))
    assert 'printf("100%% of\t %g %lld %lld\\n", ((double)x(0)), 5LL, x.shape[0]);' in text
    emulation.compile_for_gpu(text)


def test_public_names():
    for name in jit.__all__:
        assert getattr(jit, name) is not None
    assert len(jit.thrust.__all__) == 49 and len(jit.cg.__all__) == 6 and len(jit.cub.__all__) == 5
    for name, one in inspect.getmembers(jit.thrust):
        assert name.startswith("_") or one.__doc__


def test_docstrings_are_whole():
    for module in (jit, jit.cg, jit.thrust):
        for name, one in inspect.getmembers(module, inspect.isroutine):
            if name.startswith("_"):
                continue
            text = inspect.cleandoc(one.__doc__)
            assert one.__name__ == name and one.__module__.startswith("phalanx.x.jit")
            for section in ("Returns", "Raises", "Notes", "Examples"):
                assert f"\n{section}\n{'-' * len(section)}\n" in text, name
            for parameter in inspect.signature(one).parameters:
                assert re.search(rf"^ *\*?{parameter} : ", text, re.MULTILINE), name
    assert "first, last, iterator, [value], [operation]" in jit.thrust.exclusive_scan.__doc__


# Scalar functions


def newton(x, turns):
    guess = x
    for _ in range(turns):
        guess = 0.5 * (guess + x / guess)
    return guess


def collatz(n):
    steps = 0
    while n != 1 and n > 0:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def sign_of(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return x * 0.0


def floors(x):
    return halved(x) + numpy.floor(x) + round(x) + int(x)


def halved(x):
    factor = numpy.float32(0.5)
    return abs(x) * factor


def test_scalar_functions():
    x = numpy.linspace(1, 9, 20)
    call, result = emulation.scalar(newton, ("float64", "int64"))
    assert result == "float64"
    numpy.testing.assert_allclose(call(x, numpy.full(20, 8)), numpy.sqrt(x))
    call, result = emulation.scalar(collatz, ("int32",))
    assert result == "int64"
    assert call(numpy.arange(1, 30, dtype="int32")).tolist() == [collatz(n) for n in range(1, 30)]
    call, result = emulation.scalar(sign_of, ("float32",))
    assert result == "float32"
    assert call(numpy.array([-2, 0, 3], "float32")).tolist() == [-1, 0, 1]
    call, result = emulation.scalar(floors, ("float64",))
    assert call(x - 5).tolist() == [floors(one) for one in x - 5]


def test_lambdas():
    functions = [lambda x: x + 1, lambda x: x * 2]
    assert emulation.scalar(functions[0], ("int32",))[0](numpy.arange(3)) .dtype == "int32"
    doubled = emulation.scalar(functions[1], ("float32",))[0](numpy.arange(3, dtype="float32"))
    assert doubled.tolist() == [0, 2, 4]


def test_elementwise_texts_run_as_elementwise_kernels():
    x = numpy.linspace(-3, 3, 7)
    n = numpy.arange(7, dtype="int32")
    for function, arguments in [
        (lambda x: x * x if x > 0 else -x, [x]),
        (sign_of, [x]),
        (lambda x, n: x // 2 + n % 3 - n // 2, [x, n]),
        (lambda n: (n + 1) * (n & 3) << 1, [n]),
        (lambda x: numpy.sin(x) ** 2 + max(x, 0.5), [x.astype("float32")]),
        (lambda x: x + 0.5, [x.astype("float16")]),
        (lambda x: x * 1j + x.conjugate(), [x + 1j]),
        (lambda x: 1 < x < 2 or x != x, [x]),
        (loop_of_ten, [x]),
    ]:
        text = _jit.elementwise_text(function, [one.dtype for one in arguments])
        kernel = np.ElementwiseKernel(text.in_params, text.out_params, text.operation, "k",
                                      preamble=text.preamble)
        found = kernel(*map(np.asarray, arguments)).get()
        expected = numpy.array([function(*row) for row in zip(*arguments)], found.dtype)
        numpy.testing.assert_allclose(found, expected, rtol=1e-3, err_msg=text.preamble)


def loop_of_ten(x):
    total = 0.0
    for i in range(10):
        if i % 2:
            total += x * i
    return total


def test_elementwise_texts_have_one_value():
    with pytest.raises(TypeError, match="returns 2 values"):
        _jit.elementwise_text(lambda x: (x, x + 1), ["float32"])
    with pytest.raises(TypeError, match="returns no value"):
        _jit.compile_scalar(nothing, ["float32"])
    _, _, result = _jit.compile_scalar(lambda x: (x, x > 1), ["float32"])
    assert result == (numpy.dtype("float32"), numpy.dtype("bool"))


def nothing(x):
    pass


def test_what_a_known_condition_excludes_is_not_translated():
    def kernel(x, flag):
        if flag.dtype == numpy.bool_:
            x[0] = 1
            return
        x.no_such_attribute

    x = numpy.zeros(3)
    assert "return;" in _jit.kernel_text(kernel, emulation.types_of([x, True]))[0]
    with pytest.raises(AttributeError, match="no_such_attribute"):
        _jit.kernel_text(kernel, emulation.types_of([x, 1]))


@pytest.mark.parametrize("function, dtypes, in_cuda, in_numpy", [
    (lambda x: x + 1, ["int8"], "int32", "int8"),
    (lambda x: x * 0.5, ["float32"], "float32", "float32"),
    (lambda x: x * 0.5, ["float64"], "float64", "float64"),
    (lambda x: x * 0.5, ["float16"], "float32", "float16"),
    (lambda x: x * 0.5, ["int32"], "float32", "float64"),
    (lambda x: x * 1j, ["float64"], "complex128", "complex128"),
    (lambda x, y: x / y, ["int32", "int32"], "float64", "float64"),
    (lambda x, y: x - y, ["int32", "uint32"], "uint32", "int64"),
    (lambda x, y: x * y, ["int64", "float32"], "float32", "float64"),
    (lambda x, y: x * y, ["int64", "uint64"], "uint64", "float64"),
    (lambda x: numpy.sin(x), ["int32"], "float64", "float64"),
    (lambda x: numpy.sin(x), ["float32"], "float32", "float32"),
    (lambda x: abs(x), ["complex64"], "float32", "float32"),
    (lambda x: x > 3, ["int8"], "bool", "bool"),
    (lambda x: x << 40, ["int64"], "int64", "int64"),
    (lambda x: x + 2**40, ["int32"], "int64", None),
    (lambda x: 3, ["int32"], "int32", "int64"),
    (lambda x: 0.5 if x else 3, ["int32"], "float32", "float64"),
])
def test_modes_decide_how_types_meet(function, dtypes, in_cuda, in_numpy):
    for mode, wanted in [("cuda", in_cuda), ("numpy", in_numpy)]:
        if wanted is not None:
            assert _jit.compile_scalar(function, dtypes, mode)[2] == wanted, mode
            continue
        with pytest.raises(OverflowError):
            _jit.compile_scalar(function, dtypes, mode)


def test_a_literal_is_exact_beside_float64():
    text = _jit.compile_scalar(lambda x: x + 0.1, ["float64"], "cuda")[0]
    assert "(x + 0.1)" in text


@jit.rawkernel()
def named_like_types(x, y):
    half, complex, long = x[0], x[1], 3
    y[0] = half + complex * long


def test_names_of_structures_are_not_in_the_way():
    x = numpy.array([1, 2], "float16")
    y = numpy.zeros(1, "complex64")
    emulation.run(named_like_types, 1, 1, x, y)
    assert y[0] == 7


def test_examples_of_the_documentation():
    def power(exponent):
        @jit.rawkernel(device=True)
        def function(x):
            result = 1
            for _ in range(exponent):
                result *= x
            return result
        return function

    @jit.rawkernel()
    def cubes(x, y):
        for i in range(jit.grid(1), len(x), jit.gridsize(1)):
            y[i] = power(3)(x[i])

    x = numpy.arange(10, dtype="float32")
    y = x * 0
    emulation.run(cubes, 2, 2, x, y)
    assert (y == x**3).all()
