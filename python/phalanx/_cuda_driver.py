"""CuPy's module ``cuda.driver``: functions of CUDA's driver.

Contexts, programs and kernels are numbers of the driver; objects with ``ptr`` are accepted in their
place. The context of a session's device is its primary context. The functions need a GPU: on CPUs
they raise ``CUDARuntimeError`` with ``cudaErrorNoDevice``. Kernels that are launched here are
ordered as ``phalanx.cuda.runtime`` orders other work in streams; ``RawKernel`` launches are
recorded, and checked between processes.
"""

from . import _phalanx
from ._cuda_documented import _DRIVER, _ORDERED, documented as _documented
from ._cuda_driver_calls import (
    CUDADriverError as CUDADriverError,
    Ordered as _Ordered,
    address as _address,
    call as _in_context,
    context as _context,
    ordinal as _ordinal,
    status_of as _status_of,
    stream_handle as _handle,
    tried as _tried,
)
from ._cuda_runtime import streamSynchronize as streamSynchronize
from ._cuda_runtime_streams import (
    eventQuery as eventQuery,
    eventRecord as eventRecord,
    eventSynchronize as eventSynchronize,
    streamQuery as streamQuery,
    streamWaitEvent as streamWaitEvent,
)

# Kinds of programs for the linker.
CU_JIT_INPUT_CUBIN = 0
CU_JIT_INPUT_PTX = 1
CU_JIT_INPUT_FATBINARY = 2
CU_JIT_INPUT_OBJECT = 3
CU_JIT_INPUT_LIBRARY = 4
CU_JIT_INPUT_NVVM = 5

# Attributes of a kernel.
CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0
CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1
CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2
CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3
CU_FUNC_ATTRIBUTE_NUM_REGS = 4
CU_FUNC_ATTRIBUTE_PTX_VERSION = 5
CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6
CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7
CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9

# Formats of the elements of arrays of CUDA.
CU_AD_FORMAT_UNSIGNED_INT8 = 0x01
CU_AD_FORMAT_UNSIGNED_INT16 = 0x02
CU_AD_FORMAT_UNSIGNED_INT32 = 0x03
CU_AD_FORMAT_SIGNED_INT8 = 0x08
CU_AD_FORMAT_SIGNED_INT16 = 0x09
CU_AD_FORMAT_SIGNED_INT32 = 0x0A
CU_AD_FORMAT_HALF = 0x10
CU_AD_FORMAT_FLOAT = 0x20

# The number of an error.
CUDA_ERROR_INVALID_VALUE = 1


def _call(name, *arguments):
    return _in_context(name, *arguments, error=CUDADriverError)


def _of_thread(name, *arguments):
    """Calls a function about the context of the thread, which stays as the function leaves it."""
    _context()
    status, results = _status_of(name, *arguments)
    if status:
        raise CUDADriverError(status)
    return results[0] if results else None


@_documented(raises={"CUDADriverError": "The number is not 0."})
def check_status(status):
    """Raises the error of a number that a call has returned."""
    if status != 0:
        raise CUDADriverError(status)


@_documented("int", "The version, 13000 for 13.0; 0 on CPUs.", raises={"None": "No error."})
def get_build_version():
    """The version of CUDA that the driver supports: nothing is built for one version."""
    _phalanx._gpus()
    return _phalanx._driver_version()


@_documented(raises=_DRIVER, notes="Local. The session keeps a reference of its own.")
def devicePrimaryCtxRelease(dev):
    """Drops a reference to the primary context of a device."""
    _of_thread("cuDevicePrimaryCtxRelease_v2", _ordinal(dev))


@_documented("int", "The context; 0 if the thread has none.", raises=_DRIVER)
def ctxGetCurrent():
    """The context that is current in this thread for other libraries. Functions of
    ``phalanx.cuda`` use that of the current device."""
    return _of_thread("cuCtxGetCurrent")


@_documented(raises=_DRIVER)
def ctxSetCurrent(ctx):
    """Makes a context current in this thread for other libraries."""
    _of_thread("cuCtxSetCurrent", _address(ctx))


@_documented("int", "The context.", raises=_DRIVER)
def ctxCreate(dev):
    """Makes a context on a device besides its primary one, and makes it current in this thread.
    Arrays do not use it."""
    return _of_thread("cuCtxCreate_v2", 0, _ordinal(dev))


@_documented(raises=_DRIVER)
def ctxDestroy(ctx):
    """Frees a context of ``ctxCreate``."""
    _of_thread("cuCtxDestroy_v2", _address(ctx))


@_documented("int", "CUDA's number of the device.", raises=_DRIVER)
def ctxGetDevice():
    """The device of the context that is current in this thread."""
    return _of_thread("cuCtxGetDevice")


