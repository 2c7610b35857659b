"""Answers that once differed from NumPy's, each beside it: orders of broadcast arrays, numbers that
a dtype does not hold, dtypes that are asked for, infinities at the ends of convolutions."""

import warnings

import numpy as np
import phalanx as px
import pytest

CALLS = """
m.broadcast_to(m.arange(3), (2, 3)).ravel('K')
m.broadcast_to(m.arange(3)[:, None], (3, 2)).flatten('K')
m.broadcast_to(m.arange(6).reshape(2, 1, 3), (2, 2, 3)).transpose(2, 1, 0).ravel('K')
m.broadcast_to(m.arange(6).reshape(2, 1, 3), (2, 2, 3)).transpose(2, 1, 0).flatten('K')
m.arange(6).reshape(2, 3)[::-1, ::-1].T.ravel('K')
m.clip(m.arange(5, dtype='u1'), .5, -1)
m.clip(m.arange(5, dtype='u1'), -1, 3)
m.clip(m.arange(5, dtype='u1'), 0, 300)
m.clip(m.arange(5, dtype='u1'), 0, -1)
m.clip(m.arange(5, dtype='i1'), -200, 3)
m.clip(m.arange(5, dtype='i4'), 1, 3, dtype='f4')
m.clip(m.arange(5, dtype='f4'), 1, 3, casting='unsafe', dtype='i4')
m.clip(m.arange(5, dtype='f4'), 1, 3, out=m.zeros(5, 'i4'), casting='unsafe')
m.clip(m.arange(5, dtype='f4'), 1, 3, out=m.zeros(5, 'i4'))
m.clip(m.arange(3), 1, 2, where=m.array([True, False, True]), out=m.zeros(3, 'i8'))
m.clip(m.arange(3), 1)
m.where(m.array([True, False]), m.array([1, 2], 'u1'), 1.5)
m.select([m.array([True, False])], [m.array([1, 2], 'u1')], -1)
m.choose(m.array([0, 1]), [m.array([1, 2], 'u1'), -1])
m.choose(m.array([0, 1]), [m.array([1, 2], 'u1'), 300])
m.choose(m.array([0, 1]), [m.ones(2, 'f2'), m.ones(2, 'i1'), m.ones(2, 'u1')])
m.einsum('i,i,i->i', m.ones(2, 'u2'), m.ones(2, 'i1'), m.ones(2, 'f4'))
m.block([m.ones(2, 'i1'), m.ones(2, 'u1'), m.ones(2, 'f2')])
m.select([m.ones(2, '?')] * 2, [m.ones(2, 'i1'), m.ones(2, 'u2')], m.ones((), 'f4'))
m.clip(m.ones(2, 'i1'), m.ones(2, 'u1'), m.ones(2, 'f2'))
m.diff(m.ones(2, 'i1'), prepend=m.ones(2, 'u1'), append=m.ones(2, 'f2'))
m.array([m.ones(2, 'i1'), m.ones(2, 'u1'), m.ones(2, 'f2')])
m.array([m.ones(2, 'f2'), m.ones(2, 'i1'), m.ones(2, 'u1')])
m.searchsorted(m.arange(3, dtype='u1'), 300)
m.searchsorted(m.arange(3, dtype='u8'), -1)
m.searchsorted(m.arange(3, dtype='i4'), 1.5)
m.searchsorted(m.arange(3, dtype='i1'), 1, 'right')
m.searchsorted(m.array([1.1], 'f4'), 1.1, 'right')
m.searchsorted(m.array([16777216], 'f4'), 16777217)
m.array([.2, .3], 'f2').searchsorted(.3, 'right')
m.insert(m.zeros(3, 'u1'), 1, -2)
m.less([1, 2], [2, 1], dtype='f8')
m.less([1, 2], [2, 1], dtype='?')
m.isnan([1.0, 2], dtype='f4')
m.sin([1, 2], dtype='i4')
m.sin([1, 2], dtype='f2')
m.divide([1, 2], [3, 4], dtype='i4')
m.divide([300, 2], [1, 4], dtype='f8')
m.add([1.5, 2], [3, 4], dtype='i4')
m.add([1.5, 2], [3, 4], dtype='i4', casting='unsafe')
m.add(m.array([1, 2], 'i1'), 300, dtype='i1')
m.add(m.array([1, 2], 'i1'), 300, dtype='i2')
m.add(m.array([1, 2], 'i1'), 1.5, dtype='i2')
m.add([1, 2], 1j, dtype='f8')
m.absolute([1j, 2], dtype='f8')
m.absolute([1j, 2], dtype='c16')
m.frexp([1.0, 2], dtype='f4')
m.ldexp([1.0, 2], [1, 2], dtype='f8')
m.logical_not([5, -2], dtype='i4')
m.divmod([5, -2], [3, 3], dtype='f4')
m.std(m.arange(5), dtype='i4')
m.std(m.arange(6).reshape(2, 3), axis=0, dtype='i4')
m.std(m.arange(5), dtype='f2')
m.arange(5, dtype='f4').std(dtype='f8')
m.convolve([1, 2, 3, 4], [m.inf, 1])
m.convolve([1, 2, 3, 4], [1, m.nan, 1], 'same')
m.convolve([1, m.inf, 2, 3, 4], [1, 0, 1], 'valid')
m.correlate([1, m.inf, 2, 3, 4], [1, -m.inf, 1], 'full')
m.correlate([1, 2], [1, m.inf, 1], 'same')
m.convolve([1, 2, 3], [4, 5], 'full')
m.add.accumulate(m.array([100, 100], 'i1'), dtype='i1')
m.add.accumulate(m.array([100, 100], 'i1'))
m.add.reduceat(m.array([100, 100], 'i1'), [0, 1], dtype='i1')
m.gcd.reduce([-4])
m.hypot.reduce([-3.0])
m.hypot.reduce(m.array([[3.0, 4], [0, 12]]), axis=None)
m.subtract.reduce([5, 1, 2], initial=20, where=[True, False, True])
m.divide.reduce([8.0, 2, 0], initial=16, where=[True, True, False])
m.bitwise_and.reduce([7, 5], initial=4)
m.logical_xor.reduce([1, 1], initial=True)
m.matmul(m.ones((2, 2)), m.ones((2, 2)), dtype='f4')
m.matmul(m.ones((2, 2), 'c8'), m.ones((2, 2)), dtype='f4')
m.matmul(m.ones((2, 2)), m.ones((2, 2)), dtype='f4', casting='safe')
m.matmul(m.arange(6).reshape(2, 3), m.arange(6).reshape(3, 2), out=m.zeros((4, 2, 2)))
m.matmul(m.arange(12).reshape(2, 3, 2), m.arange(4).reshape(2, 2), axes=[(0, 1), (0, 1), (1, 2)])
m.matmul(m.arange(12).reshape(3, 2, 2), m.arange(2), axes=[(0, 1), (0,), (1,)])
m.vecdot(m.arange(6).reshape(2, 3), m.arange(6).reshape(2, 3), axis=0)
m.vecdot(m.arange(6).reshape(2, 3), m.arange(6).reshape(2, 3), axis=0, keepdims=True)
m.cumulative_sum(m.arange(3), out=m.zeros(3, '?'))
m.indices((1, 2, 3), dtype='?')
m.nan_to_num(m.array([[m.nan, m.inf], [1, m.nan]]), nan=m.array([[5.0], [6]]))
m.nan_to_num(m.array([m.nan, 1]), nan=m.zeros((2, 2)))
m.interp([0.5, 1.5], [0, 1, 2], m.array([1 + 1j, m.inf + 2j, 3]))
m.arange(3) == object()
m.arange(3) != ...
m.zeros(3).real
m.arange(24).reshape(2, 3, 4)[[[]]]
m.arange(24).reshape(2, 3, 4)[(0, 1), (1, 2)]
""".strip().splitlines()

