"""The most used functions of ``cupy.cuda.runtime``, for this process's devices."""

from . import _cuda_streams as _streams
from . import _phalanx

is_hip = False
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4
eventDefault, eventBlockingSync, eventDisableTiming = range(3)
streamDefault, streamNonBlocking = range(2)
streamLegacy, streamPerThread = 1, 2


class CUDARuntimeError(RuntimeError):
    """An error of the runtime."""


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
    _phalanx._synchronize()
    for device, _ in enumerate(_phalanx._gpus()):
        _phalanx._synchronize_gpu(device)


def streamSynchronize(stream):
    """Waits until all recorded operations, and the work in a stream, have run. Collective."""
    if _phalanx._gpus():
        _phalanx._hand_over()
        native = _streams._native(stream)
        native.follow()
        native.synchronize()
    else:
        _phalanx._synchronize()


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


def deviceGetAttribute(attribute, device):
    """An attribute of a GPU by its name, such as ``"MultiProcessorCount"``."""
    _at(device)
    try:
        return _phalanx._gpu_attributes(device)[attribute]
    except (KeyError, ValueError):
        raise CUDARuntimeError(
            f"cudaErrorInvalidValue: device {device} has no attribute {attribute!r}"
        ) from None


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
