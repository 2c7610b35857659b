"""Arrays of objects, orders in memory, and objects that make arrays by being indexed."""

import numpy
import pytest

import phalanx as np


def same(ours, theirs):
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    ours = ours.get()
    return ours.dtype == theirs.dtype and numpy.array_equal(ours, theirs)


INDEXED = [
    lambda np: np.r_[1:4, 0, 4],
    lambda np: np.r_[0:1:5j],
    lambda np: np.r_[np.array([1, 2], "f4"), 2],
    lambda np: np.r_["0,2", [1, 2], [3, 4]],
    lambda np: np.r_["0,2,0", [1, 2, 3], [4, 5, 6]],
    lambda np: np.r_["1,2,0", [1, 2, 3], [4, 5, 6]],
    lambda np: np.r_["-1", np.eye(2), np.eye(2)],
    lambda np: np.c_[np.array([1, 2, 3]), np.array([4, 5, 6])],
    lambda np: np.c_[np.array([[1, 2, 3]]), 0, 0, np.array([[4, 5, 6]])],
    lambda np: np.mgrid[0:3, 0:2],
    lambda np: np.mgrid[0:5],
    lambda np: np.mgrid[-1:1:5j],
    lambda np: np.ogrid[0:1:3j, 0:2.5],
]


@pytest.mark.parametrize("make", INDEXED)
def test_objects_that_are_indexed(make):
    assert same(make(np), make(numpy))


def test_index_expressions():
    assert np.s_[1:2, ...] == numpy.s_[1:2, ...]
    assert np.index_exp[2::2] == numpy.index_exp[2::2]
    assert list(np.ndindex(2, 3)) == list(numpy.ndindex(2, 3))
    pairs = [(index, float(one)) for index, one in np.ndenumerate(np.eye(2))]
    assert pairs == [(index, float(one)) for index, one in numpy.ndenumerate(numpy.eye(2))]


def test_an_array_of_an_array_is_itself():
    a = np.arange(3)
    assert np.asarray(a) is a
    assert np.array(a, copy=None) is a
    assert np.array(a, copy=False) is a
    assert a.astype("i8", copy=False) is a
    assert np.astype(a, "i8", copy=False) is a
    assert not np.shares_memory(np.array(a), a)
    for refused in [lambda: np.array(a, "f4", copy=False), lambda: np.asarray([1], copy=False)]:
        with pytest.raises(ValueError):
            refused()


def test_an_array_in_its_order_is_itself():
    rows, columns = np.ones((2, 3)), np.ones((2, 3), order="F")
    assert np.ascontiguousarray(rows) is rows
    assert np.asfortranarray(columns) is columns
    assert np.ascontiguousarray(rows, "f8") is rows
    for other in [np.ascontiguousarray(columns), np.ascontiguousarray(rows, "f4"),
                  np.asfortranarray(rows)]:
        assert not np.shares_memory(other, rows) and not np.shares_memory(other, columns)
    assert np.ascontiguousarray(np.array(2.0)).shape == (1,)


@pytest.mark.parametrize("copy", [True, False, None])
def test_axes_are_added_to_an_array_that_is_not_copied(copy):
    a = np.arange(3)
    made = np.array(a, copy=copy, ndmin=3)
    assert made.shape == (1, 1, 3)
    assert np.shares_memory(made, a) == (copy is not True)


@pytest.mark.parametrize("order", "CFAK")
@pytest.mark.parametrize("own", "CF")
def test_the_order_of_a_list_of_arrays(own, order):
    def strides(np):
        part = np.ones((3, 4), order=own)
        lists = [part, part], [[part], [part]], [part[:, ::2], part[:, ::2]]
        made = [np.array(items, order=order) for items in lists]
        return [one.strides for one in [*made, np.array([part, part], "f4", order=order)]]

    assert strides(np) == strides(numpy)


def test_a_view_does_not_own_its_elements():
    a = np.zeros((2, 3))
    own = np.require(a.view(), requirements=["O"])
    assert own.flags.owndata and not np.shares_memory(own, a)
    assert np.shares_memory(np.require(a.view(), requirements=["C"]), a)


@pytest.mark.parametrize("call", [np.array, np.asarray, lambda a, copy: a.reshape(3, copy=copy)])
def test_a_string_does_not_say_whether_to_copy(call):
    with pytest.raises(ValueError, match="strings are not allowed"):
        call(np.ones(3), copy="False")


@pytest.mark.parametrize("order", "CF")
def test_a_diagonal_as_far_away_as_possible(order):
    for offset in (-(2**63), 2**63 - 1):
        assert same(np.eye(3, 2, offset, order=order), numpy.eye(3, 2, offset, order=order))


