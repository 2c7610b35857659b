"""Other libraries: NumPy's protocols, DLPack, buffers, pickling."""

import copy
import pickle

import numpy
import pytest

import phalanx as np


def test_functions_of_numpy_stay_here():
    x = np.arange(6.0).reshape(2, 3)
    for result, expected in [
        (numpy.add(x, 1), x.get() + 1),
        (numpy.sum(x, axis=0), x.get().sum(axis=0)),
        (numpy.multiply.reduce(x, axis=1), numpy.multiply.reduce(x.get(), axis=1)),
        (numpy.ones((2, 3)) * x, x.get()),
        (numpy.float64(2.0) * x, 2 * x.get()),
        (numpy.linalg.norm(x), numpy.linalg.norm(x.get())),
    ]:
        assert isinstance(result, np.ndarray)
        numpy.testing.assert_allclose(result.get(), expected)


def test_a_function_that_is_not_there_is_named(monkeypatch):
    x = np.arange(3.0)
    with pytest.raises(TypeError, match="phalanx has no numpy.lib.scimath.sqrt"):
        numpy.lib.scimath.sqrt(x)
    monkeypatch.setenv("PHALANX_FALLBACK", "warn")
    with pytest.warns(RuntimeWarning, match="computed by NumPy"):
        result = numpy.lib.scimath.sqrt(x)
    assert isinstance(result, np.ndarray)
    numpy.testing.assert_allclose(result.get(), [0, 1, 2**0.5])


def test_conversion_is_said_aloud():
    x = np.arange(3.0)
    with pytest.raises(TypeError, match="use `.get\\(\\)`"):
        numpy.asarray(x)
    assert type(x.get()) is numpy.ndarray
    assert type(np.asnumpy(x)) is numpy.ndarray
    out = numpy.empty(3)
    assert np.asnumpy(x, out=out) is out and out.tolist() == [0, 1, 2]
    assert np.asnumpy([1, 2]).tolist() == [1, 2]
    x.set(numpy.array([5.0, 6.0, 7.0]))
    assert x.tolist() == [5, 6, 7]


def test_host_arrays_of_any_kind_come_in():
    base = numpy.arange(12.0).reshape(3, 4)
    for given in [base[::2, ::-1], base.T, base.astype(">f8"), numpy.asfortranarray(base),
                  base.astype("f2"), base > 4, base.astype("c8"), base[:, :0], base[0, 0]]:
        made = np.asarray(given)
        assert made.shape == given.shape and made.dtype == given.dtype.newbyteorder("=")
        numpy.testing.assert_array_equal(made.get(), given)


@pytest.mark.parametrize("wrong", [
    ["a", "b"], [object()], numpy.array(["2020-01-01"], "M8[D]"), [[1, 2], [3]], {"a": 1}, {1, 2},
])
def test_what_is_no_array_is_refused(wrong):
    with pytest.raises((TypeError, ValueError)):
        np.asarray(wrong)


def test_integers_beyond_64_bits():
    with pytest.raises((OverflowError, TypeError)):
        np.asarray(2**70)
    with pytest.raises(OverflowError):
        np.arange(3, dtype="i1") + 1000
    assert (np.asarray(2**63) // 1).dtype == numpy.uint64


def test_module_of_arguments():
    assert np.get_array_module(numpy.ones(2), np.ones(2)) is np
    assert np.get_array_module(numpy.ones(2), 3) is numpy


def test_dlpack_both_ways():
    x = np.arange(6.0).reshape(2, 3)
    there = numpy.from_dlpack(x)
    numpy.testing.assert_array_equal(there, x.get())
    back = np.from_dlpack(there)
    assert isinstance(back, np.ndarray)
    numpy.testing.assert_array_equal(back.get(), there)
    x += 1
    # What was exported stays as it was.
    assert there[0, 0] == 0
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        x.__dlpack__(stream=1)


def test_exported_memory_is_not_written():
    x = np.zeros(1000)
    kept = [shard for shard in x.local_view()]
    for step in range(5):
        x += 1
        x[:10] = 7
    assert all((shard == 0).all() and not shard.flags.writeable for shard in kept)
    assert float(x[500]) == 5


def test_shards_can_be_written_in_a_block():
    x = np.arange(100_000.0)
    with x.local_view() as shards:
        for shard in shards:
            shard *= 2
    numpy.testing.assert_array_equal(x.get(), 2 * numpy.arange(100_000.0))


def test_buffers():
    x = np.arange(5, dtype="i4")
    assert bytes(memoryview(x.local_view()[0]))[:4] == b"\0\0\0\0"
    assert x.tobytes() == numpy.arange(5, dtype="i4").tobytes()


def test_pickles_and_copies():
    x = np.arange(6.0).reshape(2, 3)
    for made in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert isinstance(made, np.ndarray)
        numpy.testing.assert_array_equal(made.get(), x.get())
        made[0, 0] = 100
        assert float(x[0, 0]) == 0
    assert pickle.loads(pickle.dumps(np.sum)) is np.sum
    assert pickle.loads(pickle.dumps(np.add)) is np.add


def test_array_api_compat_knows_the_module():
    compat = pytest.importorskip("array_api_compat")
    assert compat.array_namespace(np.ones(2)) is np


def test_torch_reads_and_writes():
    torch = pytest.importorskip("torch")
    x = np.arange(6.0).reshape(2, 3)
    tensor = torch.from_dlpack(x)
    assert tensor.sum().item() == 15
    assert float(np.from_dlpack(tensor * 2).sum()) == 30


def test_pandas_frames_come_in():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert np.asarray(frame).tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_errstate():
    x = np.arange(4.0)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        with np.errstate(divide="warn"):
            1.0 / x
    with pytest.raises(FloatingPointError, match="invalid value encountered in sqrt"):
        with np.errstate(all="raise"):
            np.sqrt(x - 2)
    with pytest.raises(FloatingPointError, match="overflow encountered in exp"):
        with np.errstate(over="raise"):
            np.exp(x * 1000)
    with np.errstate(all="raise"):
        np.sqrt(x)
        x / (x + 1)
    with pytest.raises(ValueError, match="can be 'ignore'"):
        np.errstate(all="loud")


def test_late_errors_have_the_line():
    base, exponent = np.arange(4), np.asarray([1, 2, -1, 1])
    with pytest.raises(ValueError, match=r"test_interoperability.py:\d+"):
        base**exponent
    with np.deferred_errors():
        power = base**exponent
    with pytest.raises(ValueError, match=r"test_interoperability.py:\d+") as raised:
        print(power)
    assert raised.value.code == "PX022"
