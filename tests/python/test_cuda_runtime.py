"""phalanx.cuda.runtime and phalanx.cuda.driver: values, errors and structures everywhere, and the
effects of the calls where there is a GPU."""

import ctypes
import pathlib
import pickle
import time

import numpy
import pytest

import phalanx as np
from phalanx import _cuda_driver_calls as calls
from phalanx import _cuda_driver_structures as structures
from phalanx.cuda import driver, runtime

from . import worlds
from .conftest import RANKS

TABLE = pathlib.Path(__file__).parents[1] / "api" / "cupy_api.tsv"


def has_gpu():
    return np.cuda.is_available()


# Addresses of a process are not arguments of launches that several processes record.
needs_gpu = pytest.mark.skipif(
    not has_gpu() or RANKS > 1, reason="the session has no GPU, or several processes"
)
needs_cpu = pytest.mark.skipif(has_gpu(), reason="the session has GPUs")

FILL = r"""
extern "C" __global__ void fill(float* x, float value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}
extern "C" __global__ void slow_fill(float* x, float value, int n) {
    long long start = clock64();
    while (clock64() - start < 50000000LL) {}
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}
__device__ int counter = 7;
"""


def test_all_names_of_the_table_are_there():
    if not TABLE.exists():
        pytest.skip("the table is not there")
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]
    names = [name for area, name, *_ in rows if area == "cupy.cuda.runtime"]
    assert len(names) == 309 and [name for name in names if not hasattr(runtime, name)] == []


def test_constants_have_the_values_of_cuda():
    assert (runtime.memcpyDefault, runtime.eventInterprocess, runtime.hostAllocWriteCombined) == (
        4, 4, 4)
    assert runtime.cudaDevAttrMultiProcessorCount == 16
    assert runtime.cudaDevAttrMemoryPoolsSupported == 115
    assert (runtime.cudaCpuDeviceId, runtime.cudaInvalidDeviceId) == (-1, -2)
    assert runtime.cudaMemPoolAttrUsedMemHigh == 8 and runtime.CUDA_R_16BF == 14
    assert runtime.cudaGraphDebugDotFlagsConditionalNodeParams == 1 << 15
    assert (runtime.streamLegacy, runtime.streamPerThread, runtime.is_hip) == (1, 2, False)


def test_errors_have_a_status_and_a_text():
    error = runtime.CUDARuntimeError(1)
    assert str(error) == "cudaErrorInvalidValue: invalid argument" and error.status == 1
    assert pickle.loads(pickle.dumps(runtime.CUDARuntimeError(2))).status == 2
    named = pickle.loads(pickle.dumps(runtime.CUDARuntimeError("cudaErrorInvalidDevice: none")))
    assert named.status == 101 and str(named) == "cudaErrorInvalidDevice: none"
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorMemoryAllocation") as raised:
        runtime.check_status(2)
    assert raised.value.status == runtime.errorMemoryAllocation
    runtime.check_status(0)
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        runtime.setDevice(10_000)
    assert raised.value.status == 101
    with pytest.raises(driver.CUDADriverError) as raised:
        driver.check_status(700)
    assert raised.value.status == 700


def test_structures_have_the_sizes_of_the_headers():
    sizes = {
        "Copy3D": 160, "Resource": 144, "Texture": 72, "DriverResource": 144, "DriverTexture": 104,
        "ArrayForm": 40, "DriverCopy2D": 128, "DriverCopy3D": 200, "PoolProperties": 88,
        "Location": 8, "ChannelFormat": 20, "PitchedPointer": 32, "Handle": 64,
    }
    assert {name: ctypes.sizeof(getattr(structures, name)) for name in sizes} == sizes
    assert structures.Resource.flags.offset == structures.DriverResource.flags.offset == 136
    assert structures.DriverTexture.borderColor.offset == 40


