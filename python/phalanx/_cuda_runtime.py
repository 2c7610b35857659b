"""CuPy's module ``cuda.runtime``: CUDA's runtime on this process's devices.

Devices have the numbers of ``phalanx.cuda``, from 0. Addresses, streams, events and other handles
are numbers of CUDA's driver; objects with ``ptr`` (or ``value``, as those of ctypes) are accepted
in their place. On CPUs the functions about devices work, and all others raise ``CUDARuntimeError``
with ``cudaErrorNoDevice``.

Operations on arrays are recorded, and run in streams of their own. Calls are ordered with them:

- A call that waits, such as ``memcpy`` or ``memset``, and one that frees, such as ``free``, first
  run all recorded operations and wait for them, since they may use the same memory.
- A call with a stream, such as ``memcpyAsync``, hands the recorded operations to the devices, and
  the stream waits for them. The later operations wait for the stream if it is CUDA's default stream
  (0) or current; else call ``streamSynchronize`` or record an event.
- A stream that records a graph is not ordered; ``graphLaunch`` is.

So these calls are Collective: with several processes, all must make them.
"""

from . import _cuda_memory_hooks as _memory_hooks
from . import _cuda_streams as _streams
from . import _phalanx
from ._cuda_documented import documented as _documented
from ._cuda_driver_calls import (
    CUDARuntimeError as CUDARuntimeError,
    call as _call,
    context as _context,
    kept as _kept,
    number as _number,
    ordinal as _ordinal,
)
from ._cuda_runtime_constants import *  # noqa: F403
from ._cuda_runtime_memory import *  # noqa: F403
from ._cuda_runtime_streams import *  # noqa: F403

is_hip = False


@_documented(raises={"CUDARuntimeError": "The number is not 0."})
def check_status(status):
    """Raises the error of a number that a call has returned."""
    if status != 0:
        raise CUDARuntimeError(status)


def _at(device):
    memory = _phalanx._device_memory()
    if not 0 <= device < len(memory):
        raise CUDARuntimeError(
            f"cudaErrorInvalidDevice: there is no device {device}, this process has {len(memory)}"
        )
    return memory[device]


def getDeviceCount():
    """The number of devices of this process."""
    return len(_phalanx._device_memory())


def getDevice():
    """The number of the device that is current in this thread. Operations on arrays run on all
    devices."""
    return _streams._current.device


def setDevice(device):
    """Makes a device current in this thread: new streams, events and memory belong to it.
    Operations on arrays still run on all devices."""
    _at(device)
    _streams._current.device = int(device)


def deviceSynchronize():
    """Waits until all recorded operations, and all other work of the process on its GPUs, have run.
    Collective."""
    _streams._run_all()
    for device, _ in enumerate(_phalanx._gpus()):
        _phalanx._synchronize_gpu(device)
    _kept.clear()
    _memory_hooks.deliver()


def streamSynchronize(stream):
    """Waits until all recorded operations, and the work in a stream, have run. Collective."""
    if _phalanx._gpus():
        _phalanx._hand_over()
        native = _streams._native(stream)
        native.follow()
        native.synchronize()
        native.await_calls()
        _kept.clear()
        _memory_hooks.deliver()
    else:
        _streams._run_all()


def memGetInfo():
    """The free and the total bytes of the current device: those of the GPU, of its limit, or of the
    machine."""
    device = _streams._current.device
    used, _, limit, cached, _ = _at(device)
    if _phalanx._gpus():
        free, whole = _phalanx._gpu_memory(device)
        # Cached memory is free for later arrays.
        free += cached
    else:
        import os

        page = os.sysconf("SC_PAGE_SIZE")
        free, whole = os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page
    if limit is None or limit > whole:
        return free, whole
    return min(max(limit - used, 0), free), limit


def deviceCanAccessPeer(device, peerDevice):
    """1 if a device can access the memory of another one, else 0; 0 for a device and itself. CPUs
    have one memory."""
    _at(device)
    _at(peerDevice)
    return int(device != peerDevice and _phalanx._can_reach(device, peerDevice))


def deviceGetAttribute(attrib, device):
    """An attribute of a GPU by its number, ``cudaDevAttr...``, or by its name, such as
    ``"MultiProcessorCount"``."""
    _at(device)
    if not isinstance(attrib, str):
        return _call("cuDeviceGetAttribute", attrib, _ordinal(device), device=device)
    try:
        return _phalanx._gpu_attributes(device)[attrib]
    except (KeyError, ValueError):
        raise CUDARuntimeError(
            f"cudaErrorInvalidValue: device {device} has no attribute {attrib!r}"
        ) from None


