"""Memory, pointers into it, and pinned memory: the host's on CPUs, the device's on a GPU."""

import ctypes
import gc
import pickle
import weakref

import numpy
import pytest

import phalanx as np
from phalanx import cuda
from phalanx.cuda import runtime

from .conftest import RANKS


def has_gpu():
    return np.cuda.is_available()


# Addresses of a process are not arguments of launches that several processes record.
needs_gpu = pytest.mark.skipif(
    not has_gpu() or RANKS > 1, reason="the session has no GPU, or several processes"
)

ADD = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
extern "C" __global__ void take(long long value, unsigned long long other, float2 pair,
                                double* z) {
    z[0] = value; z[1] = other; z[2] = pair.x; z[3] = pair.y;
}
__device__ int table[8] = {0, 1, 2, 3, 4, 5, 6, 7};
"""


def bytes_of(pointer, size):
    out = numpy.zeros(size, "u1")
    pointer.copy_to_host(out.ctypes.data, size)
    return out


MAKERS = {
    "alloc": cuda.alloc,
    "Memory": lambda size: cuda.MemoryPointer(cuda.Memory(size), 0),
    "ManagedMemory": lambda size: cuda.MemoryPointer(cuda.ManagedMemory(size), 0),
    "MemoryAsync": lambda size: cuda.MemoryPointer(
        cuda.MemoryAsync(size, cuda.Stream.null), 0),
    "PooledMemory": lambda size: cuda.MemoryPointer(cuda.memory.PooledMemory(size), 0),
}


@pytest.fixture(params=MAKERS)
def pointer(request):
    return MAKERS[request.param](256)


def test_pointers_move(pointer):
    assert isinstance(pointer, cuda.MemoryPointer)
    later = pointer + 40
    assert later.ptr == pointer.ptr + 40 == int(later) and later.mem is pointer.mem
    assert (later - 8).ptr == pointer.ptr + 32 and (8 + pointer).ptr == pointer.ptr + 8
    later += 4
    later -= 40
    assert later.ptr == pointer.ptr + 4 and later.size() == len(later) == 252
    assert pointer.mem.ptr == pointer.ptr == int(pointer.mem) and pointer.mem.size == 256
    assert pointer.device == pointer.mem.device == cuda.Device(0) and pointer.device_id == 0


def test_pointers_copy(pointer):
    host = numpy.arange(256, dtype="u1")
    pointer.copy_from_host(host.ctypes.data_as(ctypes.c_void_p), 256)
    assert (bytes_of(pointer, 256) == host).all()
    assert bytes_of(pointer + 100, 3).tolist() == [100, 101, 102]
    (pointer + 10).memset(7, 5)
    host[10:15] = 7
    assert (bytes_of(pointer, 256) == host).all()
    other = cuda.alloc(128)
    other.copy_from_device(pointer + 5, 128)
    assert (bytes_of(other, 128) == host[5:133]).all()
    other.copy_from(host.ctypes.data, 100)
    other.copy_from(pointer + 200, 20)
    host[:20] = host[200:220].copy()
    assert (bytes_of(other, 100) == host[:100]).all()


def test_pointers_copy_in_a_stream(pointer):
    stream = cuda.Stream(non_blocking=True)
    host, out = numpy.arange(256, dtype="u1"), numpy.zeros(256, "u1")
    other = cuda.alloc(256)
    pointer.copy_from_host_async(host.ctypes.data, 256, stream)
    pointer.memset_async(9, 3, stream)
    other.copy_from_device_async(pointer, 256, stream)
    other.copy_from_async(pointer + 50, 10, stream)
    (other + 250).copy_from_async(host.ctypes.data, 6, stream)
    other.copy_to_host_async(out.ctypes.data, 256, stream)
    stream.synchronize()
    expected = host.copy()
    expected[:10], expected[250:] = host[50:60], host[:6]
    assert (out == expected).all()
    # Without a stream it is the current one.
    with stream:
        other.memset_async(1, 256)
    assert (bytes_of(other, 256) == 1).all()


def test_pointers_stay_inside_of_their_memory(pointer):
    end = pointer + 250
    for act in (
        lambda: end.memset(0, 7),
        lambda: end.copy_from_device(pointer, 7),
        lambda: pointer.copy_from_device(end, 7),
        lambda: end.copy_to_host(0, 7),
        lambda: end.copy_from_host_async(0, -1),
        lambda: (pointer - 1).memset_async(0, 258),
    ):
        with pytest.raises(ValueError, match="bytes of"):
            act()
    end.memset(3, 6)
    assert bytes_of(end, 6).tolist() == [3] * 6


def test_places_before_the_memory_are_neither_read_nor_written(pointer):
    # A pointer to the middle of other memory: a write before its start would be seen there.
    around = cuda.UnownedMemory(pointer + 16, 32, pointer)
    before = cuda.MemoryPointer(around, 0) - 16
    pointer.memset(1, 256)
    for act in (
        lambda: before.memset(0, 8),
        lambda: before.memset_async(0, 8),
        lambda: before.copy_from(pointer, 8),
        lambda: (pointer + 64).copy_from(before, 8),
        lambda: before.copy_to_host(0, 8),
        lambda: before.copy_from_host_async(0, 0),
        lambda: np.asarray(before),
    ):
        with pytest.raises(ValueError, match="16 bytes before its memory"):
            act()
    assert bytes_of(pointer, 256).tolist() == [1] * 256
    assert bytes_of(before + 16, 4).tolist() == [1] * 4


@pytest.mark.parametrize("offset", [-8, 17])
def test_pinned_bytes_are_those_of_the_memory(offset):
    memory = cuda.PinnedMemory(16)
    with pytest.raises(ValueError, match="bytes after the start of 16 bytes"):
        cuda.PinnedMemoryPointer(memory, offset)
    with pytest.raises(ValueError, match="bytes after the start of 16 bytes"):
        cuda.PinnedMemoryPointer(memory, 0) + offset
    assert len(bytes(cuda.PinnedMemoryPointer(memory, 16))) == 0


def test_memory_of_others():
    owner = cuda.alloc(64)
    owner.memset(1, 64)
    own = weakref.ref(owner)
    memory = cuda.UnownedMemory(owner, 32, owner)
    place = cuda.MemoryPointer(memory, 8)
    del owner
    gc.collect()
    assert own() is not None and memory.device_id == 0
    place.memset(5, 4)
    assert bytes_of(place - 8, 16).tolist() == [1] * 8 + [5] * 4 + [1] * 4
    with pytest.raises(ValueError):
        place.memset(0, 25)
    with pytest.raises(ValueError):
        cuda.UnownedMemory(0, 8, None)
    del place, memory
    gc.collect()
    assert own() is None


def test_too_much_memory():
    error = cuda.memory.OutOfMemoryError(2048, 1024, 512)
    assert isinstance(error, MemoryError) and "2,048 bytes" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error) and "512" in str(error)
    if has_gpu():
        for maker in (cuda.Memory, lambda size: cuda.MemoryAsync(size, cuda.Stream.null)):
            with pytest.raises(cuda.memory.OutOfMemoryError, match=f"{1 << 45:,} bytes"):
                maker(1 << 45)
        with pytest.raises(MemoryError):
            cuda.alloc(1 << 45)


def test_memory_of_the_system():
    memory = cuda.memory.SystemMemory(64)
    ctypes.memset(memory.ptr, 4, 64)
    assert ctypes.string_at(memory.ptr, 64) == b"\4" * 64 and int(memory) == memory.ptr
    host = numpy.zeros(8, "u1")
    same = cuda.memory.SystemMemory.from_external(host.ctypes.data, 8, host)
    assert (same.ptr, same.size) == (host.ctypes.data, 8)
    assert isinstance(cuda.memory.malloc_system(8).mem, cuda.memory.SystemMemory)


def test_managed_memory_moves():
    memory = cuda.ManagedMemory(1 << 16)
    ctypes.memset(memory.ptr, 6, 1 << 16)
    memory.advise(runtime.cudaMemAdviseSetPreferredLocation, cuda.Device(0))
    memory.prefetch(cuda.Stream.null)
    memory.prefetch(cuda.Stream.null, device_id=runtime.cudaCpuDeviceId)
    cuda.Stream.null.synchronize()
    assert ctypes.string_at(memory.ptr, 1 << 16) == b"\6" * (1 << 16)
    assert (bytes_of(cuda.MemoryPointer(memory, 100), 50) == 6).all()


def test_memory_of_a_stream_knows_it():
    stream = cuda.Stream()
    memory = cuda.MemoryAsync(100, stream)
    assert memory.stream_ref() is stream
    del stream
    gc.collect()
    assert memory.stream_ref() is None
    cuda.MemoryPointer(memory, 0).memset(1, 100)


@pytest.mark.parametrize("kind", ["PinnedMemory", "PooledPinnedMemory"])
def test_pinned_memory(kind):
    memory = getattr(cuda.pinned_memory, kind)(80)
    place = cuda.PinnedMemoryPointer(memory, 16)
    assert all(isinstance(one, cuda.PinnedMemoryPointer) for one in (place, place + 8))
    assert place.ptr == memory.ptr + 16 == int(place) and place.mem is memory
    assert place.size() == len(place) == 64 and (place + 8).size() == 56
    array = numpy.frombuffer(place, "f8", 8)
    array[:] = numpy.arange(8)
    assert numpy.frombuffer(place + 8, "f8").tolist() == list(range(1, 8))
    assert array.ctypes.data == place.ptr
    assert cuda.memory.is_memory_pinned(place) == has_gpu()
    # The array keeps the memory.
    del place, memory
    gc.collect()
    assert array.tolist() == list(range(8))


def test_pinned_memory_of_the_pool():
    place = cuda.alloc_pinned_memory(24)
    assert isinstance(place, cuda.PinnedMemoryPointer)
    assert isinstance(place.mem, cuda.pinned_memory.PooledPinnedMemory)
    device = cuda.alloc(24)
    numpy.frombuffer(place, "u1")[:] = 8
    device.copy_from_host(place, 24)
    assert (bytes_of(device, 24) == 8).all()


def test_the_host_reads_memory_of_cpus():
    if has_gpu():
        pytest.skip("the memory is a GPU's")
    place = cuda.alloc(80)
    view = numpy.asarray(place).view("f8")
    view[:] = numpy.arange(10)
    assert bytes_of(place + 8, 8).view("f8").tolist() == [1.0]
    assert np.asarray(view).sum() == 45 and not hasattr(place, "__cuda_array_interface__")


@needs_gpu
def test_arrays_are_made_of_pointers():
    place = cuda.MemoryPointer(cuda.Memory(400), 0)
    host = numpy.arange(100, dtype="f4")
    place.copy_from_host(host.ctypes.data, 400)
    x = np.asarray(place + 40).view("f4")
    assert x.shape == (90,) and x.tolist() == host[10:].tolist()
    # One device reads the memory in place; several get copies of their parts.
    kept, y = weakref.ref(place.mem), np.asarray(place)
    is_shared = runtime.getDeviceCount() == 1
    assert (y.local_shards()[0].data.ptr == place.ptr) == is_shared
    del place
    gc.collect()
    assert (kept() is not None) == is_shared and y[4:].view("f4").tolist() == host[1:].tolist()
    del x, y
    np.cuda.Stream.null.synchronize()
    gc.collect()
    assert kept() is None


@needs_gpu
def test_launches_keep_their_memory():
    add = np.RawModule(code=ADD).get_function("add")
    x = np.ones(64, dtype="f4")
    total = np.zeros(64, dtype="f4")
    seen = []
    for turn in range(300):
        memory = cuda.Memory(256)
        place = cuda.MemoryPointer(memory, 0)
        add((1,), (64,), (x, x, place, numpy.int32(64)))
        add((1,), (64,), (total, place, total, numpy.int32(64)))
        seen.append(weakref.ref(memory))
        del memory, place
    # The launches are recorded, and need the memory of the last turns.
    assert seen[-1]() is not None
    assert total.tolist() == [600.0] * 64
    # Most were dropped as their launches ran, and a wait drops the last ones.
    assert sum(one() is not None for one in seen) < 200
    runtime.deviceSynchronize()
    gc.collect()
    assert [one() for one in seen] == [None] * 300


@needs_gpu
def test_arguments_by_value():
    take = np.RawModule(code=ADD).get_function("take")
    z = np.zeros(4)
    pair = numpy.array([1.5, -2.5], "f4")
    arguments = cuda.function
    take((1,), (1,), (
        arguments.CIntptr(-5), arguments.CUIntMax(2**40), arguments.CNumpyArray(pair), z))
    assert z.tolist() == [-5.0, 2.0**40, 1.5, -2.5]
    place = cuda.alloc(32)
    take((1,), (1,), (
        arguments.CIntptr(1), arguments.CUIntMax(2), arguments.CNumpyArray(pair),
        arguments.CPointer(place.ptr)))
    assert bytes_of(place, 32).view("f8").tolist() == [1.0, 2.0, 1.5, -2.5]


def test_arguments_have_the_bytes_of_their_values():
    from phalanx import _raw

    assert _raw._bytes_of(cuda.function.CIntptr(-2)) == (-2).to_bytes(8, "little", signed=True)
    assert _raw._bytes_of(cuda.function.CUIntMax(2**63)) == (2**63).to_bytes(8, "little")
    pair = numpy.array([1, 2], "i2")
    assert _raw._bytes_of(cuda.function.CNumpyArray(pair)) == pair.tobytes()
    if np.size() == 1:
        assert _raw._bytes_of(cuda.alloc(8) + 4)[4:] != b""


@needs_gpu
def test_variables_are_pointers():
    table = np.RawModule(code=ADD).get_global("table")
    assert isinstance(table, cuda.MemoryPointer) and table.size() == 32
    assert bytes_of(table + 8, 8).view("i4").tolist() == [2, 3]
    host = numpy.array([50, 60], "i4")
    (table + 4).copy_from_host(host.ctypes.data, 8)
    other = cuda.alloc(8)
    other.copy_from(table, 8)
    assert bytes_of(other, 8).view("i4").tolist() == [0, 50]
    table.copy_from(other + 4, 4)
    table.memset_async(0, 0)
    (table + 28).memset(255, 4)
    assert bytes_of(table, 32).view("i4").tolist() == [50, 50, 60, 3, 4, 5, 6, -1]
    with pytest.raises(ValueError):
        (table + 28).memset(0, 5)


def test_the_pool_of_one_device():
    count = len(np._phalanx._device_memory())
    held = []
    for number in range(count):
        with np.cuda.Device(number):
            pool = np.cuda.memory.SingleDeviceMemoryPool()
        assert pool.device_id == number
        # It reports its device, whichever is current.
        held.append(pool.used_bytes())
        assert 0 <= pool.used_bytes() <= pool.peak_bytes()
        assert pool.total_bytes() == pool.used_bytes() + pool.free_bytes()
        assert pool.malloc(512).mem.device_id == number
        pool.free_all_blocks()
        pool.set_limit(pool.get_limit())
    assert sum(held) <= np.get_default_memory_pool().used_bytes() + 512 * count
    assert isinstance(pool, np.cuda.MemoryPool)