def test_formats_of_channels():
    form = structures.ChannelFormat
    assert structures.format_of(form(32, 0, 0, 0, 2)) == (0x20, 1)
    assert structures.format_of(form(8, 8, 8, 8, 1)) == (0x01, 4)
    assert structures.format_of(form(16, 16, 0, 0, 2)) == (0x10, 2)
    for wrong in (form(32, 16, 0, 0, 2), form(8, 0, 0, 0, 2), form(0, 0, 0, 0, 1)):
        with pytest.raises(runtime.CUDARuntimeError) as raised:
            structures.format_of(wrong)
        assert raised.value.status == 20


def test_descriptions_for_the_driver():
    texture = structures.Texture(readMode=0, normalizedCoords=1, sRGB=1, filterMode=1)
    texture.addressMode[:] = (3, 1, 2)
    texture.borderColor[:] = (1, 2, 3, 4)
    made = structures.driver_texture(texture)
    assert made.flags == 0x13 and list(made.addressMode) == [3, 1, 2] and made.filterMode == 1
    assert list(made.borderColor) == [1, 2, 3, 4]
    assert structures.driver_texture(structures.Texture(readMode=1)).flags == 0
    resource = structures.Resource(resType=3)
    part = resource.res.pitch2D
    part.devPtr, part.width, part.height, part.pitchInBytes = 4096, 5, 6, 512
    part.desc = structures.ChannelFormat(8, 8, 0, 0, 0)
    made = structures.driver_resource(resource)
    to = made.res.pitch2D
    assert (made.resType, to.devPtr, to.format, to.numChannels) == (3, 4096, 0x08, 2)
    assert (to.width, to.height, to.pitchInBytes) == (5, 6, 512)


def test_addresses_are_numbers_or_objects():
    class Pointer:
        ptr = 77

    assert [calls.address(one) for one in (5, numpy.int64(6), Pointer(), ctypes.c_void_p(8))] == [
        5, 6, 77, 8]
    assert calls.address(None) == calls.address(ctypes.c_void_p()) == 0
    assert calls.stream_handle(Pointer()) == 77 and calls.stream_handle(None) == 0


@needs_cpu
def test_cpus_have_no_runtime():
    refused = 0
    for name in (
        "malloc mallocManaged free hostAlloc memGetInfo streamCreate eventCreate graphDestroy "
        "memcpy memset memcpyAsync memcpy2D memcpy3D memAdvise memPoolTrimTo pointerGetAttributes "
        "ipcGetMemHandle ipcOpenMemHandle deviceGetLimit deviceGetDefaultMemPool launchHostFunc "
        "streamBeginCapture createTextureObject eventRecord mallocAsync streamQuery"
    ).split():
        function = getattr(runtime, name)
        given = [0] * (function.__code__.co_argcount - len(function.__defaults__ or ()))
        if name == "memGetInfo":
            assert function()[1] > 0
            continue
        if name in ("launchHostFunc",):
            given[1] = print
        with pytest.raises(runtime.CUDARuntimeError, match="^cudaErrorNoDevice") as raised:
            function(*given)
        assert raised.value.status == 100
        refused += 1
    assert refused == 25
    for call in (driver.ctxGetCurrent, driver.linkCreate, lambda: driver.moduleLoadData(b"")):
        with pytest.raises(runtime.CUDARuntimeError, match="^cudaErrorNoDevice"):
            call()
    assert driver.get_build_version() == runtime.driverGetVersion() == 0


@pytest.fixture
def memory():
    """Allocates memory that is freed after the test."""
    taken = []

    def take(size):
        taken.append(runtime.malloc(size))
        return taken[-1]

    yield take
    for address in taken:
        runtime.free(address)


@pytest.fixture
def stream():
    handle = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    yield handle
    runtime.streamDestroy(handle)


def to_host(address, count, dtype="f4"):
    out = numpy.zeros(count, dtype)
    runtime.memcpy(out.ctypes.data, address, out.nbytes, runtime.memcpyDeviceToHost)
    return out


