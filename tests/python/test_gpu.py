"""GPUs: other libraries' memory and streams, events, pools, profilers. Skipped on CPUs."""

import gc
import importlib
import os
import threading

import numpy
import pytest

import phalanx as np
import phalanx.cuda
import phalanx.x
import phalanx.x.profiler
from phalanx.cuda import runtime

from . import worlds

if not phalanx.cuda.is_available():
    worlds.lacks("gpu", "GPU")

# Counting them starts no session; the tests share one.
GPUS = np._phalanx._gpu_count()
one_gpu = pytest.mark.skipif(GPUS > 1, reason="the array would be split over several GPUs")


def ordinal():
    """CUDA's number of the first GPU of the session."""
    return np._phalanx._gpus()[0][0]


def run_alone(program, environment=()):
    """Runs a program with a separate session on that GPU."""
    kept = {name: os.environ[name] for name in ["PHALANX_CUDA_PATH"] if name in os.environ}
    kept["PHALANX_DEVICES"] = f"cuda:{ordinal()}"
    kept.update(environment)
    return worlds.run(program, environment=kept, timeout=120)


class Interface:
    """An array that a library exposes only by the CUDA Array Interface."""

    def __init__(self, owner, **changes):
        self.owner = owner
        self.__cuda_array_interface__ = dict(owner.__cuda_array_interface__, **changes)


def test_devices_have_their_properties():
    device = phalanx.cuda.Device(0)
    assert int(device) == device.id == 0 and "cuda" in repr(device)
    assert int(device.compute_capability) >= 80
    attributes = device.attributes
    assert attributes["WarpSize"] == 32 and attributes["MultiProcessorCount"] > 0
    free, whole = device.mem_info
    assert 0 < free <= whole == runtime.getDeviceProperties(0)["totalGlobalMem"]
    assert runtime.driverGetVersion() >= 12000 and runtime.runtimeGetVersion() >= 12000
    properties = runtime.getDeviceProperties(0)
    assert properties["warpSize"] == 32 and properties["maxThreadsDim"][0] == 1024
    assert runtime.deviceGetAttribute("WarpSize", 0) == 32
    with pytest.raises(runtime.CUDARuntimeError, match=f"this process has {GPUS}"):
        phalanx.cuda.Device(GPUS)
    with pytest.raises(runtime.CUDARuntimeError, match="no attribute"):
        runtime.deviceGetAttribute("Colour", 0)
    with device:
        assert phalanx.cuda.get_device_id() == 0
    device.synchronize()


def test_the_interface_shows_memory_that_stays():
    x = np.arange(1000.0).with_sharding(None)
    shown = x.__cuda_array_interface__
    pointer, is_read_only = shown["data"]
    assert shown["version"] == 3 and shown["shape"] == (1000,) and shown["typestr"] == "<f8"
    assert is_read_only and pointer and shown["strides"] is None and shown["stream"] not in (None, 0)
    # A second request returns the same memory; after a write the array has other memory.
    assert x.__cuda_array_interface__["data"][0] == pointer
    kept = np.asarray(Interface(x))
    x += 1
    assert x.__cuda_array_interface__["data"][0] != pointer
    assert float(kept.sum()) == 499500 and float(x.sum()) == 500500
    empty = np.zeros((0, 3)).__cuda_array_interface__
    assert empty["data"][0] == 0 and empty["shape"] == (0, 3)


