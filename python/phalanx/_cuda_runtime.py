"""The functions of ``cupy.cuda.runtime`` that programs ask most, of this process's devices."""

from . import _phalanx

is_hip = False
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4


class CUDARuntimeError(RuntimeError):
    """An error of the runtime."""


def _at(device):
    memory = _phalanx._device_memory()
    if not 0 <= device < len(memory):
        raise CUDARuntimeError(f"cudaErrorInvalidDevice: there are {len(memory)} devices")
    return memory[device]


def getDeviceCount():
    """How many devices this process has."""
    return len(_phalanx._device_memory())


def getDevice():
    """The first: operations are of all devices."""
    return 0


def setDevice(device):
    """Operations stay those of all devices."""
    _at(device)


def deviceSynchronize():
    """Starts what is recorded. Reading a value waits for it."""
    _phalanx.flush()


def streamSynchronize(stream):
    """As ``deviceSynchronize``."""
    _phalanx.flush()


def memGetInfo():
    """Bytes that are free, and all: those of the first device's limit, or of the machine."""
    used, _, limit = _at(0)
    if limit is None:
        import os

        page = os.sysconf("SC_PAGE_SIZE")
        return os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page
    return max(limit - used, 0), limit


def getDeviceProperties(device):
    """The name and the memory of a device."""
    _, _, limit = _at(device)
    return {
        "name": f"cpu:{device}".encode(),
        "totalGlobalMem": memGetInfo()[1] if limit is None else limit,
        "multiProcessorCount": 1,
        "warpSize": 1,
        "major": 0,
        "minor": 0,
    }


def runtimeGetVersion():
    """No version of CUDA."""
    return 0


driverGetVersion = runtimeGetVersion
