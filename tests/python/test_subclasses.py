"""``ndarray`` as a constructor and a base class, forms that are set in place, and strides."""

import copy
import pickle
import typing

import numpy
import pytest

import phalanx as np
from phalanx.lib import stride_tricks


class Marked(np.ndarray):
    """An array with a mark; views and results inherit it."""

    def __new__(cls, *arguments, mark=None, **keywords):
        made = super().__new__(cls, *arguments, **keywords)
        made.mark = mark
        return made

    def __array_finalize__(self, source):
        self.source = type(source).__name__
        self.mark = getattr(source, "mark", None)


class Plain(np.ndarray):
    """A subclass that adds nothing."""


def test_constructor():
    for arguments in [
        {"shape": (2, 3)},
        {"shape": 4, "dtype": "int16"},
        {"shape": (2, 3, 4), "order": "F", "dtype": np.float32},
        {"shape": (2, 3), "order": "K"},
        {"shape": (), "dtype": bool},
        {"shape": (0, 3)},
        {"shape": (2, 3), "strides": (8, 16)},
    ]:
        ours, theirs = np.ndarray(**arguments), numpy.ndarray(**arguments)
        assert (ours.shape, ours.dtype, ours.strides) == (theirs.shape, theirs.dtype, theirs.strides)
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous
        assert ours.flags.owndata and ours.base is None


@pytest.mark.parametrize(
    "error, arguments",
    [
        (TypeError, {}),
        (TypeError, {"shape": None}),
        (TypeError, {"shape": 1.0}),
        (TypeError, {"shape": (1.0,)}),
        (ValueError, {"shape": (-1,)}),
        (ValueError, {"shape": [1] * 65}),
        (ValueError, {"shape": 2, "order": "!"}),
        (ValueError, {"shape": (2, 3), "strides": (8,)}),
        (ValueError, {"shape": (2, 3), "strides": (64, 8)}),
        (ValueError, {"shape": (2, 3), "strides": (-24, 8)}),
        (TypeError, {"shape": (2, 3), "buffer": b"1234"}),
        (TypeError, {"shape": (2,), "buffer": bytearray(16), "offset": 1}),
        (ValueError, {"shape": (2, 3), "buffer": bytearray(48), "strides": (32, 8)}),
    ],
)
def test_arguments_that_do_not_go_together(error, arguments):
    for module in (np, numpy):
        with pytest.raises(error):
            module.ndarray(**arguments)


def test_memory_of_an_array_is_shared():
    memory = np.arange(20, dtype="uint8")
    seen = np.ndarray((2, 2), np.float32, memory.data, strides=(8, 4))
    assert seen.strides == (8, 4) and not seen.flags.owndata
    seen[:] = 1
    expected = numpy.arange(20, dtype="uint8")
    numpy.ndarray((2, 2), numpy.float32, expected, strides=(8, 4))[:] = 1
    assert memory.tolist() == expected.tolist()
    memory[:4] = 0
    assert float(seen[0, 0]) == 0
    columns = np.ndarray((2, 3), np.int64, buffer=np.arange(8), offset=16, order="F")
    assert columns.tolist() == [[2, 4, 6], [3, 5, 7]]
    backwards = np.ndarray(3, np.int64, buffer=np.arange(6), offset=40, strides=(-16,))
    assert backwards.tolist() == [5, 3, 1]
    assert np.ndarray(3, np.int16, b"\1\0\2\0\3\0").tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="not contiguous"):
        np.ndarray(2, buffer=np.arange(8.0)[::2])


def test_construction_calls_array_finalize():
    a = Marked((2, 3), np.int32, mark="m")
    assert type(a) is Marked and isinstance(a, np.ndarray)
    assert (a.shape, a.dtype, a.mark, a.source) == ((2, 3), np.int32, "m", "NoneType")
    assert type(Plain(3)) is Plain and Plain(3).shape == (3,)
    a.anything = 1
    with pytest.raises(AttributeError):
        np.ndarray(3).anything = 1