@one_gpu
def test_the_interface_comes_in_without_a_copy():
    x = np.arange(24.0).reshape(4, 6).copy()
    taken = np.asarray(Interface(x))
    assert taken.__cuda_array_interface__["data"][0] == x.__cuda_array_interface__["data"][0]
    numpy.testing.assert_array_equal(taken.get(), x.get())
    taken *= 2
    assert float(x[0, 1]) == 1 and float(taken[0, 1]) == 2
    # Strides of both signs, and an offset.
    pointer, _ = x.__cuda_array_interface__["data"]
    turned = Interface(x, shape=(6, 4), strides=(8, 48))
    numpy.testing.assert_array_equal(np.asarray(turned).get(), x.get().T)
    back = Interface(x, shape=(4, 3), strides=(-48, 16), data=(pointer + 3 * 48, True))
    numpy.testing.assert_array_equal(np.asarray(back).get(), x.get()[::-1, ::2])
    part = Interface(x, shape=(5,), strides=None, data=(pointer + 8, True))
    assert np.asarray(part).tolist() == [1, 2, 3, 4, 5]
    assert np.asarray(Interface(x), dtype="f4").dtype == numpy.float32
    for stream in (None, 1, 2):
        assert float(np.asarray(Interface(x, stream=stream))[0, 1]) == 1
    with pytest.raises(ValueError, match="stride for each axis"):
        np.asarray(Interface(x, strides=(8,)))
    with pytest.raises(BufferError, match="masked"):
        np.asarray(Interface(x, mask=x))


@one_gpu
def test_dlpack_both_ways_on_one_gpu():
    for dtype in ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
        x = np.arange(12).astype(dtype).reshape(3, 4)
        assert x.__dlpack_device__() == (2, ordinal())
        part = x.local_view()[0]
        made = np.from_dlpack(part)
        assert made.dtype == x.dtype and (made == x).all()
        assert made.local_view()[0].ptr == part.ptr
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(x.__dlpack__())
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 77))
    with pytest.raises(ValueError):
        x.__dlpack__(stream=0)
    own = phalanx.cuda.Stream()
    for stream in (None, 1, 2, -1, own.ptr):
        x.__dlpack__(stream=stream, max_version=(1, 0))
    numpy.testing.assert_array_equal(numpy.from_dlpack(OnHost(x)), x.get())
    # One of our arrays is returned itself.
    assert np.from_dlpack(x) is x