@_documented("int", "The number of the device.")
def deviceGetByPCIBusId(pci_bus_id):
    """The GPU of this process at a PCI bus address."""
    of = _call("cuDeviceGetByPCIBusId", str(pci_bus_id).encode())
    if of not in [gpu[0] for gpu in _phalanx._gpus()]:
        raise CUDARuntimeError(
            f"cudaErrorInvalidDevice: this process does not use the GPU at {pci_bus_id}"
        )
    return _number(of)


@_documented("str", "The address, such as ``0000:1b:00.0``.")
def deviceGetPCIBusId(device):
    """The PCI bus address of a GPU."""
    import ctypes

    text = ctypes.create_string_buffer(32)
    _call("cuDeviceGetPCIBusId", text, len(text), _ordinal(device), device=device)
    return text.value.decode()


@_documented("int", "The value in bytes, or a number.")
def deviceGetLimit(limit):
    """A limit of the current device."""
    return _call("cuCtxGetLimit", limit)


@_documented(value=("int", "The value in bytes, or a number."))
def deviceSetLimit(limit, value):
    """Sets a limit of the current device."""
    _call("cuCtxSetLimit", limit, value)


@_documented()
def deviceEnablePeerAccess(peerDevice):
    """Lets the current device access memory of another one. The session enables this access by
    itself where operations need it."""
    _call("cuCtxEnablePeerAccess", _context(peerDevice), 0)


@_documented()
def deviceDisablePeerAccess(peerDevice):
    """Ends the access of the current device to memory of another one. Operations on arrays that
    use the access then fail."""
    _call("cuCtxDisablePeerAccess", _context(peerDevice))


# The names of properties, and of the attributes with their values.
_PROPERTIES = {
    "multiProcessorCount": "MultiProcessorCount",
    "warpSize": "WarpSize",
    "major": "ComputeCapabilityMajor",
    "minor": "ComputeCapabilityMinor",
    "maxThreadsPerBlock": "MaxThreadsPerBlock",
    "maxThreadsPerMultiProcessor": "MaxThreadsPerMultiProcessor",
    "sharedMemPerBlock": "MaxSharedMemoryPerBlock",
    "sharedMemPerBlockOptin": "MaxSharedMemoryPerBlockOptin",
    "sharedMemPerMultiprocessor": "MaxSharedMemoryPerMultiprocessor",
    "regsPerBlock": "MaxRegistersPerBlock",
    "regsPerMultiprocessor": "MaxRegistersPerMultiprocessor",
    "totalConstMem": "TotalConstantMemory",
    "memPitch": "MaxPitch",
    "clockRate": "ClockRate",
    "memoryClockRate": "MemoryClockRate",
    "memoryBusWidth": "GlobalMemoryBusWidth",
    "l2CacheSize": "L2CacheSize",
    "pciBusID": "PciBusId",
    "pciDeviceID": "PciDeviceId",
    "pciDomainID": "PciDomainId",
    "asyncEngineCount": "AsyncEngineCount",
    "unifiedAddressing": "UnifiedAddressing",
    "managedMemory": "ManagedMemory",
    "integrated": "Integrated",
    "ECCEnabled": "EccEnabled",
    "concurrentKernels": "ConcurrentKernels",
    "cooperativeLaunch": "CooperativeLaunch",
}


def getDeviceProperties(device):
    """The name, the memory and other properties of a device."""
    _, _, limit, _, _ = _at(device)
    gpus = _phalanx._gpus()
    if not gpus:
        return {
            "name": f"cpu:{device}".encode(),
            "totalGlobalMem": memGetInfo()[1] if limit is None else limit,
            "multiProcessorCount": 1,
            "warpSize": 1,
            "major": 0,
            "minor": 0,
        }
    attributes = _phalanx._gpu_attributes(device)
    properties = {
        name: attributes[attribute]
        for name, attribute in _PROPERTIES.items()
        if attribute in attributes
    }
    properties["name"] = gpus[device][1].encode()
    properties["totalGlobalMem"] = _phalanx._gpu_memory(device)[1]
    for name, letter in ("maxThreadsDim", "MaxBlockDim"), ("maxGridSize", "MaxGridDim"):
        properties[name] = tuple(attributes.get(letter + axis, 0) for axis in "XYZ")
    return properties


def runtimeGetVersion():
    """As ``driverGetVersion``: the runtime library is not used."""
    return driverGetVersion()


def driverGetVersion():
    """The version of CUDA that the driver supports, 13000 for 13.0; 0 on a CPU."""
    _phalanx._gpus()
    return _phalanx._driver_version()


def profilerStart():
    """Starts recording by profilers that wait for it."""
    _phalanx._profile(True)


def profilerStop():
    """Stops recording by profilers."""
    _phalanx._profile(False)
