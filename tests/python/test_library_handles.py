"""Handles of CUDA's libraries: programs call the libraries by pointer, on the memory of arrays."""

import ctypes
import threading

import numpy
import pytest

import phalanx as np

has_gpu = np.cuda.is_available()
needs_gpu = pytest.mark.skipif(not has_gpu, reason="the session has no GPU")


@pytest.mark.skipif(has_gpu, reason="the session has GPUs")
def test_there_are_none_on_cpus():
    device = np.cuda.Device()
    assert device.cublas_handle == device.cusolver_handle == device.cusparse_handle == 0
    assert np.cuda.device.get_cusolver_sp_handle() == 0


def library(name):
    """A library that the session has loaded."""
    for version in ("13", "12", "11"):
        try:
            return ctypes.CDLL(f"{name}.so.{version}", mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
    pytest.skip(f"{name} is not found by name")


@needs_gpu
def test_cublas_is_called_on_arrays():
    handle = np.cuda.Device().cublas_handle
    assert handle and handle == np.cuda.device.get_cublas_handle()
    blas = library("libcublas")
    x, y = np.arange(100_000.0), np.ones(100_000)
    stream = np.cuda.Stream(non_blocking=True)
    with stream:
        x *= 2
        pointers = [ctypes.c_void_p(one.data.ptr) for one in (x, y)]
        handle = ctypes.c_void_p(np.cuda.Device().cublas_handle)
        alpha = ctypes.c_double(3.0)
        status = blas.cublasDaxpy_v2(
            handle, 100_000, ctypes.byref(alpha), pointers[0], 1, pointers[1], 1
        )
        assert status == 0
    stream.synchronize()
    result = numpy.empty(100_000)
    address = ctypes.c_void_p(result.ctypes.data)
    np.cuda.runtime.memcpy(address.value, pointers[1].value, result.nbytes, 2)
    numpy.testing.assert_array_equal(result, 1 + 6 * numpy.arange(100_000.0))


@needs_gpu
def test_handles_are_those_of_a_thread():
    device, found = np.cuda.Device(), []
    own = device.cublas_handle, device.cusolver_handle, device.cusolver_sp_handle
    own += (device.cusparse_handle,)
    assert all(own) and len(set(own)) == 4

    def look():
        found.append(np.cuda.Device().cublas_handle)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found[0] and found[0] != own[0]
    assert device.cublas_handle == own[0]


def test_the_address_of_an_array_is_that_of_its_elements():
    x = np.arange(10.0) + 1
    if x.local_shards()[0].data.shape != (10,):
        with pytest.raises(BufferError, match="split over devices"):
            x.data.ptr
        return
    address = x.data.ptr
    assert address == x.data.ptr and x.data.device_id == 0
    if not has_gpu:
        elements = (ctypes.c_double * 10).from_address(address)
        assert list(elements) == list(range(1, 11))
    with pytest.raises(BufferError, match="view"):
        x[1:].data.ptr