class OnHost:
    """An array that a library requests on the host."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options | {"dl_device": (1, 0)})

    def __dlpack_device__(self):
        return (1, 0)


def test_exported_memory_is_kept_and_let_go():
    pool = phalanx.cuda.get_default_memory_pool()
    x = np.zeros(1 << 20).with_sharding(None)
    x.evaluate()
    capsule = x.__dlpack__(max_version=(1, 0))
    held = pool.used_bytes()
    del x
    gc.collect()
    np.flush()
    assert pool.used_bytes() >= held - (1 << 16)
    del capsule
    gc.collect()
    float(np.ones(3).sum())
    assert pool.used_bytes() <= held - (8 << 20) + (1 << 16)


def test_exported_memory_is_not_written():
    x = np.zeros(100_000)
    kept = [part for part in x.local_view()]
    for _ in range(5):
        x += 1
        x[:10] = 7
    assert all((part.get() == 0).all() for part in kept)
    assert float(x[500]) == 5


def test_parts_are_objects_of_the_gpu():
    x = np.arange(100_000.0)
    parts = x.local_shards()
    assert len(parts) == GPUS
    for part in parts:
        data = part.data
        assert isinstance(data, np.DeviceShard) and data.dtype == numpy.float64
        assert data.nbytes == 8 * data.size and data.strides == (8,) and len(data) == data.size
        numpy.testing.assert_array_equal(numpy.asarray(data), numpy.arange(100_000.0)[part.index])
        assert data.__dlpack_device__()[0] == 2
    joined = np.from_local([part.data for part in parts])
    assert [a.data.ptr for a in joined.local_shards()] == [a.data.ptr for a in parts]
    assert (joined == x).all()


def test_parts_that_are_written_are_the_array():
    x = np.arange(100_000.0)
    with x.local_view() as parts:
        for part in parts:
            assert not part.__cuda_array_interface__["data"][1]
            part.set(2 * part.get())
            with pytest.raises(ValueError, match="shape"):
                part.set(numpy.zeros(3))
    numpy.testing.assert_array_equal(x.get(), 2 * numpy.arange(100_000.0))
    with pytest.raises(ValueError, match="read-only"):
        parts[0].set(parts[0].get())


@pytest.mark.skipif(GPUS < 2, reason="there is one GPU")
def test_errors_of_split_arrays_say_how_to_get_a_part():
    x = np.arange(1_000_000.0)
    with pytest.raises(BufferError, match="local_view"):
        x.__dlpack__(max_version=(1, 0))
    with pytest.raises(BufferError, match="local_view"):
        x.__dlpack_device__()
    assert not hasattr(x, "__cuda_array_interface__")
    assert x.with_sharding(None).__dlpack_device__()[0] == 2


def test_streams_come_before_and_after_our_work():
    x = np.ones((500, 500))
    stream = phalanx.cuda.Stream(non_blocking=True)
    assert stream.ptr and stream.done
    with stream:
        assert phalanx.cuda.get_current_stream() is stream
        y = x @ x
        event = stream.record()
    assert phalanx.cuda.get_current_stream() is phalanx.cuda.Stream.null
    stream.synchronize()
    assert stream.done and event.done and float(y[0, 0]) == 500
    other = phalanx.cuda.ExternalStream(stream.ptr)
    assert other == stream and other.ptr == stream.ptr
    with other:
        other.wait_event(event)
        z = y + 1
    assert float(z[0, 0]) == 501
    assert phalanx.cuda.Stream.null.ptr == np._phalanx._Stream.of_work(0).ptr
    assert y.get(stream=stream)[0, 0] == np.asnumpy(y, stream=stream.ptr)[0, 0] == 500
    with pytest.raises(ZeroDivisionError), stream:
        1 / 0
    assert phalanx.cuda.get_current_stream() is phalanx.cuda.Stream.null


def test_current_streams_are_of_threads():
    stream = phalanx.cuda.Stream()
    seen = []
    with stream:
        thread = threading.Thread(target=lambda: seen.append(phalanx.cuda.get_current_stream()))
        thread.start()
        thread.join()
    assert seen == [phalanx.cuda.Stream.null]


def test_events_have_the_time_of_the_gpu():
    x = np.ones((2000, 2000), dtype="f4")
    x.evaluate()
    start, end = phalanx.cuda.Event(), phalanx.cuda.Event()
    start.record()
    y = x
    for _ in range(5):
        y = y @ x * 1e-3
    y.evaluate()
    end.record()
    end.synchronize()
    assert end.done and end.query()
    assert phalanx.cuda.get_elapsed_time(start, end) > 0
    with pytest.raises(ValueError):
        phalanx.cuda.get_elapsed_time(start, phalanx.cuda.Event())


def test_pools_keep_and_give_back():
    pool = phalanx.cuda.get_default_memory_pool()
    pool.free_all_blocks()
    x = np.zeros(1 << 21) + 1
    x.evaluate()
    used = pool.used_bytes()
    assert used >= 8 << 21 and pool.total_bytes() >= used
    del x
    np.flush()
    gc.collect()
    float(np.ones(3).sum())
    assert pool.free_bytes() >= 8 << 21 and pool.n_free_blocks() >= 1
    pool.free_all_blocks()
    assert pool.free_bytes() == pool.n_free_blocks() == 0


def test_limits_are_kept_and_decide_which_arrays_are_large():
    ended = run_alone(
        """
        import phalanx as np
        import phalanx.cuda
        pool = phalanx.cuda.get_default_memory_pool()
        np.init()
        pool.set_limit(size=64 << 20)
        print(pool.get_limit(), phalanx.cuda.Device(0).mem_info[1])
        kept = np.ones(4 << 20)
        kept.evaluate()
        try:
            (np.ones(8 << 20) + kept[0]).evaluate()
        except MemoryError as error:
            print("refused", "the largest arrays in memory" in str(error), "f64[4194304]" in str(error))
        pool.set_limit(size=0)
        print(float((np.ones(8 << 20) + kept[0]).sum()))
        pool.set_limit(fraction=0.5)
        print(0 < pool.get_limit() < phalanx.cuda.Device(0).mem_info[1] * 1.1)
        """
    )
    lines = ended.stdout.split("\n")
    assert lines[0].split() == [str(64 << 20)] * 2, ended.stdout
    assert lines[1] == "refused True True" and lines[2] == str(float(2 << 23)), ended.stdout
    assert lines[3] == "True"


def test_limits_in_percent():
    ended = run_alone(
        """
        import phalanx as np
        import phalanx.cuda
        np.init(memory_limit="25%")
        print(phalanx.cuda.get_default_memory_pool().get_limit())
        print(np._phalanx._gpu_memory(0)[1])
        """
    )
    limit, whole = map(int, ended.stdout.split())
    assert abs(limit - whole // 4) < (1 << 30)


def test_cached_blocks_make_room():
    ended = run_alone(
        """
        import phalanx as np
        import phalanx.cuda
        np.init(memory_limit=96 << 20)
        pool = phalanx.cuda.get_default_memory_pool()
        for size in range(1, 9):
            float((np.ones(size << 20) + size).sum())
        assert pool.total_bytes() <= 96 << 20, pool.total_bytes()
        print("within")
        """
    )
    assert "within" in ended.stdout, ended.stderr


def test_the_workspace_of_products_is_of_the_pool():
    ended = run_alone(
        """
        import phalanx as np
        import phalanx.cuda
        pool = phalanx.cuda.get_default_memory_pool()
        x = np.ones((256, 256))
        assert float((x @ x).sum()) == 256.0**3
        # The arrays' memory blocks are a small part of it.
        assert pool.total_bytes() >= 4 << 20, pool.total_bytes()
        pool.free_all_blocks()
        assert pool.total_bytes() < 4 << 20, pool.total_bytes()
        assert float((x @ x).sum()) == 256.0**3
        print("counted")
        """
    )
    assert "counted" in ended.stdout, ended.stderr


def test_captured_work_continues_after_it_was_given_up_for_room():
    ended = run_alone(
        """
        import phalanx as np
        np.init(memory_limit=64 << 20)
        x = np.arange(1 << 18) * 0.5
        def turn():
            y = x * 2 + x.sum()
            z = np.sqrt(y) + y.max()
            s = np.fft.fft(z[:256])
            return float((z - z.min()).sum()), float(s.real.sum())
        first = turn()
        for _ in range(3):
            assert all(turn() == first for _ in range(6))
            try:
                np.ones(16 << 20).evaluate()
            except MemoryError:
                print("refused")
        """
    )
    assert ended.stdout.split() == ["refused"] * 3, ended.stdout + ended.stderr


def test_pinned_memory_comes_and_goes():
    memory = phalanx.cuda.alloc_pinned_memory(80)
    array = numpy.frombuffer(memory, "f8", 10)
    array[:] = numpy.arange(10)
    assert memory.size() == len(memory) == 80 and memory.ptr == array.ctypes.data
    x = np.asarray(array)
    array[:] = -1
    assert x.tolist() == list(range(10))
    out = phalanx.x.zeros_pinned((2, 5))
    x.reshape(2, 5).get(out=out)
    assert out[1, 4] == 9
    del memory, array, out
    gc.collect()
    pool = phalanx.cuda.get_default_pinned_memory_pool()
    assert pool.n_free_blocks() > 0
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0


def test_copies_from_the_host_and_blocks_that_come_again():
    # Memory that a kernel may still read is reused for the next copy from the host.
    rng = numpy.random.default_rng(1)
    hosts = [rng.standard_normal((1 << 18) + turn % 2) for turn in range(24)]
    totals = []
    for host in hosts:
        x = np.asarray(host)
        for _ in range(20):
            x = np.sqrt(x * x + 1e-9)
        totals.append(x.sum())
        del x
    for total, host in zip(totals, hosts):
        numpy.testing.assert_allclose(float(total), numpy.abs(host).sum(), rtol=1e-6)
    # A fetched copy does not change when later work writes into the array.
    x = np.asarray(hosts[0])
    for turn in range(10):
        numpy.testing.assert_allclose(x.get(), hosts[0] + turn, rtol=0, atol=1e-12)
        x += 1


def test_large_copies_arrive():
    rng = numpy.random.default_rng(0)
    for size in (1 << 17, (1 << 17) + 1, (16 << 20) // 8, (16 << 20) // 8 * 3 + 5, 10_000_019):
        host = rng.standard_normal(size)
        x = np.asarray(host)
        host_copy = host.copy()
        host[:] = 0
        numpy.testing.assert_array_equal(x.get(), host_copy)
        out = numpy.empty(size)
        x.get(out=out)
        numpy.testing.assert_array_equal(out, host_copy)
    square = rng.standard_normal((2500, 1700))
    numpy.testing.assert_array_equal(np.asarray(square.T).get(), square.T)
    numpy.testing.assert_array_equal(np.asarray(square)[::2, 5:].get(), square[::2, 5:])


def test_bytes_of_the_gpu():
    block = phalanx.cuda.alloc(16)
    block.memset(7, 16)
    host = numpy.zeros(16, "u1")
    block.copy_to_host(host.ctypes.data, 16)
    assert (host == 7).all() and block.ptr and block.device_id == 0
    host[:] = 9
    block.copy_from_host(host.ctypes.data, 16)
    block.copy_to_host(host.ctypes.data, 8)
    with pytest.raises(ValueError):
        block.memset(0, 17)
    with pytest.raises(MemoryError):
        phalanx.cuda.alloc(1 << 45)


def test_profilers_receive_ranges_and_marks():
    with phalanx.cuda.profile(), phalanx.x.profiler.time_range("part", sync=True):
        np.ones(10).evaluate()
    phalanx.cuda.nvtx.RangePush("outer")
    phalanx.cuda.nvtx.Mark("here")
    phalanx.cuda.nvtx.RangePop()
    phalanx.cuda.profiler.start()
    phalanx.cuda.profiler.stop()
    timed = phalanx.x.profiler.benchmark(lambda x: x @ x, (np.ones((512, 512)),), n_repeat=3)
    assert timed.gpu_times.shape == (GPUS, 3) and (timed.gpu_times > 0).all()
    assert "GPU-0:" in timed.to_str(show_gpu=True)


@one_gpu
def test_torch_shares_memory_both_ways():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    place = torch.device("cuda", ordinal())
    tensor = torch.arange(24.0, device=place).reshape(4, 6)
    for x in (np.from_dlpack(tensor), np.asarray(tensor), np.from_local(tensor)):
        assert x.local_view()[0].ptr == tensor.data_ptr()
        numpy.testing.assert_array_equal(x.get(), tensor.cpu().numpy())
    x *= 2
    assert tensor[0, 1].item() == 1 and float(x[0, 1]) == 2
    turned = np.from_dlpack(tensor.T)
    numpy.testing.assert_array_equal(turned.get(), tensor.T.cpu().numpy())
    with pytest.raises(BufferError, match="C order"):
        np.from_dlpack(tensor.T, copy=False)
    # An operand is copied: later writes do not affect the operation.
    y = x + tensor
    copied = np.array(tensor)
    tensor.zero_()
    numpy.testing.assert_array_equal(y.get(), 3 * numpy.arange(24.0).reshape(4, 6))
    assert float(copied[0, 1]) == 1
    # Our array in the other library, in the order of both streams.
    z = (np.ones((1000, 1000), dtype="f4") @ np.ones((1000, 1000), dtype="f4")).copy()
    there = torch.from_dlpack(z)
    assert there.device == place
    if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 9):
        # Older versions do not support read-only arrays, and get a copy.
        assert there.data_ptr() == z.local_view()[0].ptr
    assert there.sum().item() == pytest.approx(1e9)
    side = torch.cuda.Stream(place)
    with torch.cuda.stream(side):
        grown = torch.full((1000, 1000), 2.0, device=place)
        for _ in range(20):
            grown = grown + 1
        taken = np.from_dlpack(grown)
    assert float(taken.sum()) == pytest.approx(22e6)
    with torch.cuda.stream(side):
        there = torch.from_dlpack(taken * 2)
        assert there.mean().item() == pytest.approx(44)
    # The other library's current device does not change.
    torch.cuda.set_device(place)
    np.ones((300, 300)).sum().evaluate()
    assert torch.cuda.current_device() == place.index


@one_gpu
def test_torch_tensors_are_kept_and_let_go():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    place = torch.device("cuda", ordinal())
    before = torch.cuda.memory_allocated(place)
    x = np.from_dlpack(torch.full((1 << 20,), 3.0, device=place))
    torch.full((1 << 20,), 4.0, device=place)
    assert torch.cuda.memory_allocated(place) >= before + (4 << 20)
    assert float(x.sum()) == 3 << 20
    del x
    for _ in range(5):
        np.flush()
        float(np.arange(3.0).sum())
        gc.collect()
    assert torch.cuda.memory_allocated(place) == before


@one_gpu
def test_torch_writes_parts_that_are_handed_out():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    x = np.arange(100_000.0)
    with x.local_view() as parts:
        for part in parts:
            torch.from_dlpack(part).mul_(2)
            torch.as_tensor(part, device=torch.device("cuda", ordinal())).add_(1)
    numpy.testing.assert_array_equal(x.get(), 2 * numpy.arange(100_000.0) + 1)


@one_gpu
def test_torch_streams_are_ours_by_handle():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    side = torch.cuda.Stream()
    with phalanx.cuda.ExternalStream(side.cuda_stream):
        x = np.ones((1000, 1000)) @ np.ones((1000, 1000))
    with torch.cuda.stream(side):
        assert torch.from_dlpack(x).sum().item() == 1e9


@one_gpu
def test_cupy_shares_memory_both_ways():
    cupy = pytest.importorskip("cupy")
    with cupy.cuda.Device(ordinal()):
        there = cupy.arange(24.0).reshape(4, 6)
        for x in (np.from_dlpack(there), np.asarray(there), np.from_local(there)):
            assert x.local_view()[0].ptr == there.data.ptr
            numpy.testing.assert_array_equal(x.get(), there.get())
        x += 1
        assert float(there[0, 0]) == 0
        y = np.ones((500, 500)) @ np.ones((500, 500))
        seen = cupy.asarray(y)
        assert seen.data.ptr == y.local_view()[0].ptr and float(seen.sum()) == 500**3
        numpy.testing.assert_array_equal(cupy.from_dlpack(y.local_view()[0]).get(), y.get())
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            grown = cupy.zeros((1000, 1000))
            for _ in range(20):
                grown += 1
            taken = np.asarray(grown)
        assert float(taken.sum()) == 20e6
        with x.local_view() as parts:
            cupy.asarray(parts[0])[:] = 5
        assert float(x.sum()) == 24 * 5


@one_gpu
def test_numba_works_on_parts():
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("numba has no GPU")
    try:
        # Numba imports its compiler at the first compilation.
        importlib.import_module("numba.cuda.cudaimpl")
    except AttributeError as error:
        pytest.skip(f"numba does not know this NumPy: {error}")

    @cuda.jit
    def double(values):
        place = cuda.grid(1)
        if place < values.size:
            values[place] *= 2

    x = np.arange(1000.0)
    with x.local_view() as parts:
        for part in parts:
            double[8, 128](cuda.as_cuda_array(part))
    numpy.testing.assert_array_equal(x.get(), 2 * numpy.arange(1000.0))
    there = cuda.to_device(numpy.arange(6.0))
    assert np.asarray(there).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_routine_without_memory_is_an_error_and_the_program_continues():
    ended = run_alone(
        """
        import phalanx as np
        np.init(memory_limit=150 << 20)
        x = np.linspace(1, 0, 8 << 20)
        print(float(x[0]))
        try:
            np.sort(x).evaluate()
        except MemoryError as error:
            print("refused", "the largest arrays in memory" in str(error), "f64[8388608]" in str(error))
        print(float(x.sum()))
        """
    )
    assert ended.stdout.split("\n")[:2] == ["1.0", "refused True True"], ended.stdout
    assert float(ended.stdout.split("\n")[2]) == 4194304.0


def test_one_gpu_needs_no_other_library_and_no_socket():
    ended = run_alone(
        """
        import ctypes
        import os

        def sockets():
            opened = []
            for number in os.listdir("/proc/self/fd"):
                try:
                    opened.append(os.readlink(f"/proc/self/fd/{number}"))
                except OSError:
                    pass
            return {name for name in opened if name.startswith("socket:")}

        # The driver of CUDA opens one of its own.
        assert ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
        before = sockets()
        import phalanx as np
        x = np.arange(1 << 20, dtype="float64")
        y = (x * 2 + 1).reshape(1024, 1024)
        print(float(y.sum()), float((y @ y.T).max()) > 0, float(np.sort(x)[5]), float(np.fft.fft(x)[0].real) > 0)
        with open("/proc/self/maps") as maps:
            names = {line.split("/")[-1].strip() for line in maps if "/" in line}
        print(sorted(name for name in names if "nccl" in name or "libmpi" in name or "ucx" in name))
        print(sorted(sockets() - before))
        """
    )
    lines = ended.stdout.strip().split("\n")
    assert lines == ["1099511627776.0 True 5.0 True", "[]", "[]"], ended.stdout + ended.stderr


def test_a_lost_gpu_is_an_error_and_other_devices_go_on():
    pytest.importorskip("cupy")
    ended = run_alone(
        """
        import cupy
        import phalanx as np
        x = np.ones(10)
        print(float(x.sum()))
        lose = cupy.RawKernel('extern "C" __global__ void lose(int* p) { *p = 1; }', "lose")
        try:
            lose((1,), (1,), (cupy.uint64(16),))
            cupy.cuda.Device().synchronize()
        except Exception:
            pass
        try:
            print(float((x + 1).sum()))
        except Exception as error:
            print(type(error).__name__, error.code, "illegal" in str(error).lower())
        try:
            np.shutdown()
        except Exception:
            pass
        np.init(devices="cpu")
        print(float(np.ones(4).sum()), flush=True)
        import os
        os._exit(0)
        """
    )
    lines = ended.stdout.split("\n")
    assert lines[0] == "10.0" and lines[1].endswith("PX052 True"), ended.stdout + ended.stderr
    assert lines[2] == "4.0", ended.stdout + ended.stderr


def test_positions_outside_are_errors_and_nothing_is_read():
    table = np.arange(1000.0)
    table.evaluate()
    for outside in (1000, -1001, 1 << 62):
        with pytest.raises(IndexError, match="out of bounds"):
            table[np.array([0, outside])].evaluate()
        with pytest.raises(IndexError):
            np.put(table, np.array([outside]), 1.0)
    assert float(table.sum()) == 499500.0


LOOP = """
    import phalanx as np
    x, y = np.linspace(0, 1, 1 << 12), np.zeros(1 << 12)
    for turn in range(60):
        total = (x * x).sum()
        y[1:-1] = (x[:-2] + x[2:]) / 2
        x = x + y / (1 + total)
        y += x.max()
        x.evaluate()
    print(x.sum().item().hex(), y[17].item().hex())
