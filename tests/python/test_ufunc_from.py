"""phalanx.ufunc_from: ufuncs of an expression."""

import functools

import numpy
import pytest

import phalanx as np

SIZES = (0, 1, 2, 7, 100_003)


def affine(dtype="f8"):
    """A combination that is associative and depends on the order: maps x -> p x + q, packed in
    complex numbers."""
    return np.ufunc_from("complex<double>(x.real() * y.real(), x.imag() * y.real() + y.imag())")


def either():
    return np.ufunc_from("x + y - x * y", identity=0, name="either")


def random(size, dtype="f8"):
    return numpy.random.default_rng(size).random(size).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_calls_broadcast_promote_and_write(dtype):
    ufunc = either()
    x, y = random((5, 1), dtype), random(7, dtype)
    expected = x + y - x * y
    result = ufunc(np.array(x), np.array(y))
    assert result.dtype == dtype and result.shape == (5, 7)
    numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-6)
    mixed = ufunc(np.array(x), np.arange(7))
    assert mixed.dtype == numpy.result_type(x.dtype, "i8")
    assert ufunc(np.array(x), 0.5).dtype == dtype
    assert ufunc(np.array(x), 0.5, dtype="f4").dtype == "f4"
    out = np.zeros((5, 7), dtype)
    assert ufunc(np.array(x), np.array(y), out=out) is out
    assert ufunc(np.array(x), np.array(y), out) is out
    numpy.testing.assert_allclose(numpy.asarray(out), expected, rtol=1e-6)
    mask = numpy.arange(7) % 2 == 0
    out = np.full((5, 7), -1.0, dtype)
    ufunc(np.array(x), np.array(y), out=out, where=np.array(mask))
    numpy.testing.assert_allclose(
        numpy.asarray(out), numpy.where(mask, expected, -1), rtol=1e-6
    )


def test_names_and_attributes():
    ufunc = np.ufunc_from("max(b, a) + M_PI * 2.5e3f", name="most")
    assert (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.identity) == (2, 1, 3, None)
    assert ufunc.__name__ == "most" and repr(ufunc) == "<ufunc 'most'>"
    assert np.ufunc_from("y - x", "y, x")(np.array([5.0]), 2.0).tolist() == [3.0]
    assert np.ufunc_from("y - x")(np.array([5.0]), 2.0).tolist() == [-3.0]
    assert np.ufunc_from("x > 0 ? sqrt(x) : 0").nin == 1
    above = np.ufunc_from("x > y", output=bool)
    assert above(np.arange(3.0), 1.0).tolist() == [False, False, True]
    with pytest.raises(ValueError, match="one or two inputs"):
        np.ufunc_from("x + y + z")
    with pytest.raises(ValueError, match="PX138"):
        np.ufunc_from("x +* y")
    with pytest.raises(TypeError, match="takes 2 inputs, not 1"):
        either()(np.ones(3))


@pytest.mark.parametrize("size", SIZES)
def test_reductions_are_in_order(size):
    x = random(size)
    expected = 1 - numpy.prod(1 - x)
    assert float(either().reduce(np.array(x))) == pytest.approx(expected, rel=1e-12)
    pairs = 1 + 1e-5 * (random(size) - 0.5) + 1j * random(size + 1)[:size]
    pairs = pairs.astype("c16")
    if size:
        together = functools.reduce(
            lambda one, other: complex(
                one.real * other.real, one.imag * other.real + other.imag
            ),
            pairs.tolist(),
        )
        assert complex(affine().reduce(np.array(pairs))) == pytest.approx(together, rel=1e-9)
    else:
        with pytest.raises(ValueError):
            affine().reduce(np.array(pairs))
        assert complex(affine().reduce(np.array(pairs), initial=2j)) == 2j


