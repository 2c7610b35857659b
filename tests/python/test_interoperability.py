"""Other libraries: NumPy's protocols, DLPack, buffers, pickling."""

import copy
import gc
import pickle
import time
import weakref

import numpy
import pytest

import phalanx as np
import phalanx.cuda

from .conftest import device_count

DEVICES = device_count()
of_cpus = pytest.mark.skipif(
    phalanx.cuda.is_available(), reason="memory of GPUs is that of test_gpu.py"
)


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


@pytest.mark.parametrize("code", "?bBhHiIlLqQefdFD")
def test_arrays_of_numpy_in_any_layout(code):
    for shape in [(), (0,), (5,), (3, 4), (2, 3, 4)]:
        plain = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(code)
        fixed = plain.copy()
        fixed.setflags(write=False)
        # One byte after an address that the dtype has.
        shifted = numpy.ndarray(shape, plain.dtype, bytearray(1) + plain.tobytes(), 1)
        layouts = [plain, fixed, plain.T, numpy.broadcast_to(plain, (2, *shape)),
                   plain.astype(plain.dtype.newbyteorder()), shifted,
                   numpy.repeat(plain, 2, 0)[::2] if shape else plain]
        for given in layouts:
            for dtype in (None, "f4", "i8"):
                found, expected = np.asarray(given, dtype), numpy.asarray(given, dtype)
                assert found.dtype == expected.dtype.newbyteorder("=")
                numpy.testing.assert_array_equal(found.get(), expected)


def test_a_function_that_is_not_there_is_named(monkeypatch):
    x = np.arange(3.0)
    monkeypatch.delattr(np, "unwrap")
    with pytest.raises(TypeError, match="phalanx has no numpy.unwrap"):
        numpy.unwrap(x)
    monkeypatch.setenv("PHALANX_FALLBACK", "warn")
    with pytest.warns(RuntimeWarning, match="computed by NumPy") as warned:
        result = numpy.unwrap(x)
    assert warned[0].filename == __file__
    assert isinstance(result, np.ndarray)
    numpy.testing.assert_allclose(result.get(), [0, 1, 2])


def test_conversions_by_name():
    x = np.arange(3.0)
    # A single element is a number on any devices.
    total = np.ones(100_000).sum()
    for array in (numpy.asarray(total), numpy.array(total)):
        assert array.shape == () and array == float(total) == 100_000.0
    assert numpy.asarray(total, dtype="f4").dtype == numpy.float32
    assert numpy.stack([numpy.asarray(total), numpy.asarray(total + 1)]).tolist() == [1e5, 1e5 + 1]
    with pytest.raises(ValueError):
        np.ones(3).sum().__array__(copy=False)
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
def test_objects_that_are_no_arrays_are_refused(wrong):
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


@of_cpus
def test_dlpack_both_ways():
    x = np.arange(6.0).reshape(2, 3)
    there = numpy.from_dlpack(x)
    numpy.testing.assert_array_equal(there, x.get())
    back = np.from_dlpack(there)
    assert isinstance(back, np.ndarray)
    numpy.testing.assert_array_equal(back.get(), there)
    x += 1
    # The exported elements do not change.
    assert there[0, 0] == 0
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        x.__dlpack__(stream=1)


@of_cpus
def test_exported_memory_is_not_written():
    x = np.zeros(1000)
    kept = [shard for shard in x.local_view()]
    for step in range(5):
        x += 1
        x[:10] = 7
    assert all((shard == 0).all() and not shard.flags.writeable for shard in kept)
    assert float(x[500]) == 5


@of_cpus
def test_shards_can_be_written_in_a_block():
    x = np.arange(100_000.0)
    with x.local_view() as shards:
        for shard in shards:
            shard *= 2
    numpy.testing.assert_array_equal(x.get(), 2 * numpy.arange(100_000.0))


@of_cpus
@pytest.mark.one_process("looks at the parts of one process")
def test_buffers():
    x = np.arange(5, dtype="i4")
    assert bytes(memoryview(x.local_view()[0]))[:4] == b"\0\0\0\0"
    assert x.tobytes() == bytes(x) == numpy.arange(5, dtype="i4").tobytes()


def address(array):
    """The address of a NumPy array."""
    return array.__array_interface__["data"][0]


class Exporter:
    """A NumPy array that supports only DLPack, in one of its versions."""

    def __init__(self, array, is_versioned, device=(1, 0)):
        self.array, self.is_versioned, self.device = array, is_versioned, device
        self.asked = None

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.asked = dl_device
        if self.is_versioned:
            return self.array.__dlpack__(max_version=max_version)
        return self.array.__dlpack__()