"""


def test_repeated_launches_are_enqueued_as_a_whole():
    logged = {"PHALANX_LOG": "trace"}
    plain = run_alone(LOOP, dict(logged, PHALANX_CUDA_GRAPHS="0"))
    whole = run_alone(LOOP, logged)
    assert plain.stdout == whole.stdout
    assert "segment" not in plain.stderr
    assert whole.stderr.count("segment") > 40, whole.stderr[-4000:]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "c16"])
def test_rows_around_points_may_lie_anywhere(dtype):
    grid = numpy.random.default_rng(3).integers(-99, 99, (1208, 1301)).astype(dtype)

    def around(x, up, down, left):
        rows = 1200
        return (
            x[up : up + rows, 1:-1]
            + 3 * x[down : down + rows, 1:-1]
            + x[1 : 1 + rows, left : left + 1299]
            - x[2 : 2 + rows, 2:]
        )

    # The same kernel, with rows that are shared, equal, or too far apart, in any order.
    ours = np.array(grid)
    for places in [(0, 2, 0), (0, 1, 0), (1, 0, 0), (2, 2, 2), (0, 8, 1), (5, 4, 2), (0, 2, 0)]:
        numpy.testing.assert_array_equal(around(ours, *places).get(), around(grid, *places))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_points_around_are_stored_within_rows_that_begin_with_lines(dtype):
    grid = numpy.random.default_rng(8).integers(-99, 99, (1104, 1152)).astype(dtype)

    def around(x, y, left, first):
        # Reads and writes start anywhere in rows of whole lines.
        above, below = x[:1100, 1:1031], x[2:1102, left : left + 1030]
        y[1:1101, first : first + 1030] = above + 3 * below - x[1:1101, :1030] + x[2:1102, 2:1032]
        return y

    # Starts 16 and 32 elements apart have the same alignment, but are no whole rows apart.
    for left, first in [(1, 1), (17, 1), (33, 1), (1, 16), (1, 31), (1, 33), (49, 64), (1, 1)]:
        theirs = around(grid, numpy.array(grid), left, first)
        ours = around(np.array(grid), np.array(grid), left, first)
        numpy.testing.assert_array_equal(ours.get(), theirs)


def test_points_are_replaced_by_what_is_around_them():
    grid = numpy.random.default_rng(9).random((1104, 1024)).astype("f4")
    ours = np.array(grid)
    for x in [grid, ours]:
        for _ in range(3):
            x[1:-1, 1:-1] = x[:-2, 1:-1] + x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:] + x[1:-1, 1:-1]
    numpy.testing.assert_array_equal(ours.get(), grid)


def test_rows_around_points_with_one_of_all_columns():
    grid = numpy.random.default_rng(5).random((1203, 1301))
    row = numpy.random.default_rng(6).random(1299)

    def around(x, row):
        return x[1:-1, 1:-1] - x[:-2, 1:-1] * row - x[2:, 1:-1] + x[1:-1, 2:]

    ours = around(np.array(grid), np.array(row))
    numpy.testing.assert_array_equal(ours.get(), around(grid, row))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(1 << 21,), (1_000_003,), (700, 4100), (3000, 40), (40, 3001)])
def test_variances_are_those_of_numpy(dtype, shape):
    generator = numpy.random.default_rng(7)
    values = generator.random(shape) + 100
    if numpy.dtype(dtype).kind == "c":
        values = values + 1j * generator.random(shape)
    values = values.astype(dtype)
    ours, wide = np.array(values), values.astype("c16" if dtype[0] == "c" else "f8")
    for axis in [None, *range(len(shape))]:
        is_wide = numpy.dtype(dtype).itemsize // (2 if dtype[0] == "c" else 1) == 8
        limit = 1e-9 if is_wide else 2e-4
        numpy.testing.assert_allclose(ours.var(axis=axis).get(), wide.var(axis=axis), limit)


def test_squares_about_the_mean_of_other_elements():
    values = numpy.random.default_rng(4).random(100_009)
    ours = np.array(values)

    def squares(x, first):
        count = 100_000
        difference = x[first : first + count] - x[:count].sum() / count
        return (difference * difference).sum()

    for first in [0, 5, 0, 9]:
        assert float(squares(ours, first)) == pytest.approx(squares(values, first), rel=1e-12)


def test_arrays_of_more_than_two_to_the_31_elements():
    free, _ = phalanx.cuda.Device(0).mem_info
    if free < 24 << 30 or GPUS > 1:
        pytest.skip("the GPU has too little memory")
    count = (1 << 31) + 4097
    ones = np.ones(count, "int8")
    ones[count - 3] = 7
    total = (ones + ones).sum(dtype="int64")
    assert int(total) == 2 * (count + 6)
    assert int(ones.argmax()) == count - 3
    assert ones[np.array([0, count - 3, count - 1])].tolist() == [1, 7, 1]
    table = ones[: count - 1].reshape(2, -1)
    assert table.sum(axis=0, dtype="int64").max() == 8
    assert int(ones[::-1][2]) == 7
    assert int((ones > 3).sum()) == 1
    wide = np.ones((3, (1 << 30) + 5), "int8")
    assert int((wide.T + wide.T)[-1].sum()) == 6
    del ones, table, wide
    np.cuda.get_default_memory_pool().free_all_blocks()