def test_views_are_of_the_class_of_their_array():
    a = np.arange(12.0).reshape(3, 4).view(Marked)
    assert a.source == "ndarray" and a.mark is None
    a.mark = 7
    views = [a[1:], a[0, 1], a.T, a.mT, a.reshape(4, 3), a.ravel(), a.transpose(1, 0)]
    views += [a.view(), a.view("int64"), a.swapaxes(0, 1), a[None].squeeze(), a.diagonal()]
    views += [next(iter(a)), np.broadcast_to(a, (2, 3, 4)), *np.split(a, 3)]
    for view in views:
        assert (type(view), view.mark, view.source) == (Marked, 7, "Marked")
    assert type(a.view(np.ndarray)) is np.ndarray
    assert type(a.view(Plain)) is Plain
    assert type(a.view("int64", Plain)) is Plain and a.view("int64", Plain).dtype == np.int64
    assert type(a.view(type=Plain)) is Plain and type(a.view(dtype=Plain)) is Plain
    a.view(Plain)[0] = 5
    assert a[0].tolist() == [5] * 4


def test_results_of_operations_are_of_the_first_class_among_operands():
    a, b = np.arange(3).view(Marked), np.arange(3)
    a.mark = 1
    results = [a + 1, 1 - a, b * a, a * b, -a, abs(a), a == b, np.sin(a), np.add(b, a), a // 2]
    results += [*divmod(a, 2), *np.modf(a), np.add(a, 1, dtype=float), numpy.add(b, a)]
    for result in results:
        assert (type(result), result.mark) == (Marked, 1)
    other = np.arange(3).view(Plain)
    assert type(a + other) is Marked and type(other + a) is Plain
    out = np.zeros(3, a.dtype)
    assert np.add(a, 1, out=out) is out
    a += 1
    assert type(a) is Marked and a.tolist() == [1, 2, 3]


def test_copies_and_reductions_are_plain():
    a = np.arange(3.0).view(Marked)
    for result in [a.copy(), a.astype(int), a.sum(), a.flatten(), np.asarray([a, a])]:
        assert type(result) is np.ndarray
    for result in [copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))]:
        assert type(result) is np.ndarray and result.tolist() == [0, 1, 2]


def test_classes_that_are_none():
    for wrong in (int, numpy.ndarray, 3):
        with pytest.raises(ValueError, match="sub-type of ndarray"):
            np.arange(3).view(type=wrong)
    with pytest.raises(ValueError, match="twice"):
        np.arange(3).view(Plain, Marked)
    assert typing.get_origin(np.ndarray[int, float]) is np.ndarray


def test_shape_is_set_in_place():
    a = np.arange(6)
    part = a[1:5]
    for shape in [(2, 3), 6, (3, -1), (1, 6), [6]]:
        a.shape = shape
        assert a.shape == numpy.arange(6).reshape(shape).shape
    a.shape = (2, 3)
    a[1, 0] = 30
    assert part.tolist() == [1, 2, 30, 4] and a.flags.owndata and a.base is None
    part.shape = (2, 2)
    part[0] = 0
    assert a.tolist() == [[0, 0, 0], [30, 4, 5]]
    with pytest.raises(AttributeError, match="Incompatible shape"):
        a.T.shape = (2, 3)
    with pytest.raises(ValueError, match="reshape"):
        a.shape = 4
    a.dtype = np.float64
    assert a.dtype == np.float64 and a.nbytes == 48
    a.dtype, a.strides = np.int64, (8, 16)
    assert a.tolist() == [[0, 0, 4], [0, 30, 5]]
    with pytest.raises(ValueError):
        a.strides = (24, 16)


def test_a_loop_of_shapes_keeps_few_arrays():
    a = np.zeros(12)
    for step in range(1000):
        a.shape = [(3, 4), (12,), (2, 6)][step % 3]
        a += 1
    assert a.ravel().tolist() == [1000.0] * 12


