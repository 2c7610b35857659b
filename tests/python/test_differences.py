"""Edge cases of NumPy's functions: the same answer, or the same class of error."""

import copy
import pickle
import warnings

import numpy
import pytest

import phalanx

CALLS = """
np.arange(start=3)
np.arange(stop=3)
np.arange(start=1, stop=3)
np.arange(stop=5, step=2)
np.arange(0, None, dtype=int)
np.arange(2, dtype=bool)
np.arange(1, 3, dtype=bool)
np.arange(3, dtype=bool)
np.arange(1, 0, dtype=bool)
np.zeros(2**64)
np.zeros(2**63)
np.zeros(2**62)
np.zeros((2**40, 2**40))
np.ones((2**63, 0))
np.full(2**64, 1)
np.eye(2**64)
np.identity(2**64)
np.tri(2**64)
np.indices((2**64,))
np.linspace(0, 1, 2**64)
np.zeros(3).reshape(2**64)
np.reshape(np.zeros(3), (2**64,))
np.broadcast_to(1, 2**64)
np.tile([1], 2**64)
np.repeat([1], 2**64)
np.ones(3).sum(axis=2**64)
np.result_type()
np.tensordot(np.ones((2, 2)), np.ones((2, 2)), axes=3)
np.tensordot(np.ones((2, 2, 2)), np.ones(2), axes=2)
np.tensordot(np.ones((2, 2)), np.ones((2, 2)), axes=-1)
np.tensordot(np.ones((2, 2)), np.ones((2, 2)), axes=([5], [0]))
np.tensordot(np.ones((2, 2)), np.ones((2, 3)), axes=2)
np.fft.fft2(np.ones(3))
np.fft.ifft2(np.ones(3))
np.fft.rfft2(np.ones(3))
np.fft.irfft2(np.ones(3))
np.fft.fft2(np.ones(3), s=(2, 2))
np.fft.fftn(np.ones((2, 3)), axes=(0, 5))
np.fft.fft(np.ones(3), axis=3)
np.fft.fft(np.ones(3), n=2, axis=3)
np.fft.fftfreq(0)
np.fft.rfftfreq(0)
np.fft.fftfreq(-3)
np.fft.rfftfreq(-3)
np.fft.fftfreq(3, d=0)
np.fft.rfftfreq(3, d=0)
np.fft.fftfreq(1.5)
np.ones(3).reshape()
np.ones(1).reshape()
np.ones(1).reshape(order='F')
np.ones(1).reshape(())
""".strip().splitlines()

VIEWS = """
a[::2], a[1::2]
a[::2], a[::3]
a[1::2], a[::4]
a[:5], a[5:]
a[:5], a[4:]
a[:0], a
a[::-1], a[3:4]
a[::-2], a[::2]
a.reshape(2, 6)[:, ::2], a.reshape(3, 4)[:, 1::2]
a.reshape(3, 4).T[::2], a[2::4]
a.reshape(3, 4)[:, 1], a.reshape(3, 4)[:, 2]
a.reshape(3, 4)[:, :2].reshape(3, 2, 1)[1:], a[:4]
a.view('int32')[::2], a.view('int32')[1::2]
a.view('int32')[1::2], a
c.real, c.imag
c.real[::2], c[1:]
c.imag, c[2:]
np.broadcast_to(a[3:4], (5,)), a[3:]
np.broadcast_to(a[3:4], (5,)), a[4:]
a, a.copy()
""".strip().splitlines()

KEYS = """
x[[0, 1]]
x[[[0, 1], [1, 0]]]
x[:, [0, 1, 1]]
x[:, :, [0, 1]]
x[[0, 1], [0, 1]]
x[[0, 1], :, [1, 0]]
x[:, [[0, 1], [1, 0]]]
x[:, [0, 1], [1, 0]]
x[x > 3]
x[x[:, :, 0] > 3]
x[np.ix_([0, 1], [1, 0])]
x[1:, ::-1, [0, 1]]
x[[0, 1], [1, 0], [0, 1]]
x[np.asfortranarray([[0, 1], [1, 0]])]
x[np.asfortranarray([[0, 1], [1, 0]]), 0, np.asfortranarray([[1, 1], [0, 1]])]
x[np.asfortranarray([[0, 1], [1, 0]]), 0, [[1, 1], [0, 1]]]
""".strip().splitlines()