# Numbers that the dtype does not hold: NumPy before 2.5 wraps them, as we do; 2.5 raises.
if np.lib.NumpyVersion(np.__version__) < "2.5.0":
    CALLS += """
m.where(m.array([True, False]), m.array([1, 2], 'u2'), -1)
m.where(m.array([True, False]), m.array([1, 2], 'u1'), 300)
m.where(m.array([True, False]), m.array([1, 2], 'i8'), 2**63)
""".strip().splitlines()

WRITES = """
m.copyto(a, 1.5, casting='unsafe')
m.copyto(a, 2j, casting='unsafe')
m.copyto(a, 300, casting='unsafe')
m.copyto(a, m.array([300, 2, 3]), casting='unsafe')
m.copyto(a, m.array([1.5, 2, 3]))
m.copyto(a, m.arange(3), casting='safe')
m.copyto(a, 5, casting='safe')
m.copyto(a, -1.5, where=m.array([True, False, True]), casting='unsafe')
m.put(a, [0], -1)
m.put(a, [0], [-1])
m.put(a, [0], [300])
m.put(a, [0], m.array([300]))
m.put(a, [0], [2j])
m.place(a, a == 0, [-1])
m.place(a, a == 0, -1)
m.putmask(a, a == 0, [-1])
m.add.at(a, [0, 0], 200)
m.multiply.at(a, [0, 1], 1.5)
m.divide.at(a, [1, 1, 2], 0.5)
""".strip().splitlines()


def outcome(module, text, **names):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(text, {"m": module, **names})
        except (TypeError, ValueError, OverflowError, IndexError) as error:
            return error


def compare(found, expected, text):
    if isinstance(expected, tuple):
        for pair in zip(found, expected, strict=True):
            compare(*pair, text)
        return
    if isinstance(expected, Exception) or isinstance(found, Exception):
        assert isinstance(found, OverflowError) == isinstance(expected, OverflowError), found
        assert isinstance(found, Exception) and isinstance(expected, Exception), (found, expected)
        return
    expected = np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), text
    np.testing.assert_allclose(found.get(), expected, rtol=1e-3 if expected.itemsize == 2 else 1e-6,
                               err_msg=text)


@pytest.mark.parametrize("text", CALLS)
def test_answers(text):
    compare(outcome(px, text), outcome(np, text), text)


@pytest.mark.parametrize("dtype", ["i1", "u1", "?", "f4"])
@pytest.mark.parametrize("text", WRITES)
def test_writes(text, dtype):
    theirs = np.array([0, 1, 2], dtype)
    ours = px.asarray(theirs.copy())
    expected, found = outcome(np, text, a=theirs), outcome(px, text, a=ours)
    compare(found, expected, text) if isinstance(expected, Exception) or found is not None else None
    np.testing.assert_array_equal(ours.get(), theirs, err_msg=text)


def test_classes_of_int_are_numbers_of_python():
    class Number(int):
        pass

    for dtype in ("i1", "f4"):
        a = px.array([1, 2, 3], dtype)
        assert (a != Number(3)).get().tolist() == [True, True, False]
        assert (a + Number(3)).dtype == (np.array([1], dtype) + Number(3)).dtype


def test_objects_that_compare_themselves_are_asked():
    class Even:
        def __eq__(self, other):
            return other % 2 == 0

    a = px.arange(4)
    assert (a == Even()).get().tolist() == [True, False, True, False]
    assert (a != Even()).get().tolist() == [False, True, False, True]
    real = a.real
    assert real is a and px.real(a) is a
