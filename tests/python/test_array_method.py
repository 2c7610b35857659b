"""Objects with ``__array__``: what the method is asked for, and such objects as positions."""

import numpy
import pytest

import phalanx as np


class Holder:
    """An object that converts itself, and notes what it is asked for."""

    def __init__(self, values):
        self.values, self.asked = values, []

    def __array__(self, dtype=None, copy=None):
        self.asked.append(dtype)
        return numpy.array(self.values, dtype=dtype)


class Fixed(Holder):
    """An object that returns its own dtype."""

    def __array__(self, dtype=None, copy=None):
        self.asked.append(dtype)
        return numpy.array(self.values)


class Numbered(Holder):
    """An object that is a position, too, and no array then."""

    def __index__(self):
        return 2


@pytest.mark.parametrize("kind", [Holder, Fixed])
@pytest.mark.parametrize("name", ["array", "asarray", "asanyarray", "ascontiguousarray"])
@pytest.mark.parametrize("dtype", [None, "f4", "i2", "c16"])
def test_the_method_gets_the_dtype(kind, name, dtype):
    given = {} if dtype is None else {"dtype": dtype}
    own, other = kind([1, 2, 3]), kind([1, 2, 3])
    found = getattr(np, name)(own, **given)
    expected = getattr(numpy, name)(other, **given)
    assert own.asked == other.asked
    assert found.dtype == expected.dtype
    numpy.testing.assert_array_equal(found.get(), expected)


def test_a_method_without_dtype_converts_without_one():
    class Old:
        def __array__(self):
            return numpy.arange(3)

    for made in (np.asarray(Old()), np.sin(Old()), np.ones(3) + Old()):
        assert made.shape == (3,)
    with pytest.raises(TypeError):
        np.asarray(Old(), dtype="f4")


KEYS = {
    "positions": [3, 0, 3], "of two axes": [[1, 2], [0, 1]], "one": 1, "mask": [True, False] * 2,
    "true": True, "none": [], "negative": [-1],
}


@pytest.mark.parametrize("name", KEYS)
def test_such_an_object_is_a_position(name):
    own, other = np.arange(12.0).reshape(4, 3), numpy.arange(12.0).reshape(4, 3)

    def key(at):
        return Holder(KEYS[name]) if at is None else (Holder(KEYS[name]), at)

    places = [None] if name == "true" else [None, slice(1, 3), 0]
    for at in places:
        numpy.testing.assert_array_equal(own[key(at)].get(), other[key(at)])
        assert own[key(at)].shape == other[key(at)].shape
        own[key(at)] = -1
        other[key(at)] = -1
        numpy.testing.assert_array_equal(own.get(), other)


def test_an_index_comes_before_an_array():
    x = np.arange(5)
    assert x[Numbered([0, 1])] == 2 and numpy.arange(5)[Numbered([0, 1])] == 2


@pytest.mark.parametrize("values", [[1.0, 2.0], 1.5, ["a"], [1j]])
def test_other_dtypes_are_no_positions(values):
    with pytest.raises(IndexError):
        numpy.arange(5)[Holder(values)]
    with pytest.raises((IndexError, TypeError)):
        np.arange(5)[Holder(values)]