@needs_gpu
def test_copies_and_sets(memory, stream):
    host = numpy.arange(1000, dtype="f4")
    a, b = memory(4000), memory(4000)
    runtime.memcpy(a, host.ctypes.data, 4000, runtime.memcpyHostToDevice)
    runtime.memcpy(b, a, 4000, runtime.memcpyDeviceToDevice)
    numpy.testing.assert_array_equal(to_host(b, 1000), host)
    runtime.memset(b, 0, 2000)
    assert to_host(b, 1000)[498:502].tolist() == [0, 0, 500, 501]
    runtime.memsetAsync(b, 0, 4000, stream)
    runtime.memcpyAsync(b, a, 400, runtime.memcpyDefault, stream)
    runtime.streamSynchronize(stream)
    assert to_host(b, 1000)[98:102].tolist() == [98, 99, 0, 0]
    runtime.memcpyPeer(b, 0, a, 0, 4000)
    assert to_host(b, 1000)[999] == 999
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        runtime.memcpy(a, b, 4, 9)
    assert raised.value.status == 21
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        runtime.malloc(1 << 50)
    assert raised.value.status == 2
    assert runtime.malloc(0) == 0
    runtime.memset(numpy.int64(a), numpy.int32(1), numpy.int64(4))
    assert to_host(a, 4, "u1").tolist() == [1] * 4


@needs_gpu
def test_copies_of_rows_and_blocks(memory, stream):
    host = numpy.arange(6 * 8, dtype="f4").reshape(6, 8)
    a = memory(host.nbytes)
    runtime.memcpy(a, host.ctypes.data, host.nbytes, runtime.memcpyHostToDevice)
    out = numpy.zeros((4, 5), "f4")
    runtime.memcpy2D(
        out.ctypes.data, 20, a + 4 * 9, 32, 20, 4, runtime.memcpyDeviceToHost)
    numpy.testing.assert_array_equal(out, host[1:5, 1:6])
    out[:] = -1
    runtime.memcpy2DAsync(a, 32, out.ctypes.data, 20, 20, 4, runtime.memcpyDefault, stream)
    runtime.streamSynchronize(stream)
    shown = to_host(a, 48).reshape(6, 8)
    assert (shown[:4, :5] == -1).all() and (shown[4:] == host[4:]).all()
    assert (shown[:, 5:] == host[:, 5:]).all()
    # A block of rows of several planes, between places within them.
    volume = numpy.arange(3 * 4 * 5, dtype="f4").reshape(3, 4, 5)
    b = memory(volume.nbytes)
    runtime.memset(b, 0, volume.nbytes)
    copy = structures.Copy3D(
        srcPtr=structures.PitchedPointer(volume.ctypes.data, 20, 20, 4),
        srcPos=structures.Extent(4, 1, 1),
        dstPtr=structures.PitchedPointer(b, 20, 20, 4),
        dstPos=structures.Extent(0, 2, 0),
        extent=structures.Extent(8, 2, 2), kind=runtime.memcpyHostToDevice,
    )
    runtime.memcpy3D(ctypes.addressof(copy))
    expected = numpy.zeros_like(volume)
    expected[0:2, 2:4, 0:2] = volume[1:3, 1:3, 1:3]
    numpy.testing.assert_array_equal(to_host(b, 60).reshape(3, 4, 5), expected)


