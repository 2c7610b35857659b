"""Other libraries on our memory, and ours on theirs, with a million elements. Each test is skipped
where its library is not installed, or sees no GPU."""

import importlib
import re

import numpy
import pytest

import phalanx as np
import phalanx.cuda
from phalanx.cuda import runtime

from . import worlds
from .conftest import device_count

SIZE = 2**20
one_device = pytest.mark.skipif(device_count() > 1, reason="the array is split over devices")
has_gpu = phalanx.cuda.is_available()
on_gpu = pytest.mark.skipif(not has_gpu, reason="the session has no GPU")
on_cpu = pytest.mark.skipif(has_gpu, reason="the devices of the session are GPUs")
pytestmark = [one_device, pytest.mark.one_process("the memory is that of one process")]

AXPY = r"""
extern "C" __global__ void axpy(double a, const double* x, double* y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""
GRID, BLOCK = (SIZE + 255) // 256, 256


def ordinal():
    """CUDA's number of the first GPU of the session."""
    return np._phalanx._gpus()[0][0]


def library(name, *others):
    """A library with modules of its own; the test is skipped if one of them is missing."""
    found = pytest.importorskip(name)
    for other in others:
        pytest.importorskip(other)
    return found


def host(size=SIZE):
    return numpy.sin(numpy.arange(size))


def address(x):
    """The address of an array that is on one device."""
    part = x.local_view()[0]
    return part.ptr if has_gpu else part.ctypes.data


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64", "bool", "uint8"])
def test_torch_tensors_share_memory(dtype):
    torch = library("torch")
    if has_gpu and not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    place = torch.device("cuda", ordinal()) if has_gpu else torch.device("cpu")
    expected = (100 * host()).astype(dtype).reshape(1024, -1)
    tensor = torch.from_numpy(expected.copy()).to(place)
    x = np.from_dlpack(tensor)
    assert x.dtype == dtype and address(x) == tensor.data_ptr()
    # A write of the other library is in the array.
    tensor[3, 4] = 1
    expected[3, 4] = 1
    assert numpy.array_equal(np.asnumpy(x), expected)
    # A write to the array is in memory of its own.
    x[0, 0] = 0
    x[5] = 1
    assert numpy.array_equal(tensor.cpu().numpy(), expected)
    expected[0, 0], expected[5] = 0, 1
    assert numpy.array_equal(np.asnumpy(x), expected)
    there = torch.from_dlpack(x)
    assert there.device == place and numpy.array_equal(there.cpu().numpy(), expected)
    if tuple(map(int, re.findall(r"\d+", torch.__version__)[:2])) >= (2, 9):
        # Older versions do not know memory that is only read, and get a copy.
        assert there.data_ptr() == address(x)


def test_torch_computes_between_our_operations():
    torch = library("torch")
    if has_gpu and not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    x, expected = np.asarray(host()), host()
    for _ in range(5):
        x = np.exp(np.from_dlpack(torch.tanh(torch.from_dlpack(x * 2)))) - 1
        expected = numpy.exp(numpy.tanh(expected * 2)) - 1
    numpy.testing.assert_allclose(np.asnumpy(x), expected, rtol=1e-12, atol=1e-14)


@on_gpu
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "complex128"])
def test_cupy_shares_memory(dtype):
    cupy = library("cupy")
    with cupy.cuda.Device(ordinal()):
        expected = (100 * host()).astype(dtype)
        x = np.asarray(expected) + 0
        there = cupy.asarray(x)
        assert there.data.ptr == address(x) and there.dtype == dtype
        assert numpy.array_equal(there.get(), expected)
        back = np.asarray(there * 2)
        assert numpy.array_equal(np.asnumpy(back), expected * 2)
        own = cupy.asarray(expected)
        taken = np.asarray(own)
        assert address(taken) == own.data.ptr
        own[:10] = 3
        expected[:10] = 3
        assert numpy.array_equal(np.asnumpy(taken), expected)


@on_gpu
def test_kernels_of_cupy_run_on_our_memory():
    cupy = library("cupy")
    with cupy.cuda.Device(ordinal()):
        x, y = np.asarray(host()), np.ones(SIZE)
        z = np.sqrt(x * x)
        kernel = cupy.RawKernel(AXPY, "axpy")
        with y.local_view() as parts:
            written = cupy.asarray(parts[0])
            kernel((GRID,), (BLOCK,), (2.0, cupy.asarray(z), written, numpy.int64(SIZE)))
        numpy.testing.assert_allclose(np.asnumpy(y), 1 + 2 * abs(host()), rtol=0, atol=1e-14)
        square = cupy.ElementwiseKernel("T x", "T y", "y = x * x", "square")
        found = np.asarray(square(cupy.asarray(x)))
        assert numpy.array_equal(np.asnumpy(found), host() ** 2)
        total = cupy.asarray(x).sum()
        assert abs(float(np.asarray(total)) - host().sum()) < 1e-9


