"""The functions of CUDA's driver by ctypes, for ``cuda.runtime`` and ``cuda.driver``.

The functions of the session use the same driver and the primary context of each GPU, so handles of
streams, events and memory are valid on both sides. A call makes the context of its device current
and then restores the one before: the functions of the session, and other libraries, find the
context of the thread as they left it.
"""

import functools as _functools
import threading as _threading

from . import _cuda_streams as _streams
from . import _phalanx

# CUDA's names of errors, each with its number. The numbers are those of the runtime and of the
# driver alike.
_ERRORS = """
1 InvalidValue 2 MemoryAllocation 3 InitializationError 4 CudartUnloading 5 ProfilerDisabled
9 InvalidConfiguration 12 InvalidPitchValue 16 InvalidHostPointer 17 InvalidDevicePointer
18 InvalidTexture 20 InvalidChannelDescriptor 21 InvalidMemcpyDirection 34 StubLibrary
35 InsufficientDriver 36 CallRequiresNewerDriver 37 InvalidSurface 46 DevicesUnavailable
49 IncompatibleDriverContext 98 InvalidDeviceFunction 100 NoDevice 101 InvalidDevice
102 DeviceNotLicensed 200 InvalidKernelImage 201 DeviceUninitialized 205 MapBufferObjectFailed
206 UnmapBufferObjectFailed 207 ArrayIsMapped 208 AlreadyMapped 209 NoKernelImageForDevice
210 AlreadyAcquired 211 NotMapped 212 NotMappedAsArray 213 NotMappedAsPointer 214 ECCUncorrectable
215 UnsupportedLimit 216 DeviceAlreadyInUse 217 PeerAccessUnsupported 218 InvalidPtx
219 InvalidGraphicsContext 220 NvlinkUncorrectable 221 JitCompilerNotFound 222 UnsupportedPtxVersion
223 JitCompilationDisabled 224 UnsupportedExecAffinity 225 UnsupportedDevSideSync 226 Contained
300 InvalidSource 301 FileNotFound 302 SharedObjectSymbolNotFound 303 SharedObjectInitFailed
304 OperatingSystem 400 InvalidResourceHandle 401 IllegalState 402 LossyQuery 500 SymbolNotFound
600 NotReady 700 IllegalAddress 701 LaunchOutOfResources 702 LaunchTimeout
703 LaunchIncompatibleTexturing 704 PeerAccessAlreadyEnabled 705 PeerAccessNotEnabled
708 SetOnActiveProcess 709 ContextIsDestroyed 710 Assert 711 TooManyPeers
712 HostMemoryAlreadyRegistered 713 HostMemoryNotRegistered 714 HardwareStackError
715 IllegalInstruction 716 MisalignedAddress 717 InvalidAddressSpace 718 InvalidPc 719 LaunchFailure
720 CooperativeLaunchTooLarge 721 TensorMemoryLeak 800 NotPermitted 801 NotSupported
802 SystemNotReady 803 SystemDriverMismatch 804 CompatNotSupportedOnDevice 805 MpsConnectionFailed
806 MpsRpcFailure 807 MpsServerNotReady 808 MpsMaxClientsReached 809 MpsMaxConnectionsReached
810 MpsClientTerminated 811 CdpNotSupported 812 CdpVersionMismatch 900 StreamCaptureUnsupported
901 StreamCaptureInvalidated 902 StreamCaptureMerge 903 StreamCaptureUnmatched
904 StreamCaptureUnjoined 905 StreamCaptureIsolation 906 StreamCaptureImplicit 907 CapturedEvent
908 StreamCaptureWrongThread 909 Timeout 910 GraphExecUpdateFailure 911 ExternalDevice
912 InvalidClusterSize 913 FunctionNotLoaded 914 InvalidResourceType
915 InvalidResourceConfiguration 999 Unknown
""".split()
_NAMES = {int(number): f"cudaError{name}" for number, name in zip(_ERRORS[::2], _ERRORS[1::2])}
_NEWER_DRIVER = 36
_NUMBERS = {name: number for number, name in _NAMES.items()}

# Texts of the errors that are raised without a driver; the driver has the texts of all.
_TEXTS = {
    0: "no error",
    1: "invalid argument",
    2: "out of memory",
    36: "API call is not supported in the installed CUDA driver",
    100: "no CUDA-capable device is detected",
    101: "invalid device ordinal",
}