@_documented("int", "The state.", raises=_DRIVER)
def linkCreate():
    """Starts to link programs."""
    return _call("cuLinkCreate_v2", 0, None, None)


@_documented(raises=_DRIVER)
def linkAddData(state, input_type, data, name):
    """Adds a program to a linker."""
    # The linker reads texts up to their end, which is a zero.
    image = bytes(data) + b"\0"
    _call("cuLinkAddData_v2", _address(state), input_type, image, len(image), name.encode(), 0,
          None, None)


@_documented(raises=_DRIVER)
def linkAddFile(state, input_type, path):
    """Adds a file to a linker."""
    import os

    _call("cuLinkAddFile_v2", _address(state), input_type, os.fsencode(path), 0, None, None)


@_documented("bytes", "The cubin.", raises=_DRIVER)
def linkComplete(state):
    """Links the programs that were added."""
    import ctypes

    start, size = _call("cuLinkComplete", _address(state))
    return ctypes.string_at(start, size)


@_documented(raises=_DRIVER)
def linkDestroy(state):
    """Frees a linker, after its cubin was taken."""
    _call("cuLinkDestroy", _address(state))


_PROGRAM = ("int", "The program.")


@_documented(*_PROGRAM, raises=_DRIVER)
def moduleLoad(filename):
    """Loads a program from a file on the current device."""
    import os

    return _call("cuModuleLoad", os.fsencode(filename))


@_documented(*_PROGRAM, raises=_DRIVER)
def moduleLoadData(image):
    """Loads a program from bytes on the current device."""
    return _call("cuModuleLoadData", bytes(image))


@_documented(raises=_DRIVER)
def moduleUnload(module):
    """Frees a program."""
    _call("cuModuleUnload", _address(module))


@_documented("int", "The kernel.", raises=_DRIVER)
def moduleGetFunction(module, funcname):
    """A kernel of a program."""
    return _call("cuModuleGetFunction", _address(module), funcname.encode())


@_documented("int", "The address.", raises=_DRIVER)
def moduleGetGlobal(module, varname):
    """The address of a variable of a program."""
    return _call("cuModuleGetGlobal_v2", _address(module), varname.encode())[0]


@_documented(notes=_ORDERED, raises=_DRIVER)
def launchKernel(f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y, block_dim_z,
                 shared_mem_bytes, stream, kernel_params, extra):
    """Launches a kernel in a stream."""
    with _Ordered(stream) as handle:
        _call("cuLaunchKernel", _address(f), grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x,
              block_dim_y, block_dim_z, shared_mem_bytes, handle, _address(kernel_params),
              _address(extra))


@_documented(notes=_ORDERED, raises=_DRIVER)
def launchCooperativeKernel(f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y,
                            block_dim_z, shared_mem_bytes, stream, kernel_params):
    """Launches a kernel in a stream, all of whose thread blocks run at the same time."""
    with _Ordered(stream) as handle:
        _call("cuLaunchCooperativeKernel", _address(f), grid_dim_x, grid_dim_y, grid_dim_z,
              block_dim_x, block_dim_y, block_dim_z, shared_mem_bytes, handle,
              _address(kernel_params))


@_documented("int", "The value; -1 if the driver does not know the attribute.", raises=_DRIVER)
def funcGetAttribute(attribute, f):
    """An attribute of a kernel."""
    status, results = _tried("cuFuncGetAttribute", attribute, _address(f))
    if status == CUDA_ERROR_INVALID_VALUE:
        return -1
    check_status(status)
    return results[0]


@_documented(raises=_DRIVER)
def funcSetAttribute(f, attribute, value):
    """Sets an attribute of a kernel."""
    _call("cuFuncSetAttribute", _address(f), attribute, value)


@_documented("int", "The number of thread blocks.", raises=_DRIVER)
def occupancyMaxActiveBlocksPerMultiprocessor(func, blockSize, dynamicSMemSize):
    """The number of thread blocks of a kernel that run on a multiprocessor at the same time."""
    return _call("cuOccupancyMaxActiveBlocksPerMultiprocessor", _address(func), blockSize,
                 dynamicSMemSize)


@_documented("(int, int)", "The smallest number of thread blocks that fill the device, and the "
             "number of threads of each.", raises=_DRIVER)
def occupancyMaxPotentialBlockSize(func, dynamicSMemSize, blockSizeLimit):
    """The size of a launch with which a kernel fills the device."""
    return _call("cuOccupancyMaxPotentialBlockSize", _address(func), None, dynamicSMemSize,
                 blockSizeLimit)


@_documented("int", "The context.", raises=_DRIVER)
def streamGetCtx(stream):
    """The context of a stream."""
    return _call("cuStreamGetCtx", _handle(stream))
