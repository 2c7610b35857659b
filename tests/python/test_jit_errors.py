"""What kernels from Python refuse: each error names the function, the line and another way."""

import re

import numpy
import pytest

from phalanx._jit import kernels as _jit

from . import jit_emulation as emulation
from .jit_kernels import jit

X = numpy.zeros((4, 3), "float32")
N = numpy.zeros(4, "int32")
table, names = [1, 2, 3], {1: 2}


def with_statement(x):
    with open(x):
        pass


def try_statement(x):
    try:
        x[0, 0] = 1
    except ValueError:
        pass


def comprehension(x):
    x[0, 0] = sum([i for i in range(3)])


def f_string(x):
    print(f"{x}")


def inner_function(x):
    def f():
        pass


def inner_lambda(x):
    f = lambda: 1  # noqa: E731
    x[0, 0] = f()


def deletion(x):
    del x


def raising(x):
    raise ValueError


def asserting(x):
    assert x.ndim == 2


def importing(x):
    import math

    x[0, 0] = math.pi


def declaring(x):
    global table
    table = 3


def walrus(x):
    x[0, 0] = (y := 3)


def else_of_loop(x):
    for i in range(3):
        pass
    else:
        x[0, 0] = 1


def matching(x):
    match x.ndim:
        case 2:
            pass


def slice_of_array(x):
    x[0, 1:2] = 1


def too_many_indices(x):
    x[0, 1, 2] = 1


def row_store(x):
    x[0] = 1


def float_index(x):
    x[0.5, 0] = 1


def float_index_of_kernel(x):
    x[x[0, 0], 0] = 1


def unbound(x):
    x[0, 0] = unknown_name


def early_read(x):
    x[0, 0] = y
    y = 3


def changed_type(x):
    y = numpy.int32(3)
    y = x[0, 0]


def unpacking(x):
    a, b, c = jit.grid(2)


def unpacking_number(x):
    a, = jit.grid(1)


def bad_grid(x):
    jit.grid(4)


def bad_grid_type(x):
    jit.grid("a")


def kernel_value(x):
    return 1


def truth_of_array(x):
    if x:
        pass


def array_arithmetic(x):
    x + 1


def loop_over_array(x):
    for row in x:
        pass


def float_range(x):
    for i in range(x[0, 0]):
        pass


def zero_step(x):
    for i in range(0, 3, 0):
        pass


def unknown_function(x):
    numpy.linalg.norm(x[0, 0])


def array_function(x):
    numpy.sum(x)


def array_method(x):
    x.sum()


def number_method(x):
    x[0, 0].sum()


def unknown_attribute(x):
    x.flat


def missing_attribute(x):
    numpy.no_such_name


def size_of_kernel(x):
    jit.shared_memory(numpy.int32, x.size)


def size_of_zero(x):
    jit.shared_memory(numpy.int32, 0)


def dtype_of_text(x):
    jit.shared_memory("U3", 1)


def atomic_of_bool(x):
    jit.atomic_inc(x, (0, 0), 1)


def atomic_number(x):
    jit.atomic_add(1, 0, 1)


def wrong_arguments(x):
    jit.syncthreads(1)


def wrong_policy(x):
    jit.thrust.sort(x[0].begin(), x[0].end())


def policy_of_host(x):
    jit.thrust.sort(jit.thrust.host, x[0].begin(), x[0].end())


def short_algorithm(x):
    jit.thrust.copy(jit.thrust.seq, x[0].begin(), x[0].end())


def array_of_two_axes(x):
    x.begin()


def index_of_dict(x):
    x[0, 0] = names[jit.threadIdx.x]


def error_of_python(x):
    x[0, 0] = numpy.int8(1).astype(3)


def store_of_complex(x):
    x[0, 0] = 1j * x[0, 0]


def call_of_kernel(x):
    other(x)


def recursion(x):
    again(x[0, 0])


def numpy_bits(x):
    x[0, 0] = x[0, 0] & 1


def object_in_branch(x):
    f = numpy.sin
    if x[0, 0] > 1:
        f = numpy.cos
    x[0, 0] = f(x[0, 0])


def no_value(x):
    y = jit.syncthreads()
    x[0, 0] = y


def break_of_tuple(x):
    for i in (1, 2):
        break


def is_of_numbers(x):
    if x[0, 0] is x[0, 1]:
        pass


def matrix_product(x):
    x[0, 0] = x[0, 0] @ x[0, 1]


def extended_call(x):
    numpy.sin(x[0, 0], where=True)


def keywords(x, *, y=3):
    pass


def negative_power(x):
    x[0, 0] = numpy.int32(x[0, 0]) ** -1


@jit.rawkernel()
def other(x):
    pass


@jit.rawkernel(device=True)
def again(x):
    return again(x)


def conversion_of_nan(x):
    jit.syncwarp(mask=numpy.nan)


def length_of_two(x):
    len(x, x[0, 0])


def clip_of_one(x):
    numpy.clip(x[0, 0])