def text_of(status):
    """The text of an error."""
    if status in _TEXTS:
        return _TEXTS[status]
    import ctypes

    text = ctypes.c_char_p()
    library = _library()
    if library is None or library.cuGetErrorString(status, ctypes.byref(text)) or not text.value:
        return "unrecognized error code"
    return text.value.decode()


def driver_name_of(status):
    """The driver's name of an error, such as ``CUDA_ERROR_INVALID_VALUE``."""
    import ctypes

    name = ctypes.c_char_p()
    library = _library()
    if library is None or library.cuGetErrorName(status, ctypes.byref(name)) or not name.value:
        return f"CUDA_ERROR_{status}"
    return name.value.decode()


class CUDARuntimeError(RuntimeError):
    """An error of the runtime. ``status`` is CUDA's number of the error."""

    def __init__(self, status):
        if isinstance(status, str):
            # A text that starts with the name of the error.
            self.status = _NUMBERS.get(status.partition(":")[0], 999)
            super().__init__(status)
        else:
            self.status = int(status)
            name = "cudaSuccess" if self.status == 0 else _NAMES.get(self.status)
            super().__init__(f"{name or 'cudaErrorUnknown'}: {text_of(self.status)}")

    def __reduce__(self):
        return type(self), (self.args[0],)


class CUDADriverError(RuntimeError):
    """An error of the driver. ``status`` is CUDA's number of the error."""

    def __init__(self, status):
        self.status = int(status)
        super().__init__(f"{driver_name_of(self.status)}: {text_of(self.status)}")

    def __reduce__(self):
        return type(self), (self.status,)


# A letter stands for the type of an argument: p an address or a handle, i int, u unsigned int,
# z size_t, q unsigned long long, s a text, d an object that is passed as it is. A capital letter is
# a result: the function gets the address of a variable of this type.
_FUNCTIONS = dict(line.split() for line in """
cuMemAlloc_v2 Pz
cuMemAllocManaged Pzu
cuMemAllocAsync Pzp
cuMemAllocFromPoolAsync Pzpp
cuMemFree_v2 p
cuMemFreeAsync pp
cuMemHostAlloc Pzu
cuMemFreeHost p
cuMemHostRegister_v2 pzu
cuMemHostUnregister p
cuMemcpy ppz
cuMemcpyAsync ppzp
cuMemcpyPeer ppppz
cuMemcpyPeerAsync ppppzp
cuMemcpy2DUnaligned_v2 d
cuMemcpy2DAsync_v2 dp
cuMemcpy3D_v2 d
cuMemcpy3DAsync_v2 dp
cuMemsetD8_v2 pcz
cuMemsetD8Async pczp
cuMemPrefetchAsync pzip
cuMemPrefetchAsync_v2 pzdup
cuMemAdvise pzii
cuMemAdvise_v2 pzid
cuMemPoolCreate Pd
cuMemPoolDestroy p
cuMemPoolTrimTo pz
cuMemPoolGetAttribute pid
cuMemPoolSetAttribute pid
cuDeviceGetDefaultMemPool Pi
cuDeviceGetMemPool Pi
cuDeviceSetMemPool ip
cuDeviceGetAttribute Iii
cuDeviceGetByPCIBusId Is
cuDeviceGetPCIBusId dii
cuDevicePrimaryCtxRetain Pi
cuDevicePrimaryCtxRelease_v2 i
cuPointerGetAttribute dip
cuCtxGetLimit Zi
cuCtxSetLimit iz
cuCtxEnablePeerAccess pu
cuCtxDisablePeerAccess p
cuCtxGetCurrent P
cuCtxSetCurrent p
cuCtxCreate_v2 Pui
cuCtxDestroy_v2 p
cuCtxGetDevice I
cuCtxPushCurrent_v2 p
cuCtxPopCurrent_v2 P
cuCtxSynchronize -
cuDriverGetVersion I
cuArray3DCreate_v2 Pd
cuArray3DGetDescriptor_v2 dp
cuArrayDestroy p
cuStreamCreate Pu
cuStreamCreateWithPriority Pui
cuStreamDestroy_v2 p
cuStreamGetFlags pU
cuStreamGetPriority pI
cuStreamGetCtx pP
cuStreamQuery p
cuStreamSynchronize p
cuStreamWaitEvent ppu
cuStreamBeginCapture_v2 pi
cuStreamEndCapture pP
cuStreamIsCapturing pI
cuLaunchHostFunc pdp
cuEventCreate Pu
cuEventDestroy_v2 p
cuEventElapsedTime Fpp
cuEventQuery p
cuEventRecord pp
cuEventSynchronize p
cuIpcGetMemHandle dp
cuIpcOpenMemHandle_v2 Pdu
cuIpcCloseMemHandle p
cuIpcGetEventHandle dp
cuIpcOpenEventHandle Pd
cuTexObjectCreate Qddd
cuTexObjectDestroy q
cuSurfObjectCreate Qd
cuSurfObjectDestroy q
cuGraphDestroy p
cuGraphExecDestroy p
cuGraphInstantiateWithFlags Ppq
cuGraphLaunch pp
cuGraphUpload pp
cuGraphDebugDotPrint psu
cuModuleLoad Ps
cuModuleLoadData Pd
cuModuleUnload p
cuModuleGetFunction Pps
cuModuleGetGlobal_v2 PZps
cuLinkCreate_v2 uddP
cuLinkAddData_v2 pidzsudd
cuLinkAddFile_v2 pisudd
cuLinkComplete pPZ
cuLinkDestroy p
cuFuncGetAttribute Iip
cuFuncSetAttribute pii
cuLaunchKernel puuuuuuuppp
cuLaunchCooperativeKernel puuuuuuupp
cuOccupancyMaxActiveBlocksPerMultiprocessor Ipiz
cuOccupancyMaxPotentialBlockSize IIpdzi
""".strip().splitlines())