def test_reshapes_are_written_through():
    ours, theirs = np.zeros((4, 6)), numpy.zeros((4, 6))
    for x in (ours, theirs):
        x.reshape(2, 2, 6)[:, 1] = 1
        x[1:3].reshape(-1)[3:5] = 2
        x[:, 2:4].reshape(4, 1, 2)[0] = 3
        x[::2].reshape(2, 3, 2)[1, 1] = 4
        x.T.reshape(3, 2, 4)[0, 1] = 5
        x.ravel()[-1] = 6
        x.T[1:].reshape(5, 2, 2)[4, 0] = 7
    assert ours.tolist() == theirs.tolist()


LAYOUTS = [
    ((4,), (16,), 0),
    ((3, 4), (0, 8), 0),
    ((2, 3), (48, 16), 8),
    ((3, 2), (16, 48), 8),
    ((2, 2, 2), (96, 40, 8), 0),
    ((3, 2), (-24, 8), 72),
    ((1, 3, 1), (8, 24, 800), 16),
    ((), (), 80),
    ((2, 0), (8, 8), 0),
    ((3, 3), (32, 8), 8),
]


@pytest.mark.parametrize("shape, strides, start", LAYOUTS)
def test_strides_are_views_that_are_written_through(shape, strides, start):
    theirs = numpy.arange(24.0)
    ours = np.arange(24.0)
    first = start // 8
    expected = numpy.lib.stride_tricks.as_strided(theirs[first:], shape, strides)
    found = stride_tricks.as_strided(ours[first:], shape, strides)
    assert (found.shape, found.strides) == (expected.shape, expected.strides)
    assert found.tolist() == expected.tolist()
    if 0 not in strides:
        found[...] = -1
        expected[...] = -1
    else:
        assert not found.flags.writeable
    assert ours.tolist() == theirs.tolist()


def test_strides_within_an_array_of_two_axes():
    theirs = numpy.arange(30.0).reshape(5, 6)
    ours = np.asarray(theirs.copy())
    strided = numpy.lib.stride_tricks.as_strided
    for x, cut in ((theirs, strided), (ours, stride_tricks.as_strided)):
        cut(x[1:, 1:], (2, 2, 2), (48, 16, 8))[1] = -5
        cut(x, (5,), (56,))[:] = 9
        cut(x.T, (2, 3), (8, 96))[:] += 100
    assert ours.tolist() == theirs.tolist()


def test_windows_that_overlap_are_copies_to_be_read():
    x = np.arange(12.0).reshape(3, 4)
    windows = stride_tricks.as_strided(x, (3, 3, 2), (32, 8, 8))
    assert windows.strides == (32, 8, 8) and not windows.flags.writeable
    assert windows[1].tolist() == [[4, 5], [5, 6], [6, 7]]
    slid = stride_tricks.sliding_window_view(x, (2, 2))
    assert slid.strides == (32, 8, 32, 8) and slid[1, 2].tolist() == [[6, 7], [10, 11]]
    with pytest.raises(ValueError):
        stride_tricks.as_strided(x, (4, 4), (32, 8))
    with pytest.raises(ValueError, match="mismatch"):
        stride_tricks.as_strided(x, (2, 2), (8,))
    assert not stride_tricks.as_strided(x, (2,), (8,), writeable=False).flags.writeable


def test_texts_name_the_class():
    def texts(module):
        class Named(module.ndarray):
            pass

        arrays = [module.arange(3.0), module.arange(4000), module.ones((2, 2), "f4")]
        return [repr(x.view(Named)) + str(x.view(Named)) for x in arrays]

    assert texts(np) == texts(numpy)


def test_a_flat_iterator_follows_the_flag():
    for module in (np, numpy):
        x = module.arange(3.0)
        flat = x.flat
        x.flags.writeable = False
        with pytest.raises(ValueError):
            flat[0] = 5
        x.flags.writeable = True
        flat[0] = 5
        assert x.tolist() == [5, 1, 2]


def test_the_class_of_an_object_changes():
    x = np.arange(3.0).view(Plain)
    x.__class__ = Marked
    assert type(x) is Marked and x.__class__ is Marked
