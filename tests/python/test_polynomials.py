"""NumPy's older polynomials: answers for polynomials, numbers and several axes as arguments, and
the quality of fits."""

import numpy
import pytest

import phalanx as np

KINDS = ["i1", "i8", "f4", "f8", "c8", "c16"]


def same(ours, theirs):
    """Compares numbers, arrays, polynomials and tuples of these."""
    if isinstance(theirs, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            same(one, other)
        return
    if isinstance(theirs, numpy.poly1d):
        assert isinstance(ours, np.poly1d) and ours.variable == theirs.variable
        ours, theirs = ours.coeffs, theirs.coeffs
    theirs = numpy.asarray(theirs)
    ours = numpy.asarray(ours)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    numpy.testing.assert_allclose(ours, theirs, rtol=1e-4 if theirs.itemsize == 4 else 1e-7)


def operands(module, kind):
    """The forms in which polynomials can be given."""
    array = module.asarray(numpy.array([2, 0, -1, 3], kind))
    return [array, module.poly1d(array), module.poly1d([1, 2]), [1, 2, 3], 3, 2.5,
            numpy.dtype(kind).type(2)]


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul", "polydiv"])
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_and_polynomials_are_operands(name, kind):
    for ours, theirs in zip(operands(np, kind), operands(numpy, kind)):
        for our_other, other in zip(operands(np, kind), operands(numpy, kind)):
            same(getattr(np, name)(ours, our_other), getattr(numpy, name)(theirs, other))


@pytest.mark.parametrize("kind", KINDS)
def test_values_at_numbers_arrays_and_polynomials(kind):
    for ours, theirs in list(zip(operands(np, kind), operands(numpy, kind)))[:4]:
        for x, their_x in zip(operands(np, kind), operands(numpy, kind)):
            same(np.polyval(ours, x), numpy.polyval(theirs, their_x))
    with pytest.raises(TypeError):
        np.polyval(3, np.arange(3))
    same(np.polyval([1], np.inf), numpy.nan)
    rows = numpy.arange(6.0).reshape(2, 3)
    same(np.polyval(np.asarray(rows), np.arange(3.0)), numpy.polyval(rows, numpy.arange(3.0)))


def test_operators_of_polynomials():
    ours, theirs = np.poly1d([1.0, -2.0, 3.0]), numpy.poly1d([1.0, -2.0, 3.0])
    other, their_other = np.poly1d([2, 1]), numpy.poly1d([2, 1])
    for compute in (
        lambda p, q: p * 2, lambda p, q: 2 * p, lambda p, q: p / 2, lambda p, q: p / q,
        lambda p, q: p - q, lambda p, q: 3 - p, lambda p, q: p ** numpy.int32(3),
        lambda p, q: p(q), lambda p, q: p(2), lambda p, q: p.deriv(), lambda p, q: p.integ(2, [1, 2]),
        lambda p, q: [1, 2] * q, lambda p, q: [1, 2, 3] / q, lambda p, q: p[7], lambda p, q: p ** 0,
    ):
        same(compute(ours, other), compute(theirs, their_other))
    for bad in (-1, 1.5, [2]):
        with pytest.raises(ValueError):
            ours ** bad


def test_derivatives_keep_the_class_and_take_several_axes():
    same(np.polyder(np.poly1d([1, 2, 3])), numpy.polyder(numpy.poly1d([1, 2, 3])))
    same(np.polyint(np.poly1d([1, 2, 3]), 2), numpy.polyint(numpy.poly1d([1, 2, 3]), 2))
    with pytest.raises(TypeError):
        np.polyder(np.asarray(3))
    with pytest.raises(ValueError):
        np.polyder(np.zeros((3, 4)))


def test_roots_of_matrices_and_of_nothing():
    matrix = numpy.array([[2.0, 1.0], [1.0, 3.0]])
    same(np.poly(np.asarray(matrix)), numpy.poly(matrix))
    assert type(np.poly([])) is float
    for bad in (np.asarray(3), 3):
        with pytest.raises(TypeError):
            np.roots(bad)
        with pytest.raises(TypeError):
            np.poly(bad)
    with pytest.raises(ValueError):
        np.poly(np.zeros((2, 3)))


POINTS = numpy.array([0.0, 0.5, 1.0, 2.0, 3.0, 4.5])
ONE = numpy.array([1.0, 1.5, 0.5, -1.0, 2.0, 8.0])
TWO = numpy.stack([ONE, ONE[::-1]], 1)


@pytest.mark.parametrize("y", [ONE, TWO], ids=["one", "two"])
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("weights", [None, POINTS + 1])
@pytest.mark.parametrize(
    "options", [{}, {"full": True}, {"cov": True}, {"cov": "unscaled"}, {"rcond": 1e-3}], ids=repr
)
def test_fits_return_their_quality(y, kind, weights, options):
    x, y = POINTS.astype(kind), y.astype(kind)
    ours = np.polyfit(np.asarray(x), np.asarray(y), 2, w=weights, **options)
    theirs = numpy.polyfit(x, y, 2, w=weights, **options)
    if not isinstance(theirs, tuple):
        ours, theirs = (ours,), (theirs,)
    for one, other in zip(ours, theirs, strict=True):
        one, other = numpy.asarray(one), numpy.asarray(other)
        assert one.shape == other.shape and one.dtype == other.dtype
        numpy.testing.assert_allclose(one, other, rtol=2e-3 if kind == "f4" else 1e-8, atol=1e-5)


def test_fits_refuse_what_numpy_refuses_and_warn():
    x = np.asarray(POINTS)
    with pytest.warns(numpy.exceptions.RankWarning):
        np.polyfit(x, x, 7)
    same(np.polyfit(x, np.asarray(ONE), 2.9), numpy.polyfit(POINTS, ONE, 2.9))
    for mistake, arguments in (
        (ValueError, (x, x, -1)), (TypeError, (x, x, 1j)), (TypeError, (x, x[:2], 1)),
        (TypeError, (x[:0], x[:0], 1)), (TypeError, (x, x, 1, None, False, x[:2])),
        (TypeError, (x, x, 1, None, False, x * 1j)),
    ):
        with pytest.raises(mistake):
            np.polyfit(*arguments)
    with pytest.raises(ValueError), pytest.warns(numpy.exceptions.RankWarning):
        np.polyfit(x, x, 7, cov=True)


def test_ufuncs_of_numbers_take_the_dtype_that_one_has():
    for kind in ("i1", "u2", "f2", "f4", "c8"):
        number = numpy.dtype(kind).type(2)
        for name in ("add", "multiply", "power"):
            same(getattr(np, name)(3, number), getattr(numpy, name)(3, number))