@needs_gpu
def test_arrays_of_cuda(stream):
    form = structures.ChannelFormat(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    array = runtime.mallocArray(ctypes.addressof(form), 8, 6)
    host = numpy.arange(48, dtype="f4").reshape(6, 8)
    runtime.memcpy2DToArray(array, 0, 0, host.ctypes.data, 32, 32, 6, runtime.memcpyHostToDevice)
    part = numpy.full((2, 3), -5, "f4")
    runtime.memcpy2DToArrayAsync(
        array, 4, 1, part.ctypes.data, 12, 12, 2, runtime.memcpyHostToDevice, stream)
    runtime.streamSynchronize(stream)
    host[1:3, 1:4] = -5
    out = numpy.zeros((6, 8), "f4")
    runtime.memcpy2DFromArray(
        out.ctypes.data, 32, array, 0, 0, 32, 6, runtime.memcpyDeviceToHost)
    numpy.testing.assert_array_equal(out, host)
    out[:] = 0
    runtime.memcpy2DFromArrayAsync(
        out.ctypes.data, 32, array, 8, 2, 8, 3, runtime.memcpyDeviceToHost, stream)
    runtime.streamSynchronize(stream)
    numpy.testing.assert_array_equal(out[:3, :2], host[2:5, 2:4])
    runtime.freeArray(array)
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        runtime.mallocArray(ctypes.addressof(structures.ChannelFormat(7, 0, 0, 0, 0)), 8, 6)
    assert raised.value.status == 20


@needs_gpu
def test_calls_see_the_recorded_work_of_arrays(memory, stream):
    program = np.RawModule(code=FILL)
    slow = program.get_function("slow_fill")
    place = memory(4000)
    pointer = np.cuda.UnownedMemory(place, 4000, None)
    # The launch is recorded only, and a copy runs it first.
    slow((4,), (256,), (pointer, numpy.float32(3), numpy.int32(1000)))
    assert (to_host(place, 1000) == 3).all()
    slow((4,), (256,), (pointer, numpy.float32(4), numpy.int32(1000)))
    out = numpy.zeros(1000, "f4")
    runtime.memcpyAsync(out.ctypes.data, place, 4000, runtime.memcpyDeviceToHost, stream)
    runtime.streamSynchronize(stream)
    assert (out == 4).all()
    # Work of the default stream runs before later operations.
    runtime.memsetAsync(place, 0, 4000, 0)
    fill = program.get_function("fill")
    fill((1,), (10,), (pointer, numpy.float32(5), numpy.int32(10)))
    assert to_host(place, 12).tolist() == [5] * 10 + [0] * 2


@needs_gpu
def test_memory_of_streams_and_pools(stream):
    pool = runtime.deviceGetDefaultMemPool(0)
    assert pool and runtime.deviceGetMemPool(0)
    runtime.memPoolSetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold, 1 << 24)
    assert runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold) == 1 << 24
    assert runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolReuseAllowOpportunistic) == 1
    own = runtime.memPoolCreate(runtime.MemPoolProps(
        runtime.cudaMemAllocationTypePinned, runtime.cudaMemHandleTypeNone,
        runtime.cudaMemLocationTypeDevice, 0))
    for address in (
        runtime.mallocAsync(1 << 20, stream), runtime.mallocFromPoolAsync(1 << 20, own, stream)
    ):
        runtime.memsetAsync(address, 9, 1 << 20, stream)
        runtime.streamSynchronize(stream)
        assert (to_host(address, 1 << 20, "u1") == 9).all()
        if runtime.memPoolGetAttribute(own, runtime.cudaMemPoolAttrUsedMemCurrent):
            assert runtime.memPoolGetAttribute(own, runtime.cudaMemPoolAttrUsedMemHigh) >= 1 << 20
        runtime.freeAsync(address, stream)
    runtime.streamSynchronize(stream)
    assert runtime.memPoolGetAttribute(own, runtime.cudaMemPoolAttrUsedMemCurrent) == 0
    runtime.memPoolTrimTo(own, 0)
    assert runtime.memPoolGetAttribute(own, runtime.cudaMemPoolAttrReservedMemCurrent) == 0
    runtime.deviceSetMemPool(0, own)
    assert runtime.deviceGetMemPool(0) == own
    runtime.deviceSetMemPool(0, pool)
    runtime.memPoolDestroy(own)
    runtime.memPoolSetAttribute(pool, runtime.cudaMemPoolAttrReleaseThreshold, 0)