ORDERS = {
    "C": lambda x: x,
    "F": lambda x: x.T,
    "middle": lambda x: x.transpose(1, 0, 2),
    "inner": lambda x: x.transpose(0, 2, 1),
    "reversed": lambda x: x[:, ::-1].T,
}


def outcome(module, call, **names):
    """The class of the exception that a call raises, or its result."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return eval(call, {"np": module, **names})
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("call", CALLS)
def test_calls(call):
    expected, found = outcome(numpy, call), outcome(phalanx, call)
    if isinstance(expected, numpy.ndarray):
        assert found.dtype == expected.dtype
        numpy.testing.assert_array_equal(found.get(), expected)
    else:
        assert found == expected


@pytest.mark.parametrize("views", VIEWS)
def test_shared_memory(views):
    answers = []
    for np in (numpy, phalanx):
        a, c = np.arange(12), np.arange(6.0) * 1j
        first, second = eval(views, {"np": np, "a": a, "c": c})
        answers.append((np.shares_memory(first, second), np.may_share_memory(first, second)))
    assert answers[0] == answers[1]


def test_elements_are_copies():
    matrix = phalanx.arange(4).reshape(2, 2)
    vector = phalanx.arange(3)
    first, corner, view = vector[0], matrix[0, 1], matrix[0, 1, ...]
    vector[0], vector[2] = vector[2], vector[0]
    matrix += 10
    assert vector.tolist() == [2, 1, 0]
    assert (int(first), int(corner), int(view)) == (0, 1, 11)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("order", ORDERS)
def test_layout_of_positions(order, key):
    answers = []
    for np in (numpy, phalanx):
        x = ORDERS[order](np.arange(27.0).reshape(3, 3, 3))
        answers.append(eval(key, {"np": np, "x": x}))
    expected, found = answers
    numpy.testing.assert_array_equal(found.get(), expected)
    strides = [
        [stride for stride, extent in zip(array.strides, array.shape) if extent > 1]
        for array in answers
    ]
    assert strides[0] == strides[1]


def test_copies_and_pickles_keep_their_order():
    array = phalanx.asfortranarray(phalanx.arange(6.0).reshape(2, 3))
    middle = phalanx.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2)
    for copied in (copy.copy(array), copy.deepcopy(array), pickle.loads(pickle.dumps(array))):
        assert copied.flags.f_contiguous and not copied.flags.c_contiguous
        numpy.testing.assert_array_equal(copied.get(), array.get())
    assert copy.copy(middle).strides == numpy.arange(24.0).reshape(2, 3, 4).transpose(
        1, 0, 2
    ).copy("K").strides


@pytest.mark.parametrize(
    "call",
    """
    np.add(1)
    np.add()
    np.add(1, 2, 3, 4)
    np.add(1, 2, foo=1)
    np.sin(1, 2, 3)
    np.sin(x1=1)
    np.modf(1, 2, 3, 4)
    np.divmod(1)
    """.split("\n")[1:-1],
)
def test_ufuncs_name_themselves(call):
    messages = []
    for np in (numpy, phalanx):
        with pytest.raises(TypeError) as raised:
            eval(call.strip(), {"np": np})
        messages.append(str(raised.value))
    # Our message also has a code and a hint.
    assert messages[1].startswith(messages[0] + " [PX14")


def test_hints_have_names_of_python():
    with pytest.raises(numpy.linalg.LinAlgError, match=r"phalanx\.linalg\.lstsq") as raised:
        phalanx.linalg.inv(phalanx.zeros((2, 2)))
    assert "::" not in str(raised.value)
    with pytest.raises(IndexError, match=r"use `\.\.\.`"):
        phalanx.ones(3)[..., ...]


def test_integers_beyond_all_dtypes_are_refused():
    assert phalanx.arange(2**63, 2**63 + 3).dtype == numpy.arange(2**63, 2**63 + 3).dtype
    with pytest.raises(OverflowError):
        phalanx.arange(10**20, 10**20 + 3)


def test_functions_have_docstrings():
    assert phalanx.sum.__doc__.startswith("sum(")
    assert phalanx.linalg.inv.__doc__.startswith("inv(")
    assert phalanx.sin.__doc__.startswith("sin(x1, /, out=None")
    assert phalanx.ones(3).sum.__doc__.startswith("sum(")