@on_gpu
def test_our_kernels_run_on_memory_of_cupy():
    cupy = library("cupy")
    with cupy.cuda.Device(ordinal()):
        x, y = cupy.asarray(host()), cupy.ones(SIZE)
        cupy.cuda.get_current_stream().synchronize()
        np.RawKernel(AXPY, "axpy")((GRID,), (BLOCK,), (3.0, x, y, SIZE))
        np.cuda.Stream.null.synchronize()
        numpy.testing.assert_allclose(y.get(), 1 + 3 * host(), rtol=0, atol=1e-14)


def numba_of_gpu(monkeypatch):
    """Numba's module for GPUs."""
    cuda = library("numba.cuda")
    # Its versions of 2026 look for a name that NumPy 2.5 no longer has.
    monkeypatch.setattr(numpy, "row_stack", numpy.vstack, raising=False)
    if not cuda.is_available():
        pytest.skip("numba has no GPU")
    try:
        # Numba imports its compiler at the first compilation.
        importlib.import_module("numba.cuda.cudaimpl")
    except ModuleNotFoundError:
        pass
    except AttributeError as error:
        pytest.skip(f"numba does not know this NumPy: {error}")
    return cuda


@on_gpu
def test_kernels_of_numba_run_on_our_memory(monkeypatch):
    cuda = numba_of_gpu(monkeypatch)

    @cuda.jit
    def axpy(a, x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += a * x[i]

    x, y = np.asarray(host()), np.ones(SIZE)
    with y.local_view() as parts:
        # Memory that is only read is refused by Numba's launches, so the operand is lent, too.
        with x.local_view() as others:
            axpy[GRID, BLOCK](2.0, cuda.as_cuda_array(others[0]), cuda.as_cuda_array(parts[0]))
    numpy.testing.assert_allclose(np.asnumpy(y), 1 + 2 * host(), rtol=1e-12)
    there = cuda.to_device(host())
    x = np.asarray(there)
    assert address(x) == there.__cuda_array_interface__["data"][0]
    assert numpy.array_equal(np.asnumpy(x), host())


def test_functions_of_numba_run_on_our_arrays():
    numba = library("numba")

    @numba.njit
    def running_maximum(x, y):
        most = x[0]
        for i in range(len(x)):
            most = max(most, x[i])
            y[i] = most

    x, y = np.asarray(host()), numpy.empty(SIZE)
    running_maximum(numpy.asarray(x), y)
    assert numpy.array_equal(np.asnumpy(np.maximum.accumulate(x)), y)


def cuda_core():
    """The module of NVIDIA's objects for CUDA, in its present or its earlier place."""
    library("cuda.bindings")
    for name in ("cuda.core", "cuda.core.experimental"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if hasattr(module, "Program"):
            return module
    pytest.skip("cuda.core is not installed")


@on_gpu
def test_programs_of_cuda_core_run_on_our_memory():
    core = cuda_core()
    device = core.Device(ordinal())
    device.set_current()
    options = core.ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    program = core.Program(AXPY, code_type="c++", options=options)
    kernel = program.compile("cubin").get_kernel("axpy")
    config = core.LaunchConfig(grid=GRID, block=BLOCK)
    x, y = np.asarray(host()), np.ones(SIZE)
    own = phalanx.cuda.Stream(non_blocking=True)
    stream = device.create_stream(own)
    with y.local_view() as parts:
        for _ in range(3):
            # Our operations before it, and the launch, are in order by our stream.
            with own:
                x = x + 1
                place = address(x)
            core.launch(stream, config, kernel, numpy.float64(2), place, parts[0].ptr,
                        numpy.int64(SIZE))
            own.synchronize()
    numpy.testing.assert_allclose(np.asnumpy(y), 1 + 2 * (3 * host() + 6), rtol=1e-12, atol=1e-12)
    made = device.create_stream()
    external = phalanx.cuda.Stream.from_external(made)
    assert external.ptr == int(made.handle)
    with external:
        total = x.sum()
    external.synchronize()
    assert abs(float(total) - (host() + 3).sum()) < 1e-6
    np.cuda.Device().synchronize()


@on_gpu
def test_cuda_bindings_launch_our_kernels():
    driver = library("cuda.bindings.driver")
    module = np.cuda.Module()
    image, _ = np.cuda.compiler.compile_using_nvrtc(AXPY)
    module.load(image)
    function = module.get_function("axpy")
    x, y = np.asarray(host()), np.ones(SIZE)
    own = phalanx.cuda.Stream()
    arguments = [numpy.array([value], dtype) for value, dtype in
                 [(4.0, "f8"), (0, "u8"), (0, "u8"), (SIZE, "i8")]]
    with y.local_view() as parts:
        with own:
            arguments[1][0], arguments[2][0] = address(x), parts[0].ptr
        places = numpy.array([one.ctypes.data for one in arguments], "u8")
        status, = driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(ordinal())[1])
        assert status == driver.CUresult.CUDA_SUCCESS
        status, = driver.cuLaunchKernel(
            driver.CUfunction(function.ptr), GRID, 1, 1, BLOCK, 1, 1, 0,
            driver.CUstream(own.ptr), places.ctypes.data, 0)
        assert status == driver.CUresult.CUDA_SUCCESS
        own.synchronize()
    numpy.testing.assert_allclose(np.asnumpy(y), 1 + 4 * host(), rtol=0, atol=1e-14)


@on_gpu
def test_cuda_bindings_copy_our_memory():
    driver = library("cuda.bindings.driver")
    x, found = np.asarray(host()) * 3, numpy.empty(SIZE)
    own = phalanx.cuda.Stream()
    with own:
        place = address(x)
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(ordinal())[1])
    status, = driver.cuMemcpyDtoHAsync(found.ctypes.data, place, found.nbytes, own.ptr)
    assert status == driver.CUresult.CUDA_SUCCESS
    own.synchronize()
    assert numpy.array_equal(found, host() * 3)