def test_reductions_over_axes():
    x = random((6, 5, 4))
    expected = 1 - numpy.prod(1 - x, axis=(0, 2), keepdims=True)
    result = either().reduce(np.array(x), axis=(0, 2), keepdims=True)
    numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-12)
    assert either().reduce(np.array(x)).shape == (5, 4)
    assert either().reduce(np.zeros((0, 3))).tolist() == [0.0] * 3
    out = np.zeros(5)
    assert either().reduce(np.array(x), axis=(0, 2), out=out, initial=1.0) is out
    numpy.testing.assert_allclose(numpy.asarray(out), numpy.ones(5), rtol=1e-12)
    add = np.ufunc_from("x + y")
    assert int(add.reduce(np.arange(100_000))) == 4999950000
    with pytest.raises(ValueError, match="two inputs"):
        np.ufunc_from("-x").reduce(np.ones(3))


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_accumulations(size):
    pairs = (0.9 + 0.2 * random(size) + 1j * random(size + 1)[:size]).astype("c16")
    expected, held = [], None
    for one in pairs.tolist():
        held = one if held is None else complex(
            held.real * one.real, held.imag * one.real + one.imag
        )
        expected.append(held)
    result = affine().accumulate(np.array(pairs))
    numpy.testing.assert_allclose(numpy.asarray(result), expected, rtol=1e-9)
    x = random((5, size))
    result = either().accumulate(np.array(x), axis=-1)
    numpy.testing.assert_allclose(
        numpy.asarray(result), 1 - numpy.cumprod(1 - x, axis=1), rtol=1e-9
    )
    total = np.ufunc_from("x + y").accumulate(np.array(x), axis=0)
    numpy.testing.assert_allclose(numpy.asarray(total), numpy.cumsum(x, axis=0), rtol=1e-12)


def test_outer():
    x, y = random(5), random((3, 2))
    result = np.ufunc_from("x - y").outer(np.array(x), np.array(y))
    numpy.testing.assert_allclose(numpy.asarray(result), numpy.subtract.outer(x, y))


@pytest.mark.parametrize("count", [0, 1, 50, 5000])
def test_at_combines_all_values_of_an_element(count):
    generator = numpy.random.default_rng(count)
    x, places, values = (
        random(40), generator.integers(-40, 40, count), generator.random(count)
    )
    expected = x.copy()
    for place, value in zip(places, values):
        expected[place] = expected[place] + value - expected[place] * value
    ours = np.array(x)
    either().at(ours, np.array(places), np.array(values))
    numpy.testing.assert_allclose(numpy.asarray(ours), expected, rtol=1e-9)
    # The last value stays, as the order of the values says.
    last = np.ufunc_from("x * 0 + y")
    expected = x.copy()
    expected[places] = values
    ours = np.array(x)
    last.at(ours, np.array(places), np.array(values))
    numpy.testing.assert_array_equal(numpy.asarray(ours), expected)


def test_at_takes_any_index():
    x = random((4, 5))
    ours, expected = np.array(x), x.copy()
    numpy.add.at(expected, (slice(1, None), [0, 0, 2]), [1.0, 2.0, 3.0])
    np.ufunc_from("x + y").at(ours, (slice(1, None), [0, 0, 2]), [1.0, 2.0, 3.0])
    numpy.testing.assert_allclose(numpy.asarray(ours), expected)
    ours, expected = np.array(x), x.copy()
    numpy.negative.at(expected, ([0, 0, 1],))
    np.ufunc_from("-x").at(ours, ([0, 0, 1],))
    numpy.testing.assert_array_equal(numpy.asarray(ours), expected)
    view = np.array(x)[:, ::2]
    np.ufunc_from("x + y").at(view, [1], 1.0)
    numpy.testing.assert_allclose(numpy.asarray(view)[1], x[1, ::2] + 1)
    with pytest.raises(IndexError):
        np.ufunc_from("x + y").at(ours, [7], 1.0)
    with pytest.raises(ValueError):
        np.ufunc_from("x + y").at(ours, [1])