@_functools.cache
def _library():
    """The driver; None if it is not installed."""
    import ctypes

    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


class _AsItIs:
    """The type of an argument that is passed as it is."""

    @staticmethod
    def from_param(value):
        """The argument itself."""
        return value


@_functools.cache
def _types():
    """The type of each letter."""
    import ctypes

    return {
        "p": ctypes.c_uint64, "i": ctypes.c_int, "u": ctypes.c_uint, "z": ctypes.c_size_t,
        "q": ctypes.c_uint64, "s": ctypes.c_char_p, "f": ctypes.c_float, "c": ctypes.c_ubyte,
        "d": _AsItIs,
    }


@_functools.cache
def _function(name):
    """A function of the driver, and the places and types of its results; None if the driver is
    older."""
    import ctypes

    native = getattr(_library(), name, None)
    if native is None:
        return None
    letters = _FUNCTIONS[name].replace("-", "")
    native.argtypes = [
        ctypes.c_void_p if letter.isupper() else _types()[letter] for letter in letters
    ]
    results = [
        (place, _types()[letter.lower()]) for place, letter in enumerate(letters)
        if letter.isupper()
    ]
    return native, results, ctypes.byref, ctypes.ArgumentError


def has(name):
    """Whether the driver has a function."""
    return _function(name) is not None


def status_of(name, *arguments):
    """Calls a function of the driver; returns its status and the list of its results."""
    found = _function(name)
    if found is None:
        return _NEWER_DRIVER, []
    native, kinds, reference, refused = found
    results, passed = [kind() for _, kind in kinds], list(arguments)
    for (place, _), result in zip(kinds, results):
        passed.insert(place, reference(result))
    try:
        status = native(*passed)
    except refused:
        # Integers of NumPy are no integers of ctypes.
        status = native(*[_plain(value) for value in passed])
    return status, [result.value for result in results]


def _plain(value):
    """An integer as one of Python; any other argument as it is."""
    return value.__index__() if hasattr(value, "__index__") else value


def ordinal(device):
    """CUDA's number of a device of this process.

    Raises CUDARuntimeError if the devices are CPUs, or if there is no such device.
    """
    gpus = _phalanx._gpus()
    if not gpus:
        raise CUDARuntimeError(100)
    if not 0 <= device < len(gpus):
        raise CUDARuntimeError(
            f"cudaErrorInvalidDevice: there is no device {device}, this process has {len(gpus)}"
        )
    return gpus[device][0]


def number(ordinal_):
    """The number in this process of a GPU with CUDA's number; CUDA's own if the process does not
    use the GPU."""
    numbers = [gpu[0] for gpu in _phalanx._gpus()]
    return numbers.index(ordinal_) if ordinal_ in numbers else ordinal_