@on_gpu
def test_our_copies_read_memory_of_cuda_bindings():
    driver = library("cuda.bindings.driver")
    driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(ordinal())[1])
    status, place = driver.cuMemAlloc(8 * SIZE)
    assert status == driver.CUresult.CUDA_SUCCESS
    given, found = host(), numpy.empty(SIZE)
    driver.cuMemcpyHtoD(place, given.ctypes.data, given.nbytes)
    runtime.memcpy(found.ctypes.data, int(place), found.nbytes, runtime.memcpyDeviceToHost)
    assert numpy.array_equal(found, given)
    driver.cuMemFree(place)


def test_jax_shares_memory():
    jax = library("jax")
    if has_gpu and jax.default_backend() != "gpu":
        pytest.skip("jax has no GPU")
    x = np.asarray(host().astype("f4"))
    there = jax.numpy.from_dlpack(x)
    back = np.from_dlpack(jax.jit(lambda value: value * 2 + 1)(there))
    numpy.testing.assert_allclose(np.asnumpy(back), host().astype("f4") * 2 + 1, rtol=1e-6)


def test_tensorflow_shares_memory():
    tensorflow = library("tensorflow")
    x = np.asarray(host())
    there = tensorflow.experimental.dlpack.from_dlpack(x.__dlpack__())
    back = np.from_dlpack(tensorflow.experimental.dlpack.to_dlpack(there * 2))
    assert numpy.array_equal(np.asnumpy(back), host() * 2)


def test_mpi4py_sends_and_receives():
    library("mpi4py")
    program = f"""
        import numpy, phalanx as np
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:
            raise SystemExit(f"no MPI: {{error}}")
        own = MPI.COMM_SELF
        x, y = np.sin(np.arange({SIZE})), np.zeros({SIZE})
        own.Sendrecv(x * 2, 0, 0, y, 0, 0)
        total = np.zeros({SIZE})
        own.Allreduce(y, total)
        print(numpy.array_equal(np.asnumpy(total), np.asnumpy(x) * 2), float(abs(y).max()) > 1.9)
        """
    ended = worlds.run(program, check=False)
    if "no MPI" in ended.stderr:
        worlds.lacks("openmpi", "MPI library")
    assert ended.stdout.split() == ["True", "True"], ended.stderr


@on_cpu
def test_scipy_and_pandas_read_our_arrays():
    library("pandas", "scipy.signal")
    import pandas
    import scipy.signal

    x = np.asarray(host())
    found = scipy.signal.detrend(x)
    numpy.testing.assert_allclose(found, scipy.signal.detrend(host()), rtol=1e-9, atol=1e-12)
    frame = pandas.DataFrame({"x": numpy.asarray(x)})
    assert numpy.array_equal(frame["x"].rolling(3).max()[2:], [
        max(three) for three in zip(host(), host()[1:], host()[2:])])