@pytest.mark.parametrize("value", [[1, 2, 3], [1], numpy.ones(3), numpy.ones((1, 1))])
def test_an_array_is_filled_with_one_value(value):
    for m in (np, numpy):
        a = m.zeros(3)
        for one in (value, m.asarray(value)):
            with pytest.raises(ValueError, match="with a sequence"):
                a.fill(one)
        assert a.tolist() == [0, 0, 0]


def test_negative_counts_are_named():
    for m in (np, numpy):
        with pytest.raises(ValueError, match="negative"):
            m.repeat(m.arange(3), [1, -1, 2])


def test_reals_have_no_imaginary_part_to_write():
    for m in (np, numpy):
        a = m.ones(2)
        with pytest.raises(TypeError, match="imaginary part"):
            a.imag = 0


def test_orders():
    fortran = numpy.asfortranarray(numpy.arange(6).reshape(2, 3))
    assert np.array(fortran).flags.f_contiguous
    assert np.array(fortran, order="C").flags.c_contiguous
    assert np.asarray([[1, 2], [3, 4]], order="F").flags.f_contiguous
    for name in ["zeros", "ones", "empty"]:
        assert getattr(np, name)((2, 3), order="F").flags.f_contiguous
        with pytest.raises(ValueError):
            getattr(np, name)((2, 3), order="K")
    a = np.zeros((2, 3, 4)).transpose(1, 2, 0)
    theirs = numpy.zeros((2, 3, 4)).transpose(1, 2, 0)
    assert np.ones_like(a).strides == numpy.ones_like(theirs).strides
    shape = (5, 6, 7)
    assert np.ones_like(a, shape=shape).strides == numpy.ones_like(theirs, shape=shape).strides
    assert np.ones_like(a, order="C").flags.c_contiguous
    assert np.require(a, requirements="F").flags.f_contiguous


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("copies", [False, True])
def test_grids_of_views(is_sparse, copies):
    options = {"sparse": is_sparse, "copy": copies}
    ours = np.meshgrid([1, 2], [3, 4, 5], **options)
    theirs = numpy.meshgrid([1, 2], [3, 4, 5], **options)
    assert type(ours) is type(theirs) and same(ours, theirs)


def test_steps_of_a_range():
    ours, theirs = np.linspace(0, 1, 5, retstep=True), numpy.linspace(0, 1, 5, retstep=True)
    assert same(ours[0], theirs[0]) and float(ours[1]) == theirs[1]
    assert same(np.arange(0, 5, 0.5, dtype=int), numpy.arange(0, 5, 0.5, dtype=int))
    assert same(np.arange(0, 1, 0.1, "f4"), numpy.arange(0, 1, 0.1, "f4"))
    assert same(np.arange(5, 0, -1.0, dtype="u1"), numpy.arange(5, 0, -1.0, dtype="u1"))


def test_functions_of_python():
    assert same(
        np.fromfunction(lambda i, j, k=1: i + k * j, (2, 3), dtype=int, k=4),
        numpy.fromfunction(lambda i, j, k=1: i + k * j, (2, 3), dtype=int, k=4),
    )
    assert np.fromfunction(lambda i: 1, (2,)) == 1
    assert same(np.mask_indices(3, np.triu), numpy.mask_indices(3, numpy.triu))
    assert same(np.fromiter((2 * k for k in range(3)), "f4"), numpy.arange(0, 6, 2, "f4"))
    assert same(np.frombuffer(b"abcd", "u1"), numpy.frombuffer(b"abcd", "u1"))


@pytest.mark.parametrize("wrong", [lambda: np.zeros(3, device="gpu"), lambda: np.array([[1], [2, 3]])])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(ValueError):
        wrong()


@pytest.mark.parametrize("dtype", ["O", "U3", "M8[s]"])
def test_dtypes_that_are_not_there(dtype):
    with pytest.raises(TypeError):
        np.zeros(2, dtype=dtype)


def test_ranges_of_large_integers():
    for first in (2**63, 2**64, 10**30, -(10**30)):
        for dtype in ("float64", "float32", "complex128"):
            ours, theirs = (m.arange(first, first + 3, dtype=dtype) for m in (np, numpy))
            same(ours, theirs)
    same(np.arange(2**63, 2**63 + 4096, 1024), numpy.arange(2**63, 2**63 + 4096, 1024))
    same(np.arange(2**63, 2**63 + 3, dtype="u8"), numpy.arange(2**63, 2**63 + 3, dtype="u8"))
    for module in (np, numpy):
        with pytest.raises(OverflowError):
            module.arange(10**400, 10**400 + 3, dtype="float64")
    with pytest.raises(OverflowError, match="of more than 308 digits"):
        np.full(2, 10**400, "float64")
    found = np.geomspace(1, 2**63, 3).get()
    numpy.testing.assert_allclose(found, numpy.geomspace(1, 2**63, 3))