FAULTS = [
    (length_of_two, TypeError, "len\\(\\): too many"),
    (clip_of_one, TypeError, "clip\\(\\): missing"),
    (conversion_of_nan, ValueError, "has no value as uint32"),
    (with_statement, TypeError, "`with` is not there"),
    (try_statement, TypeError, "`try` is not there"),
    (comprehension, TypeError, "`list comp` is not there"),
    (f_string, TypeError, "`joined str` is not there"),
    (inner_function, TypeError, "`function def` is not there"),
    (inner_lambda, TypeError, "`lambda` is not there"),
    (deletion, TypeError, "`delete` is not there"),
    (raising, TypeError, "`raise` is not there"),
    (asserting, TypeError, "`assert` is not there"),
    (importing, TypeError, "`import` is not there"),
    (declaring, TypeError, "`global` is not there"),
    (walrus, TypeError, "`named expr` is not there"),
    (else_of_loop, TypeError, "`else` of a loop"),
    (matching, TypeError, "`match` is not there"),
    (slice_of_array, TypeError, "slices of arrays"),
    (too_many_indices, IndexError, "2 axes, not 3"),
    (row_store, TypeError, "selects array of float32 with 1 axes"),
    (float_index, IndexError, "an index is an integer, not the number 0.5"),
    (float_index_of_kernel, TypeError, "an index is an integer, not float32"),
    (unbound, NameError, "Unbound name: unknown_name"),
    (early_read, NameError, "`y` is read before its first assignment"),
    (changed_type, TypeError, "`y` is int32 since its first assignment, and this is float32"),
    (unpacking, ValueError, "3 names take 2 values"),
    (unpacking_number, ValueError, "1 names take one value"),
    (bad_grid, ValueError, "takes 1, 2 or 3, not 4"),
    (bad_grid_type, TypeError, "takes 1, 2 or 3, not 'a'"),
    (kernel_value, TypeError, "a kernel returns no value"),
    (truth_of_array, TypeError, "neither true nor false"),
    (array_arithmetic, TypeError, "a number is needed, not array of float32"),
    (loop_over_array, TypeError, "loops run over range"),
    (float_range, TypeError, "range\\(\\) takes integers, not float32"),
    (zero_step, ValueError, "must not be zero"),
    (unknown_function, TypeError, "`norm` is not there"),
    (array_function, TypeError, "`sum` is not there"),
    (array_method, AttributeError, "has no method `sum`"),
    (number_method, AttributeError, "has no method `sum`"),
    (unknown_attribute, AttributeError, "has no attribute `flat`"),
    (missing_attribute, AttributeError, "no_such_name"),
    (size_of_kernel, TypeError, "must be known"),
    (size_of_zero, ValueError, "number of elements or None, not 0"),
    (dtype_of_text, TypeError, "'U3' is no dtype"),
    (atomic_of_bool, TypeError, "atomic_inc is not there for float32"),
    (atomic_number, TypeError, "atomic operations need an array"),
    (wrong_arguments, TypeError, "too many positional arguments"),
    (wrong_policy, TypeError, "is a policy"),
    (policy_of_host, ValueError, "does not run in kernels"),
    (short_algorithm, TypeError, "takes 3 to 3 arguments"),
    (array_of_two_axes, TypeError, "has no `begin`"),
    (index_of_dict, TypeError, "dict cannot be indexed"),
    (error_of_python, TypeError, "TypeError"),
    (store_of_complex, TypeError, "an element is float32, and this is complex64"),
    (call_of_kernel, TypeError, "is a kernel, which kernels do not call"),
    (recursion, ValueError, "calls itself"),
    (numpy_bits, TypeError, "defined for integers only"),
    (object_in_branch, TypeError, "one object in one branch"),
    (no_value, TypeError, "this call has no value"),
    (break_of_tuple, TypeError, "loops over a tuple"),
    (is_of_numbers, TypeError, "`is` compares objects"),
    (matrix_product, TypeError, "`MatMult` is not there"),
    (extended_call, TypeError, "with where="),
    (keywords, TypeError, "positional parameters only"),
    (negative_power, ValueError, "negative integer powers"),
]


@pytest.mark.parametrize("function, kind, text", FAULTS, ids=[one[0].__name__ for one in FAULTS])
def test_faults(function, kind, text):
    with pytest.raises(kind, match=text) as caught:
        _jit.kernel_text(function, emulation.types_of([X]))
    message = str(caught.value)
    assert caught.value.code.startswith("PX") and "\n  hint    " in message
    assert re.search(r"\w+\(\), line \d+ of test_jit_errors.py: ", message), message
    assert caught.value.__cause__ is None


def test_the_line_is_that_of_the_program():
    with pytest.raises(TypeError) as caught:
        _jit.kernel_text(row_store, emulation.types_of([X]))
    line = row_store.__code__.co_firstlineno + 1
    assert f"row_store(), line {line} of test_jit_errors.py" in str(caught.value)
    assert "`x[0] = 1`" in str(caught.value)


def test_functions_without_a_source():
    names = {}
    exec("def made(x):\n    x[0, 0] = 1", names)
    with pytest.raises(TypeError, match="the source is not there"):
        _jit.kernel_text(names["made"], emulation.types_of([X]))


def test_functions_that_never_end():
    def deeper(n):
        @jit.rawkernel(device=True)
        def inner(x):
            return deeper(n + 1)(x)

        return inner

    def kernel(x):
        x[0, 0] = deeper(0)(x[0, 0])

    with pytest.raises((ValueError, TypeError), match="more than|nested too deeply"):
        _jit.kernel_text(kernel, emulation.types_of([X]))


def test_scalars_out_of_range():
    with pytest.raises(OverflowError, match="300 is out of the range of int8"):
        _jit.compile_scalar(lambda x: x + 300, ["int8"])
    with pytest.raises(TypeError, match="is not there in kernels"):
        _jit.compile_scalar(lambda x: x, ["U3"])
    with pytest.raises(TypeError, match="takes 1|missing|arguments"):
        _jit.compile_scalar(lambda x: x, ["int8", "int8"])