@needs_gpu
def test_kinds_of_pointers(memory):
    place = memory(64)
    found = runtime.pointerGetAttributes(place + 8)
    assert (found.type, found.device, found.devicePointer) == (
        runtime.memoryTypeDevice, 0, place + 8)
    assert np.cuda.from_pointer(place) == np.cuda.Device(0)
    managed = runtime.mallocManaged(1 << 16)
    assert runtime.pointerGetMemoryType(managed) == runtime.memoryTypeManaged
    runtime.memAdvise(managed, 1 << 16, runtime.cudaMemAdviseSetPreferredLocation, 0)
    ctypes.memset(managed, 3, 1 << 16)
    runtime.memPrefetchAsync(managed, 1 << 16, 0, 0)
    runtime.memPrefetchAsync(managed, 1 << 16, runtime.cudaCpuDeviceId, 0)
    runtime.streamSynchronize(0)
    assert ctypes.string_at(managed, 1 << 16) == b"\3" * (1 << 16)
    runtime.free(managed)
    pinned = runtime.hostAlloc(4096, runtime.hostAllocMapped)
    found = runtime.pointerGetAttributes(pinned)
    assert (found.type, found.hostPointer) == (runtime.memoryTypeHost, pinned)
    runtime.freeHost(pinned)
    host = numpy.zeros(1 << 16, "u1")
    address = (host.ctypes.data + 4095) & ~4095
    found = runtime.pointerGetAttributes(address)
    assert (found.type, found.device) == (runtime.memoryTypeUnregistered, -2)
    runtime.hostRegister(address, 8192, 0)
    assert runtime.pointerGetMemoryType(address) == runtime.memoryTypeHost
    assert np.cuda.memory.is_memory_pinned(address)
    runtime.hostUnregister(address)
    assert not np.cuda.memory.is_memory_pinned(address)


@needs_gpu
def test_devices_and_their_limits():
    count = runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, 0)
    assert count == runtime.deviceGetAttribute("MultiProcessorCount", 0) > 1
    bus = runtime.deviceGetPCIBusId(0)
    assert bus.lower() == np.cuda.Device(0).pci_bus_id.lower()
    assert runtime.deviceGetByPCIBusId(bus) == 0
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceGetByPCIBusId("ffff:ff:1f.0")
    before = runtime.deviceGetLimit(runtime.cudaLimitMallocHeapSize)
    runtime.deviceSetLimit(runtime.cudaLimitStackSize, 4096)
    assert runtime.deviceGetLimit(runtime.cudaLimitStackSize) == 4096
    runtime.deviceSetLimit(runtime.cudaLimitStackSize, 1024)
    assert before > 0
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        runtime.deviceGetLimit(999)
    assert raised.value.status == 1
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceEnablePeerAccess(0)
    assert np.cuda.device.get_compute_capability() == np.cuda.Device().compute_capability


@needs_gpu
def test_streams_and_events(memory):
    stream = runtime.streamCreateWithPriority(runtime.streamNonBlocking, -1)
    assert runtime.streamGetPriority(stream) == -1
    assert runtime.streamGetFlags(stream) == runtime.streamNonBlocking
    slow = np.RawModule(code=FILL).get_function("slow_fill")
    start, end = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventBlockingSync)
    place = np.cuda.UnownedMemory(memory(400), 400, None)
    runtime.eventRecord(start, stream)
    slow((1,), (100,), (place, numpy.float32(1), numpy.int32(100)))
    # The event is after the launch that is only recorded.
    runtime.eventRecord(end, stream)
    assert runtime.eventQuery(end) == 600 and runtime.streamQuery(stream) == 600
    runtime.eventSynchronize(end)
    assert runtime.eventQuery(end) == 0 and runtime.streamQuery(stream) == 0
    assert 5 < runtime.eventElapsedTime(start, end) < 1000
    other = runtime.streamCreate()
    slow((1,), (100,), (place, numpy.float32(2), numpy.int32(100)))
    runtime.eventRecord(end, stream)
    runtime.streamWaitEvent(other, end)
    assert runtime.streamQuery(other) == 600
    runtime.streamSynchronize(other)
    assert runtime.eventQuery(end) == 0
    for event in (start, end):
        runtime.eventDestroy(event)
    for one in (stream, other):
        runtime.streamDestroy(one)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.eventElapsedTime(0, 0)


