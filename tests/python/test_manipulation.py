"""Flags, bases, views and methods that change an array in place."""

import numpy
import pytest

import phalanx as np

FLAGS = ["c_contiguous", "f_contiguous", "writeable", "aligned", "forc", "fnc"]

VIEWS = [
    lambda np: np.zeros((2, 3)),
    lambda np: np.zeros((2, 3), order="F"),
    lambda np: np.zeros((2, 3)).T,
    lambda np: np.zeros((2, 3))[:, :2],
    lambda np: np.zeros((1, 3)),
    lambda np: np.zeros((0, 3)),
    lambda np: np.zeros(()),
    lambda np: np.zeros(6)[::2],
    lambda np: np.broadcast_to(np.zeros(3), (2, 3)),
]


@pytest.mark.parametrize("make", VIEWS)
def test_flags(make):
    ours, theirs = make(np).flags, make(numpy).flags
    for name in FLAGS:
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in ["C", "F", "W", "FNC", "FORC"]:
        assert ours[name] == theirs[name], name


def test_flags_text():
    assert repr(np.zeros((2, 3)).flags) == repr(numpy.zeros((2, 3)).flags)
    with pytest.raises(KeyError):
        np.zeros(3).flags["Z"]


def test_base():
    a = np.arange(6).reshape(2, 3)
    assert np.arange(6).base is None
    part = a[1:, ::2]
    part.base[...] = 7
    assert (a == 7).all()
    assert part.base.base is None


def test_read_only_arrays_are_not_written():
    a = np.broadcast_to(np.zeros(3), (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        a[9] = 1
    with pytest.raises(ValueError):
        a.fill(1)


def test_an_error_leaves_an_array_as_it_was():
    a = np.arange(4)
    for write in [
        lambda: a.put([9], 1),
        lambda: np.put_along_axis(a, np.array([9]), 1, axis=0),
        lambda: np.place(a, a > 0, []),
        lambda: a.resize(9),
    ]:
        with pytest.raises((IndexError, ValueError)):
            write()
        assert a.tolist() == [0, 1, 2, 3]


def test_methods_that_change_the_array():
    a = np.array([[3, 1, 2], [9, 7, 8]])
    b = a
    a.sort()
    assert b.tolist() == [[1, 2, 3], [7, 8, 9]]
    a.sort(axis=0)
    a.partition(1)
    a.fill(4)
    a.put([0, -1], [5, 6])
    assert b.tolist() == [[5, 4, 4], [4, 4, 6]]
    assert a.byteswap(inplace=True) is a
    assert b[0, 0] == numpy.array(5).byteswap()


def test_a_copy_that_is_not_allowed():
    a = np.arange(6).reshape(2, 3)
    assert np.shares_memory(np.reshape(a, (3, 2), copy=False), a)
    assert not np.shares_memory(np.reshape(a, (3, 2), copy=True), a)
    with pytest.raises(ValueError):
        np.reshape(a.T, (6,), copy=False)


def test_functions_of_python():
    def failing(_line):
        raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        np.apply_along_axis(failing, 0, np.eye(3))
    scaled = np.apply_along_axis(lambda line, by, plus=0: line * by + plus, 1, np.eye(2), 3, plus=1)
    assert scaled.tolist() == [[4, 1], [1, 4]]
    x = np.arange(5.0)
    assert np.piecewise(x, [x < 2], [lambda v: -v, lambda v: v**2]).tolist() == [-0.0, -1, 4, 9, 16]
