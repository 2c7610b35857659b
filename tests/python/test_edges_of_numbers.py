"""Numbers at the edges of dtypes: NumPy's dtypes, errors and warnings."""

import warnings

import numpy
import pytest

import phalanx as np


def outcome(module, function):
    """The elements, the dtype and the warnings of a call, or the class of its exception."""
    with warnings.catch_warnings(record=True) as caught, module.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            value = numpy.asarray(function(module))
            answer = (str(value.dtype), value.tolist())
        except Exception as error:
            answer = type(error)
    return repr(answer), sorted(str(one.message) for one in caught)


def agrees(function):
    assert outcome(np, function) == outcome(numpy, function)


def written(dtype, key, value):
    def write(module):
        target = module.zeros(3, dtype)
        target[key] = value
        return target

    return write


def test_the_operator_squares_bools():
    agrees(lambda m: m.array([True, False]) ** 2)
    agrees(lambda m: m.array(True) ** 2)
    agrees(lambda m: m.array([True, False]) ** 3)
    agrees(lambda m: m.array([3, -2], "i2") ** 2)
    agrees(lambda m: m.power(m.array([True, False]), 2))
    agrees(lambda m: m.array([1e200, 2.0]) ** 2)


@pytest.mark.parametrize("dtype", ["i1", "i4", "i8", "u1", "u8"])
@pytest.mark.parametrize(
    "number", [numpy.float32("nan"), numpy.float64("inf"), numpy.float64(1e30), numpy.uint64(2**63)]
)
@pytest.mark.parametrize("key", [0, slice(None), [0, 1], numpy.array([True, False, True])])
def test_scalars_that_an_integer_dtype_does_not_hold(dtype, number, key):
    agrees(written(dtype, key, number))


def test_other_writes_cast_scalars():
    number = numpy.float32("nan")

    def copied(m):
        target = m.zeros(2, "i4")
        m.copyto(target, number, casting="unsafe")
        return target

    def flat(m):
        target = m.zeros(2, "i4")
        target.flat[0:1] = number
        return target

    agrees(copied)
    agrees(flat)
    agrees(lambda m: m.full(2, number, "i4"))
    agrees(lambda m: m.full(2, numpy.int64(300), "i1"))
    agrees(lambda m: m.full(2, 1e300, "f4"))
    agrees(lambda m: m.full(2, 300, "i1"))


@pytest.mark.parametrize("key", [0, slice(None), [0, 1], numpy.array([True, False, True])])
@pytest.mark.parametrize(
    "dtype, number",
    [("f4", 1e300), ("f2", 70000), ("c8", 1e300 + 0j), ("f4", numpy.float64(1e300))],
)
def test_numbers_that_overflow_are_reported_before_they_are_written(dtype, number, key):
    agrees(written(dtype, key, number))
    target = np.zeros(3, dtype)
    with pytest.raises(FloatingPointError, match="overflow encountered in cast"):
        with np.errstate(over="raise"):
            target[key] = number
    assert target.tolist() == [0, 0, 0]
    agrees(written(dtype, key, float("inf")))
    agrees(written("f8", key, 1e300))


