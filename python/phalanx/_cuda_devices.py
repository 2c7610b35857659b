"""Functions of CuPy's module ``cuda.device``."""

from . import _phalanx
from ._cuda_documented import documented as _documented
from ._cuda_driver_calls import address as _address


@_documented("Device", "The device; the current one on CPUs.")
def from_pointer(ptr):
    """The device of memory at an address."""
    from . import _cuda_runtime as runtime
    from .cuda import Device

    if not _phalanx._gpus():
        return Device()
    device = runtime.pointerGetAttributes(ptr).device
    if device < 0:
        raise runtime.CUDARuntimeError(
            f"cudaErrorInvalidValue: there is no memory of a device at {_address(ptr):#x}"
        )
    return Device(device)


@_documented("str", 'The capability: ``"90"`` for 9.0.')
def get_compute_capability():
    """The compute capability of the current GPU."""
    from .cuda import Device

    return Device().compute_capability
