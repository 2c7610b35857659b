"""Iteration and `flat`, also while an array changes."""

import numpy
import pytest

import phalanx as np


def test_elements_of_a_vector():
    for ours, theirs in [
        (np.arange(5000.0), numpy.arange(5000.0)),
        (np.arange(10)[::-3], numpy.arange(10)[::-3]),
        (np.zeros(0), numpy.zeros(0)),
        (np.array([1 + 2j, 3]), numpy.array([1 + 2j, 3])),
        (np.array([True, False]), numpy.array([True, False])),
    ]:
        elements = list(ours)
        assert [one.item() for one in elements] == theirs.tolist()
        assert all(one.shape == () and one.dtype == theirs.dtype for one in elements)


def test_elements_are_copies():
    a = np.arange(3)
    for one in a:
        one += 10
    assert a.tolist() == [0, 1, 2]


def test_rows_are_views():
    a = np.zeros((3, 2))
    for number, row in enumerate(a):
        row[...] = number
    assert a.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_elements_that_are_written_meanwhile():
    def seen(np):
        a, found = np.arange(6), []
        for one in a:
            found.append(int(one))
            a[4:] = -int(one)
        return found

    assert seen(np) == seen(numpy)


def test_arrays_without_axes_are_not_iterated_over():
    with pytest.raises(TypeError):
        iter(np.array(3))


KEYS = [3, -1, slice(1, 4), slice(None, None, -2), [1, 2]]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("is_transposed", [False, True])
def test_flat(key, is_transposed):
    def make(np):
        a = np.arange(6).reshape(2, 3)
        return a.T if is_transposed else a

    ours, theirs = make(np), make(numpy)
    assert ours.flat[key].tolist() == theirs.flat[key].tolist()
    for value in [9] if isinstance(key, int) else [9, [7, 8]]:
        ours, theirs = make(np), make(numpy)
        ours.flat[key], theirs.flat[key] = value, value
        assert ours.tolist() == theirs.tolist()


def test_flat_by_a_mask():
    a = np.arange(6).reshape(2, 3).T
    mask = np.array([True, False] * 3)
    assert a.flat[mask].tolist() == [0, 1, 2]
    a.flat[mask] = [7, 8]
    assert a.tolist() == [[7, 3], [8, 4], [7, 5]]


def test_all_of_flat():
    a = np.arange(6).reshape(2, 3)
    assert [int(one) for one in a.flat] == list(range(6))
    assert len(a.flat) == 6 and a.flat.base.shape == (2, 3)
    a.T.flat = [1, 2]
    assert a.tolist() == [[1, 1, 1], [2, 2, 2]]
    a.flat = 5
    assert (a == 5).all()
    elements = a.flat
    next(elements), next(elements), next(elements), next(elements)
    assert elements.index == 4 and elements.coords == (1, 1)
    a.flat.copy()[0] = 1
    assert a[0, 0] == 5
    with pytest.raises(IndexError):
        a.flat[6]
    with pytest.raises(IndexError):
        a.flat[6] = 1