def wait_for(condition):
    """Waits until a condition holds, 10 seconds at most."""
    for _ in range(1000):
        if condition():
            return True
        time.sleep(0.01)
    return False


@needs_gpu
def test_functions_of_the_host(stream):
    told = []
    runtime.launchHostFunc(stream, told.append, 5)
    runtime.streamAddCallback(stream, lambda *given: told.append(given), 6)
    runtime.streamSynchronize(stream)
    assert wait_for(lambda: len(told) == 2) and told == [5, (stream, 0, 6)]
    with pytest.raises(TypeError):
        runtime.launchHostFunc(stream, 3, 4)


@needs_gpu
def test_graphs(memory, stream, tmp_path):
    place, told = memory(400), []
    assert not runtime.streamIsCapturing(stream)
    runtime.streamBeginCapture(stream)
    assert runtime.streamIsCapturing(stream)
    runtime.memsetAsync(place, 1, 200, stream)
    runtime.memcpyAsync(place + 200, place, 100, runtime.memcpyDeviceToDevice, stream)
    runtime.launchHostFunc(stream, told.append, "called")
    graph = runtime.streamEndCapture(stream)
    assert not runtime.streamIsCapturing(stream)
    ready = runtime.graphInstantiate(graph)
    file = tmp_path / "graph.dot"
    runtime.graphDebugDotPrint(graph, str(file), runtime.cudaGraphDebugDotFlagsVerbose)
    assert "digraph" in file.read_text()
    runtime.memset(place, 0, 400)
    assert not to_host(place, 400, "u1").any() and told == []
    runtime.graphUpload(ready, stream)
    for turn in range(1, 3):
        runtime.memset(place, 0, 400)
        runtime.graphLaunch(ready, stream)
        runtime.streamSynchronize(stream)
        assert to_host(place, 400, "u1").tolist() == [1] * 300 + [0] * 100
        assert wait_for(lambda: len(told) == turn)
    runtime.graphExecDestroy(ready)
    runtime.graphDestroy(graph)


CHILD = """
import sys
import numpy
import phalanx as np
from phalanx.cuda import runtime
memory, event, offset = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
opened = runtime.ipcOpenEventHandle(event)
runtime.eventSynchronize(opened)
base = runtime.ipcOpenMemHandle(memory)
out = numpy.zeros(100, "f4")
runtime.memcpy(out.ctypes.data, base + offset, 400, runtime.memcpyDeviceToHost)
print(out.sum())
runtime.memset(base + offset, 0, 200)
runtime.ipcCloseMemHandle(base)
runtime.eventDestroy(opened)
"""


def run_child(handle, event, offset):
    """What a process that opens memory and an event prints."""
    environment = {"PHALANX_DEVICES": "cuda:0"}
    arguments = (handle.hex(), event.hex(), str(offset))
    return worlds.run(CHILD, *arguments, environment=environment, timeout=120).stdout.split()