@_functools.cache
def _primary(of):
    # The reference is kept: memory may outlive the session whose GPU it is on.
    status, results = status_of("cuDevicePrimaryCtxRetain", of)
    if status:
        raise CUDARuntimeError(status)
    return results[0]


def context(device=None):
    """The primary context of a device of this process, by default the current one."""
    return _primary(ordinal(_streams._current.device if device is None else device))


def call(name, *arguments, device=None, error=CUDARuntimeError):
    """Calls a function of the driver in the context of a device.

    Returns the result of the function: None, a number, or a tuple. Raises ``error`` with the status
    of the function, unless it is 0.
    """
    status, results = tried(name, *arguments, device=device)
    if status:
        raise error(status)
    if not results:
        return None
    return results[0] if len(results) == 1 else tuple(results)


def tried(name, *arguments, device=None):
    """As ``call``, but returns the status and the results."""
    return within(context(device), name, *arguments)


def within(current, name, *arguments):
    """As ``tried``, in a context; starts no session."""
    pushed, _ = status_of("cuCtxPushCurrent_v2", current)
    if pushed:
        return pushed, []
    try:
        return status_of(name, *arguments)
    finally:
        status_of("cuCtxPopCurrent_v2")


def address(pointer):
    """The number of a pointer: a number, or an object with ``value`` or ``ptr``."""
    if pointer is None:
        return 0
    for name in ("value", "ptr"):
        inner = getattr(pointer, name, None)
        if isinstance(inner, int):
            return inner
    # A pointer of ctypes without an address has the value None.
    return 0 if getattr(pointer, "value", pointer) is None else int(pointer)


def stream_handle(stream):
    """The handle of a stream: a number, or an object with ``ptr``."""
    handle = getattr(stream, "ptr", getattr(stream, "cuda_stream", stream))
    return 0 if handle is None else int(handle)


def is_capturing(stream):
    """Whether a stream, given by its handle, records a graph."""
    if stream in (0, 1, 2):
        return False
    status, results = tried("cuStreamIsCapturing", stream)
    return status == 0 and results[0] != 0


class Ordered:
    """A context manager: the work that its block puts into a stream runs after all recorded
    operations, and before later operations if the stream is CUDA's default stream or current.
    Collective. Its value is the handle of the stream.

    A stream that records a graph is not ordered: its work does not run now.
    """

    def __init__(self, stream):
        self._stream = stream

    def __enter__(self):
        # CPUs are refused before anything else.
        context()
        self._native, handle = None, stream_handle(self._stream)
        if is_capturing(handle):
            return handle
        _phalanx._hand_over()
        self._native = _streams._native(0 if self._stream is None else self._stream)
        self._native.follow()
        is_current = any(stream.ptr == handle for stream in _streams._current.streams)
        self._precedes = handle in (0, 1, 2) or is_current
        return handle

    def __exit__(self, *exception):
        if self._native is not None and self._precedes:
            self._native.precede()
        return False


def settle():
    """Runs all recorded operations and waits for them: what follows may use the memory of arrays.
    Collective. CPUs are refused."""
    context()
    _streams._run_all()
    kept.clear()


class Kept:
    """Keeps objects that launches use by their addresses until the launches have run.

    A launch knows an address only, and the object may be dropped before the launch runs. Objects
    are kept in groups, and a group is dropped once an event after its launches is done.
    """

    # One launch may take objects of two groups, so a group is closed when the next one is full.
    _MOST = 64

    def __init__(self):
        self._before, self._new, self._running = [], [], []

    def add(self, owner):
        """Keeps an object until the launch that is recorded next has run."""
        self._new.append((_threading.get_ident(), owner))
        if len(self._new) == self._MOST:
            if self._before:
                _phalanx._hand_over()
                self._running.append((_marks(), self._before))
            self._before, self._new = self._new, []
        while self._running and all(mark.is_done() for mark in self._running[0][0]):
            self._running.pop(0)

    def clear(self):
        """Drops the objects of launches: all that were recorded have run."""
        own = _threading.get_ident()
        # Another thread may be about to record the launch of its objects.
        self._new = [entry for entry in self._new if entry[0] != own]
        self._before, self._running = [], []


def _marks():
    """An event for each GPU, after the work that it has received."""
    marks = []
    for device, _ in enumerate(_phalanx._gpus()):
        marks.append(_phalanx._Event(device, False, False))
        marks[-1].record(_phalanx._Stream.of_work(device))
    return marks


kept = Kept()