PRODUCTS = {
    "dot": [((3,), (3,)), ((2, 3), (3, 2)), ((2, 3), (3,)), ((2, 2, 3), (2, 3, 2))],
    "inner": [((3,), (3,)), ((2, 3), (2, 3))],
    "matmul": [((3,), (3,)), ((2, 3), (3, 2)), ((3,), (3, 2)), ((2, 3), (3,)),
               ((4, 2, 3), (3, 2)), ((4, 2, 3), (4, 3, 2))],
    "vdot": [((3,), (3,)), ((2, 3), (2, 3))],
    "vecdot": [((2, 3), (2, 3)), ((2, 3), (3,))],
    "matvec": [((2, 3), (3,))],
    "vecmat": [((3,), (3, 2))],
    "outer": [((3,), (2,))],
    "kron": [((3,), (2,))],
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype, large", [("f4", 1e38), ("f8", 1e300)])
def test_products_report_floating_point_errors(name, dtype, large):
    for left, right in PRODUCTS[name]:
        for a, b in [(large, large), (float("inf"), 0.0), (float("nan"), 1.0)]:
            agrees(lambda m: getattr(m, name)(m.full(left, a, dtype), m.full(right, b, dtype)))
    if name == "matmul":
        agrees(lambda m: m.full((2, 3), large, dtype) @ m.full((3, 2), large, dtype))


def test_errors_of_products_belong_to_their_rows():
    rows = np.array([[float("inf"), 1.0], [1.0, 1.0]])
    columns = np.full((2, 2), 1e300)
    assert outcome(np, lambda m: rows @ columns)[1] == []
    large = np.array([[float("inf"), 1.0], [1e300, 1.0]])
    assert outcome(np, lambda m: large @ columns)[1] == ["overflow encountered in matmul"]
    agrees(lambda m: m.tensordot(m.full((3, 3), 1e300), m.full((3, 3), 1e300)))
    agrees(lambda m: m.linalg.multi_dot([m.full((3, 3), 1e300)] * 2))
    agrees(lambda m: m.linalg.matrix_power(m.full((3, 3), 1e300), 2))


@pytest.mark.parametrize("power", [127, 128, 200, 1023])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_large_integers_beside_floats_are_floats(power, dtype):
    for number in (2**power, -(2**power)):
        agrees(lambda m: m.ones(2, dtype) + number)
        agrees(lambda m: number - m.ones(2, dtype))
        agrees(lambda m: m.ones(2, dtype) == number)
        agrees(lambda m: m.multiply(m.ones(2, dtype), number))
        agrees(lambda m: m.multiply(number, m.ones(2, dtype), where=True))
        agrees(lambda m: m.full(2, number, dtype))
        agrees(lambda m: m.ones(2, dtype).__iadd__(number))
    agrees(lambda m: m.ones(2, dtype) + 2**1024)
    agrees(lambda m: m.ones(2, "i4") + 2**power)


LARGE = [2**63, 2**127, 2**128, 2**200, 2**2000]


@pytest.mark.parametrize("number", [*LARGE, *(-number - 1 for number in LARGE)])
@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u8"])
def test_integers_compare_with_integers_of_every_size(dtype, number):
    for name in ("less", "less_equal", "equal", "not_equal", "greater", "greater_equal"):
        agrees(lambda m: getattr(m, name)(m.ones(2, dtype), number))
        agrees(lambda m: getattr(m, name)(number, m.ones(2, dtype)))
    agrees(lambda m: m.ones(2, dtype) < number)
    agrees(lambda m: number <= m.ones(2, dtype))
    agrees(lambda m: m.less(m.ones(2, dtype), number, out=m.zeros(2, "i4")))
    agrees(lambda m: m.ones(2, dtype)[0] == number)
    agrees(lambda m: m.logical_and(m.ones(2, dtype), number))


@pytest.mark.parametrize("number", [2**64, 2**200, -(2**200), 2**2000])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_large_integers_are_floats_for_floats(dtype, number):
    def changed(write):
        def call(m):
            target = m.zeros(3, dtype)
            write(m, target)
            return target

        return call

    agrees(lambda m: m.where(m.asarray([True, False]), m.ones(2, dtype), number))
    agrees(lambda m: m.clip(m.ones(2, dtype), -abs(number), number))
    if dtype != "f4":
        agrees(lambda m: m.select([m.ones(2, "?")], [m.ones(2, dtype)], number))
        agrees(lambda m: m.choose(m.asarray([0, 1]), [m.ones(2, dtype), number]))
        agrees(lambda m: m.insert(m.ones(2, dtype), 1, number))
    agrees(changed(lambda m, target: m.copyto(target, number)))
    agrees(changed(lambda m, target: m.copyto(target, number, where=m.ones(3, "?"))))
    agrees(changed(lambda m, target: m.put(target, [0, 1], number)))
    agrees(changed(lambda m, target: m.putmask(target, m.ones(3, "?"), number)))
    agrees(changed(lambda m, target: target.fill(number)))


def test_large_integers_beside_integers():
    for number in (2**200, -(2**200)):
        agrees(lambda m: m.arange(3) / number)
        agrees(lambda m: m.hypot(m.arange(3), number))
        agrees(lambda m: m.clip(m.arange(3), -(2**200), number))
        agrees(lambda m: m.searchsorted(m.arange(3), number))
        agrees(lambda m: m.add.reduce(m.ones(3), initial=number))
        agrees(lambda m: m.where(m.asarray([True, False]), m.arange(2), number))


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 2**200])
def test_large_integers_for_bools(number):
    agrees(lambda m: m.full(2, number, "?"))
    agrees(lambda m: m.full_like(m.zeros(2, "?"), number))
    agrees(lambda m: m.copyto(m.zeros(2, "?"), number))
    agrees(lambda m: m.copyto(m.zeros(2, "?"), number, casting="unsafe"))
    for key in (0, slice(None), [0, 1]):
        agrees(written("?", key, number))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "f4", "c8"])
@pytest.mark.parametrize(
    "number", [numpy.int64(2), numpy.int64(300), numpy.float64(2.5), numpy.complex128(1 + 2j)]
)
def test_elements_are_cast_where_a_mask_holds(dtype, number):
    def masked(name):
        def call(m):
            target = m.zeros(3, dtype)
            getattr(m, name)(target, m.asarray([True, False, True]), number)
            return target

        return call

    for name in ("putmask", "place"):
        agrees(masked(name))
    with pytest.raises(TypeError):
        np.putmask(np.zeros(3, "?"), np.ones(3, "?"), np.array(2))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8"])
def test_every_error_of_one_element_of_flat_is_of_one_class(dtype):
    for number in (300, -1, 2**63, 2**200, 1j, float("nan"), numpy.int64(300), numpy.int64(2)):

        def flat(m):
            target = m.zeros(3, dtype)
            target.flat[1] = number
            return target

        agrees(flat)


