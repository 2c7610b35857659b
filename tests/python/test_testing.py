"""`phalanx.testing`: comparisons, and decorators that run a test with NumPy and with Phalanx."""

import numpy
import numpy.testing
import pytest

import phalanx as np
from phalanx import testing


def test_every_name_of_numpys_module_is_there():
    for name in numpy.testing.__all__:
        assert hasattr(testing, name), name
    with pytest.raises(AttributeError):
        testing.nothing


def test_comparisons_take_both_kinds_of_arrays():
    x = np.arange(3.0)
    testing.assert_array_equal(x, numpy.arange(3.0))
    testing.assert_allclose([x, x], [[0, 1, 2]] * 2)
    testing.assert_array_compare(numpy.less, x, x + 1)
    with pytest.raises(AssertionError):
        testing.assert_array_equal(x, x + 1)


PASSING = {
    "allclose": lambda xp: xp.sin(xp.arange(4.0)),
    "array_equal": lambda xp: xp.arange(4).reshape(2, 2).T,
    "array_almost_equal": lambda xp: xp.sqrt(xp.arange(4.0)),
    "array_almost_equal_nulp": lambda xp: xp.arange(4.0) / 2,
    "array_max_ulp": lambda xp: xp.arange(4.0) / 2,
    "array_list_equal": lambda xp: [xp.arange(4), xp.ones(3)],
    "equal": lambda xp: (1, "a", xp.arange(3).tolist()),
    "array_less": lambda xp: xp.arange(3) + (xp is numpy),
}
FAILING = {
    "allclose": lambda xp: xp.sin(xp.arange(4.0)) + (xp is numpy),
    "array_equal": lambda xp: xp.arange(4) + (xp is numpy),
    "array_almost_equal": lambda xp: xp.arange(4.0) + (xp is numpy) * 1e-3,
    "array_almost_equal_nulp": lambda xp: xp.arange(4.0) + (xp is numpy) * 1e-3,
    "array_max_ulp": lambda xp: xp.arange(4.0) + (xp is numpy) * 1e-3,
    "array_list_equal": lambda xp: [xp.arange(4)] * (1 + (xp is numpy)),
    "equal": lambda xp: xp is numpy,
    "array_less": lambda xp: xp.arange(3),
}


@pytest.mark.parametrize("module", ["cupy", "phalanx"])
@pytest.mark.parametrize("name", PASSING)
def test_results_of_both_modules_are_compared(name, module):
    decorator = getattr(testing, f"numpy_{module}_{name}")
    decorator()(lambda xp: PASSING[name](xp))()
    with pytest.raises(AssertionError):
        decorator()(lambda xp: FAILING[name](xp))()
    decorator(name="lib")(lambda lib: PASSING[name](lib))()


def test_dtypes_and_orders_are_compared_too():
    def dtypes(xp):
        return xp.zeros(2, "f4" if xp is numpy else "f8")

    def orders(xp):
        return xp.zeros((2, 3), order="C" if xp is numpy else "F")

    for test, option in [(dtypes, "type_check"), (orders, "contiguous_check")]:
        with pytest.raises(AssertionError):
            testing.numpy_cupy_allclose()(test)()
        testing.numpy_cupy_allclose(**{option: False})(test)()
    with pytest.raises(AssertionError):
        testing.numpy_cupy_array_equal(strides_check=True)(orders)()


def test_errors_of_both_modules_are_compared():
    def wrong(xp):
        return xp.ones(3).reshape(2, 2)

    def ours_alone(xp):
        return xp.ones(3) if xp is numpy else wrong(xp)

    def others(xp):
        raise ValueError if xp is numpy else TypeError

    testing.numpy_cupy_raises()(wrong)()
    testing.numpy_cupy_raises(accept_error=ValueError)(wrong)()
    testing.numpy_cupy_allclose(accept_error=ValueError)(wrong)()
    testing.numpy_cupy_allclose(accept_error=True)(wrong)()
    for decorator in (testing.numpy_cupy_raises(), testing.numpy_cupy_equal(accept_error=True)):
        for test in (ours_alone, others):
            with pytest.raises(AssertionError):
                decorator(test)()
    with pytest.raises(AssertionError):
        testing.numpy_cupy_raises()(lambda xp: xp.ones(2))()
    with pytest.raises(ValueError):
        testing.numpy_cupy_allclose()(wrong)()
    with pytest.raises(ValueError):
        testing.numpy_cupy_allclose(accept_error=TypeError)(wrong)()