@needs_gpu
def test_other_processes_open_memory_and_events(memory):
    place = memory(4096)
    host = numpy.arange(100, dtype="f4")
    runtime.memcpy(place + 256, host.ctypes.data, 400, runtime.memcpyHostToDevice)
    event = runtime.eventCreateWithFlags(runtime.eventDisableTiming | runtime.eventInterprocess)
    runtime.eventRecord(event, 0)
    handle, token = runtime.ipcGetMemHandle(place), runtime.ipcGetEventHandle(event)
    assert len(handle) == len(token) == 64
    assert run_child(handle, token, 256) == ["4950.0"]
    assert to_host(place + 256, 100).tolist() == [0] * 50 + host[50:].tolist()
    # Memory of an array: the handle stands for the allocation that the array is in.
    # The first device has the first elements.
    x = np.arange(100 * runtime.getDeviceCount(), dtype="f4")
    shard = x.local_shards()[0].data
    start = ctypes.c_uint64()
    calls.call("cuPointerGetAttribute", ctypes.byref(start), 11, shard.ptr)
    handle = runtime.ipcGetMemHandle(shard.ptr)
    assert run_child(handle, token, shard.ptr - start.value) == ["4950.0"]
    assert shard.get().tolist() == [0] * 50 + host[50:].tolist()
    runtime.eventDestroy(event)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.ipcOpenMemHandle(b"short")


PTX = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry store(.param .u64 to, .param .u32 value) {
    .reg .u64 %a;
    .reg .u32 %v;
    ld.param.u64 %a, [to];
    ld.param.u32 %v, [value];
    cvta.to.global.u64 %a, %a;
    st.global.u32 [%a], %v;
    ret;
}
"""


@needs_gpu
def test_programs_of_the_driver(memory, stream, tmp_path):
    link = np.cuda.function.LinkState()
    link.add_ptr_data(PTX, "store.ptx")
    cubin = link.complete()
    file = tmp_path / "store.cubin"
    file.write_bytes(cubin)
    for module in (driver.moduleLoadData(cubin), driver.moduleLoad(str(file))):
        kernel = driver.moduleGetFunction(module, "store")
        place = memory(16)
        arguments = ctypes.c_uint64(place), ctypes.c_uint32(4242)
        pointers = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
        driver.launchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, ctypes.addressof(pointers), 0)
        driver.streamSynchronize(stream)
        assert to_host(place, 1, "u4").tolist() == [4242]
        arguments[1].value = 77
        driver.launchCooperativeKernel(
            kernel, 1, 1, 1, 1, 1, 1, 0, stream, ctypes.addressof(pointers))
        driver.streamSynchronize(stream)
        assert to_host(place, 1, "u4").tolist() == [77]
        assert to_host(driver.moduleGetGlobal(module, "counter"), 1, "u4").tolist() == [5]
        most = driver.funcGetAttribute(
            driver.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel)
        assert most >= 256 and driver.funcGetAttribute(999, kernel) == -1
        driver.funcSetAttribute(
            kernel, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536)
        assert driver.funcGetAttribute(
            driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel) == 65536
        assert driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel, 128, 0) >= 8
        blocks, threads = driver.occupancyMaxPotentialBlockSize(kernel, 0, 256)
        assert blocks >= 1 and 1 <= threads <= 256
        driver.moduleUnload(module)
    with pytest.raises(driver.CUDADriverError) as raised:
        driver.moduleLoadData(b"no program\0")
    assert str(raised.value).startswith("CUDA_ERROR_")


@needs_gpu
def test_contexts_of_the_thread_stay(stream):
    before = driver.ctxGetCurrent()
    runtime.memset(0, 0, 0)
    assert driver.ctxGetCurrent() == before
    own = driver.streamGetCtx(stream)
    driver.ctxSetCurrent(own)
    assert driver.ctxGetCurrent() == own and driver.ctxGetDevice() == np._phalanx._gpus()[0][0]
    assert float(np.ones(10).sum()) == 10
    runtime.free(runtime.malloc(100))
    assert driver.ctxGetCurrent() == own
    driver.ctxSetCurrent(before)
    made = driver.ctxCreate(0)
    assert driver.ctxGetCurrent() == made != own
    driver.ctxDestroy(made)
    driver.ctxSetCurrent(before)
    assert driver.get_build_version() == runtime.runtimeGetVersion() >= 12000