@pytest.mark.parametrize("dtype, number", [("f4", 1e300), ("f2", 70000), ("c8", 1e300)])
def test_operands_that_overflow_are_reported(dtype, number):
    agrees(lambda m: m.ones(2, dtype) + number)
    agrees(lambda m: number - m.ones(2, dtype))
    agrees(lambda m: m.ones(2, dtype) == number)
    agrees(lambda m: m.ones(2, dtype).__iadd__(number))
    agrees(lambda m: m.where(m.asarray([True, False]), m.ones(2, dtype), number))
    agrees(lambda m: m.piecewise(m.ones(2, dtype), [m.ones(2, "?")], [number]))
    agrees(lambda m: m.pad(m.ones(2, dtype), 1, constant_values=number))
    if dtype != "c8":
        agrees(lambda m: m.clip(m.ones(2, dtype), 0, number))
        agrees(lambda m: m.maximum(m.ones(2, dtype), number))
        agrees(lambda m: m.ones(2, dtype) < number)
    agrees(lambda m: m.ones(2, dtype) + float("inf"))


def test_none_is_no_integer():
    agrees(lambda m: m.diff(m.ones(3), axis=None))
    agrees(lambda m: m.trapezoid(m.ones(3), axis=None))
    agrees(lambda m: m.stack([m.ones(2)], axis=None))
    agrees(lambda m: m.eye(3, k=None))
    agrees(lambda m: m.round(m.ones(2), None))
    agrees(lambda m: m.linspace(0, 1, None))
    agrees(lambda m: m.bincount([1], minlength=None))
    agrees(lambda m: m.ones(2).sort(axis=None))
    agrees(lambda m: m.tensordot(m.ones((2, 2)), m.ones((2, 2)), None))


def test_counts_of_nothing():
    agrees(lambda m: m.bincount([], weights=[1.0]))
    agrees(lambda m: m.bincount([], weights=[1.0], minlength=2))


def test_arguments_of_statistics_and_of_rearrangements():
    agrees(lambda m: m.var([1.0, 2.0], ddof=1, correction=1))
    agrees(lambda m: m.nanstd([1.0, 2.0], ddof=0, correction=1))
    agrees(lambda m: m.full(2, 2**63))
    agrees(lambda m: m.insert(m.arange(3), [0, 2], [[7, 8]]))
    agrees(lambda m: m.insert(m.arange(3), [[]], 9))
    agrees(lambda m: m.pad(m.ones(2), True))
    agrees(lambda m: m.pad(m.ones(2), []))
    agrees(lambda m: m.pad(m.ones(2, "u1"), 1, constant_values=300))
    agrees(lambda m: m.pad(m.ones(2, "i1"), 1, constant_values=300))
    agrees(lambda m: m.pad(m.ones(2, "u1"), 1, constant_values=1.7))
    agrees(lambda m: m.gradient(m.ones((2, 3)), m.arange(3)))
    agrees(lambda m: m.gradient(m.ones((2, 3)), m.arange(2), m.arange(3)))
    agrees(lambda m: m.piecewise(m.arange(4).reshape(2, 2), [m.asarray([True, False])], [5]))
    agrees(lambda m: m.piecewise(m.ones((2, 2)), [m.asarray([True])], [5]))


def test_compositions_report_floating_point_errors():
    inf, large = float("inf"), 1e308
    for left, right in [(inf, inf), (large, -large), (inf, -inf), (large, large)]:
        agrees(lambda m: m.diff(m.asarray([left, right])))
        agrees(lambda m: m.ediff1d(m.asarray([left, right])))
        agrees(lambda m: m.average(m.asarray([left, right])))
        agrees(lambda m: m.average(m.asarray([left, right]), weights=m.asarray([0, 1])))
        agrees(lambda m: m.trace(m.asarray([[left, 0], [0, right]])))
        agrees(lambda m: m.linalg.trace(m.asarray([[left, 0], [0, right]])))
        agrees(lambda m: m.linalg.norm(m.asarray([left, right]), 1))
        agrees(lambda m: m.cross(m.asarray([left, 1.0, 2.0]), m.asarray([2.0, right, 1.0])))
        agrees(lambda m: m.polyval(m.asarray([left, 1.0]), m.asarray([0.0, right])))


def test_eigenvectors_of_a_long_chain_of_equal_eigenvalues():
    for n in (23, 40):
        for matrix in (numpy.eye(n, k=1), numpy.eye(n, k=1) + 2j * numpy.eye(n)):
            values, vectors = (numpy.asarray(part) for part in np.linalg.eig(np.array(matrix)))
            assert numpy.isfinite(vectors).all()
            numpy.testing.assert_allclose(numpy.linalg.norm(vectors, axis=0), 1, rtol=1e-12)
            numpy.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-13)


def test_the_device_of_an_array_is_one_of_the_devices():
    info = np.__array_namespace_info__()
    x = np.ones(2)
    assert info.devices() == [info.default_device()] == [x.device]
    assert x.to_device(x.device) is x and np.zeros(2, device=x.device).device == x.device
    with pytest.raises(ValueError):
        x.to_device("tape")