@pytest.mark.parametrize("is_versioned", [False, True])
@of_cpus
@pytest.mark.one_process("looks at the parts of one process")
def test_dlpack_comes_in_without_a_copy(is_versioned):
    host = numpy.arange(60.0).reshape(20, 3)
    x = np.from_dlpack(Exporter(host, is_versioned))
    assert x.shape == (20, 3) and x.dtype == host.dtype
    parts = x.local_view()
    start = address(host)
    assert all(start <= address(part) < start + host.nbytes for part in parts if part.size)
    # Reads are in place; a write makes a copy.
    host[0, 0] = 100
    assert float(x[0, 0]) == 100
    x += 1
    x[1] = 0
    assert host[0, 0] == 100 and host[1, 1] == 4
    assert float(x[0, 0]) == 101 and x[1].tolist() == [0, 0, 0]
    numpy.testing.assert_array_equal(x[2:].get(), host[2:] + 1)


def test_dlpack_that_is_read_only_comes_in():
    host = numpy.arange(6.0)
    host.flags.writeable = False
    x = np.from_dlpack(Exporter(host, True))
    x *= 2
    assert x.tolist() == [0, 2, 4, 6, 8, 10] and host.tolist() == [0, 1, 2, 3, 4, 5]


@of_cpus
def test_dlpack_copies_on_request():
    host = numpy.arange(12.0).reshape(4, 3)
    copied = np.from_dlpack(host, copy=True)
    np.from_dlpack(host, copy=False)
    host[0, 0] = 5
    assert float(copied[0, 0]) == 0
    with pytest.raises(BufferError, match="C order"):
        np.from_dlpack(host.T, copy=False)
    assert np.from_dlpack(host.T).tolist() == host.T.tolist()
    assert np.from_dlpack(host[:, :0], copy=False).shape == (4, 0)
    odd = numpy.frombuffer(bytearray(81), "u1")[1:].view("f8")
    assert np.from_dlpack(odd).tolist() == [0] * 10
    with pytest.raises(TypeError, match="exports nothing by DLPack"):
        np.from_dlpack([1.0])
    with pytest.raises(ValueError):
        np.from_dlpack(host, device="cuda")


@of_cpus
def test_dlpack_of_another_device():
    there = Exporter(numpy.arange(3.0), True, device=(2, 1))
    with pytest.raises(BufferError, match="device='cpu'"):
        np.from_dlpack(there)
    with pytest.raises(BufferError):
        np.from_dlpack(there, device="cpu", copy=False)
    assert np.from_dlpack(there, device="cpu").tolist() == [0, 1, 2] and there.asked == (1, 0)


@of_cpus
@pytest.mark.one_process("looks at the parts of one process")
def test_imported_memory_is_let_go():
    host = numpy.arange(1000.0)
    gone = weakref.ref(host)
    x = np.from_dlpack(host)
    view = x[::2]
    del host, x
    gc.collect()
    assert gone() is not None and float(view.sum()) == 249500
    del view
    # The memory is freed at the interpreter's next collection; a plan may still read it until then.
    end = time.monotonic() + 60
    while gone() is not None and time.monotonic() < end:
        np.flush()
        float(np.arange(3.0).sum())
        gc.collect()
    assert gone() is None


@of_cpus
@pytest.mark.one_process("looks at the parts of one process")
def test_exported_by_both_versions_and_kept():
    x = np.arange(6.0).reshape(2, 3).copy()
    parts = x.local_view()
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    # The first version has no read-only flag, so the export is a copy.
    assert '"dltensor"' in repr(x.__dlpack__())
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)
    there = numpy.from_dlpack(x)
    if DEVICES == 1:
        assert address(there) == address(parts[0]) and not there.flags.writeable
        assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 1), copy=False))
    del x, parts
    gc.collect()
    made = [np.zeros((2, 3)) + n for n in range(20)]
    assert there.tolist() == [[0, 1, 2], [3, 4, 5]] and len(made) == 20


@of_cpus
@pytest.mark.one_process("looks at the parts of one process")
def test_local_parts_are_not_copied():
    parts = [numpy.full((2, 3), float(device)) for device in range(DEVICES)]
    x = np.from_local(parts)
    assert [address(part) for part in x.local_view()] == [address(part) for part in parts]
    x += 1
    x[0] = 9
    assert [part[0, 0] for part in parts] == list(range(DEVICES))
    assert x.tolist()[0] == [9, 9, 9] and x.tolist()[-1] == [DEVICES] * 3
    # Parts with another layout are copied.
    turned = np.from_local([numpy.arange(6.0).reshape(2, 3).T] * DEVICES)
    assert turned.shape == (3 * DEVICES, 2) and turned[1].tolist() == [1, 4]


@of_cpus
@pytest.mark.one_process("looks at the parts of one process")
def test_written_shards_are_the_arrays():
    x = np.arange(7.0)
    with x.local_view() as shards:
        shards[0][...] = 5
    with pytest.raises(ValueError, match="read-only"):
        shards[0][...] = 6
    assert float(x[0]) == 5


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


@of_cpus
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