def test_a_test_runs_for_each_dtype():
    seen = []
    testing.for_all_dtypes_combination(("a", "b"))(lambda a, b: seen.append((a, b)))()
    assert (numpy.int8, numpy.int16) in seen and (numpy.int16, numpy.int8) in seen
    assert (numpy.float64, numpy.float64) in seen
    full = []
    testing.for_signed_dtypes_combination(("a", "b"), full=True)(
        lambda a, b: full.append((a, b))
    )()
    assert len(set(full)) == 16
    for decorator, count in [
        (testing.for_unsigned_dtypes_combination(("a",), full=True), 4),
        (testing.for_int_dtypes_combination(("a",), full=True), 9),
        (testing.for_dtypes_combination("fd", ("a",), full=True), 2),
    ]:
        found = []
        decorator(lambda a: found.append(a))()
        assert len(found) == count

    class Reductions:
        shape, order = (2, 3, 4), "C"

        def __init__(self):
            self.axes = []

        @testing.for_contiguous_axes()
        def test(self, axis):
            self.axes.append(axis)

    tests = Reductions()
    tests.test()
    assert tests.axes == [(2,), (1, 2), (0, 1, 2)]
    tests.order, tests.axes = "F", []
    tests.test()
    assert tests.axes == [(0,), (0, 1), (0, 1, 2)]


@testing.parameterize(*testing.product({"shape": [(), (2, 3)], "kind": ["f4", "i8"]}))
class TestParameters:
    @testing.numpy_cupy_array_equal()
    def test_ones(self, xp):
        return xp.ones(self.shape, self.kind)


def test_parameters_make_classes():
    made = [globals()[f"TestParameters_param_{place}"] for place in range(4)]
    assert {(one.shape, one.kind) for one in made} == {
        ((), "f4"), ((), "i8"), ((2, 3), "f4"), ((2, 3), "i8")
    }
    assert not TestParameters.__test__ and all(one.__test__ for one in made)
    assert testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}]) == [
        {"a": 1, "b": 3}, {"a": 2, "b": 3}
    ]


def test_data_is_the_same_for_both_modules():
    for make in [
        lambda xp: testing.shaped_arange((2, 3), xp, "i4"),
        lambda xp: testing.shaped_arange((4,), xp, "bool"),
        lambda xp: testing.shaped_reverse_arange((2, 3), xp),
        lambda xp: testing.shaped_linspace(0, 1, (2, 2), xp),
        lambda xp: testing.shaped_random((2, 3), xp, "c8"),
        lambda xp: testing.shaped_random((5,), xp, "bool"),
        lambda xp: testing.generate_matrix((2, 3, 3), xp, "f8", singular_values=[1, 2, 3]),
    ]:
        testing.assert_array_equal(make(np), make(numpy))
        assert make(np).dtype == make(numpy).dtype
    values = numpy.linalg.svd(
        testing.generate_matrix((4, 3), numpy, "c16", singular_values=[3, 2, 1])
    )[1]
    numpy.testing.assert_allclose(values, [3, 2, 1])
    assert testing.shaped_reverse_arange((3,), numpy).tolist() == [3, 2, 1]
    for wrong in [((3,), "f8"), ((2, 2), "i4")]:
        with pytest.raises(ValueError):
            testing.generate_matrix(wrong[0], numpy, wrong[1])


def test_random_numbers_are_the_same_each_time():
    import random

    @testing.fix_random()
    def draw():
        return random.random(), numpy.random.rand(), float(np.random.rand()), testing.generate_seed()

    @testing.fix_random()
    class Draws:
        def test_draw(self):
            return float(np.random.rand())

    before = np.random.rand(2).tolist()
    assert draw() == draw()
    assert Draws().test_draw() == Draws().test_draw() == draw()[2]
    assert np.random.rand(2).tolist() != before


def test_conditions():
    assert testing.installed("numpy") and testing.installed("numpy>=1.20,<90")
    assert not testing.installed("numpy>90") and not testing.installed("no-such-package")
    assert testing.numpy_satisfies(">=2.0") and not testing.numpy_satisfies("<1.5")
    assert testing.numpy_satisfies(f"=={numpy.__version__}")
    marks = []
    for mark in (testing.with_requires("numpy>90"), testing.multi_gpu(99), testing.slow):

        def test():
            pass

        marks += mark(test).pytestmark
    assert [mark.name for mark in marks] == ["skipif", "skipif", "slow"]
    assert [mark.args for mark in marks[:2]] == [(True,), (True,)]


def test_calls_are_counted():
    with testing.AssertFunctionIsCalled("math.floor"):
        import math

        assert math.floor(2.5) == 2
    with pytest.raises(AssertionError, match="0 times"):
        with testing.AssertFunctionIsCalled("math.floor"):
            pass
    with testing.AssertFunctionIsCalled("math.floor", times_called=2):
        math.floor(1), math.floor(2)


class TestSumsOfNumpy(testing.NumpyAliasValuesTestBase):
    func = "gcd"
    args = ([4, 6], 8)


def test_dictionaries_of_arrays_are_compared():
    np.testing.assert_equal({"a": np.ones(2), "b": [np.zeros(1)]}, {"a": np.ones(2), "b": [[0]]})
    with pytest.raises(AssertionError, match="key='a'"):
        np.testing.assert_equal({"a": np.ones(2)}, {"a": np.zeros(2)})
