"""CuPy's cuda module: devices, streams, events, memory and profilers of the session's GPUs.

On CPUs, queries work, there is nothing to order, and all memory is the host's. The devices of this
process are numbered from 0, whatever their CUDA ordinals are.
"""

import contextlib as _contextlib
import sys as _sys

from . import _cuda_compiler as compiler
from . import _cuda_cub as cub
from . import _cuda_driver as driver
from . import _cuda_function as function
from . import _cuda_graphs as _graphs
from . import _cuda_handles as _handles
from . import _cuda_memory as _memory
from . import _cuda_nvrtc_calls as nvrtc
from . import _cuda_nvtx as nvtx
from . import _cuda_profiler as profiler
from . import _cuda_runtime as runtime
from . import _cuda_streams as _streams
from . import _cuda_texture as texture
from . import _cuda_thrust as thrust
from . import _phalanx
from ._cuda_function import Function as Function, Module as Module
from . import _cuda_memory_hooks as memory_hook
from ._cuda_allocators import (
    CFunctionAllocator as CFunctionAllocator,
    MemoryAsyncPool as MemoryAsyncPool,
    MemoryPool as MemoryPool,
    PythonFunctionAllocator as PythonFunctionAllocator,
    alloc as alloc,
    get_allocator as get_allocator,
    get_default_memory_pool as get_default_memory_pool,
    malloc_async as malloc_async,
    malloc_managed as malloc_managed,
    pluggable_allocator as pluggable_allocator,
    set_allocator as set_allocator,
    using_allocator as using_allocator,
)
from ._cuda_devices import (
    from_pointer as from_pointer,
    get_compute_capability as get_compute_capability,
)
from ._cuda_memory import (
    BaseMemory as BaseMemory,
    ManagedMemory as ManagedMemory,
    Memory as Memory,
    MemoryAsync as MemoryAsync,
    MemoryPointer as MemoryPointer,
    PinnedMemory as PinnedMemory,
    PinnedMemoryPointer as PinnedMemoryPointer,
    PinnedMemoryPool as PinnedMemoryPool,
    UnownedMemory as UnownedMemory,
    alloc_pinned_memory as alloc_pinned_memory,
    get_default_pinned_memory_pool as get_default_pinned_memory_pool,
    set_pinned_memory_allocator as set_pinned_memory_allocator,
)
from ._cuda_graphs import Graph as Graph
from ._cuda_handles import (
    Handle as Handle,
    get_cublas_handle as get_cublas_handle,
    get_cudnn_handle as get_cudnn_handle,
    get_cusolver_handle as get_cusolver_handle,
    get_cusolver_sp_handle as get_cusolver_sp_handle,
    get_cusparse_handle as get_cusparse_handle,
    get_cutensor_handle as get_cutensor_handle,
)
from ._cuda_memory_hooks import MemoryHook as MemoryHook
from ._cuda_streams import (
    Event as Event,
    ExternalStream as ExternalStream,
    Stream as Stream,
    get_current_stream as get_current_stream,
    get_elapsed_time as get_elapsed_time,
)
from ._cuda_toolkit import (
    get_hipcc_path as get_hipcc_path,
    get_local_runtime_version as get_local_runtime_version,
    get_nvcc_path as get_nvcc_path,
    get_rocm_path as get_rocm_path,
)
from ._raw import shard as shard
from ._documentation import describe as _describe

# CuPy has these names in modules of their own.
stream, device = _streams, _sys.modules[__name__]
graph = _graphs
memory = pinned_memory = _memory
memory_hooks = memory_hook
# The modules are importable by their paths, too, as if this were a package.
for _name in (
    "compiler function runtime nvtx profiler stream device memory pinned_memory memory_hook "
    "memory_hooks driver texture graph nvrtc cub thrust"
).split():
    _sys.modules[f"phalanx.cuda.{_name}"] = globals()[_name]


def is_available():
    """Whether the session uses GPUs, or a session that started now would. The call starts no
    session."""
    return _phalanx._gpu_count() > 0


class Device:
    """A device of this process. Its ``with`` block, or ``use``, makes it current in the thread: new
    streams, events and memory belong to it. Operations on arrays still run on all devices."""

    def __init__(self, device=None):
        self.id = _streams._current.device if device is None else int(device)
        count = _phalanx._device_count()
        if not 0 <= self.id < count:
            gpus = "devices, of which none is a GPU" if _phalanx._gpu_count() == 0 else "GPUs"
            raise runtime.CUDARuntimeError(
                f"cudaErrorInvalidDevice: there is no device {self.id}: this process has {count} "
                f"{gpus}"
            )
        self._before = []

    def __int__(self):
        return self.id

    __index__ = __int__

    def __eq__(self, other):
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self):
        return hash(("phalanx.cuda.Device", self.id))

    def __repr__(self):
        gpus = _phalanx._gpus() if is_available() else []
        name = f"cuda:{gpus[self.id][0]} {gpus[self.id][1]}" if gpus else "cpu"
        return f"<Device {self.id}: {name}>"

    @property
    def mem_info(self):
        """The free and the total bytes of memory."""
        with self:
            return runtime.memGetInfo()

    @property
    def compute_capability(self):
        """The compute capability of a GPU: ``"90"`` for 9.0."""
        gpus = _phalanx._gpus()
        if not gpus:
            raise runtime.CUDARuntimeError("cudaErrorNoDevice: the devices of the session are CPUs")
        return str(gpus[self.id][2])

    @property
    def attributes(self):
        """The attributes of a GPU by their names, such as ``"MultiProcessorCount"``; empty for a
        CPU."""
        return _phalanx._gpu_attributes(self.id) if _phalanx._gpus() else {}

    @property
    def cublas_handle(self):
        """The address of the thread's handle of cuBLAS, whose work is in the current stream; 0 on a
        CPU. Collective."""
        return _handles.handle("blas", self.id)

    @property
    def cusolver_handle(self):
        """As ``cublas_handle``, of cuSOLVER for dense matrices."""
        return _handles.handle("dense solver", self.id)

    @property
    def cusolver_sp_handle(self):
        """As ``cublas_handle``, of cuSOLVER for sparse matrices."""
        return _handles.handle("sparse solver", self.id)

    @property
    def cusparse_handle(self):
        """As ``cublas_handle``, of cuSPARSE."""
        return _handles.handle("sparse", self.id)

    @property
    def cutensor_handle(self):
        """As ``cublas_handle``, of cuTENSOR, where it is installed."""
        return _handles.handle("tensors", self.id)

    @property
    def pci_bus_id(self):
        """The PCI bus address of a GPU: ``"0000:1b:00.0"``."""
        of = self.attributes
        if not of:
            raise runtime.CUDARuntimeError("cudaErrorNoDevice: the devices of the session are CPUs")
        return f"{of['PciDomainId']:04X}:{of['PciBusId']:02X}:{of['PciDeviceId']:02X}.0"

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id):
        """The GPU of this process at a PCI bus address."""
        for number, _ in enumerate(_phalanx._gpus()):
            if cls(number).pci_bus_id.lower() == str(pci_bus_id).lower():
                return cls(number)
        raise runtime.CUDARuntimeError(
            f"cudaErrorInvalidValue: this process has no GPU at {pci_bus_id}"
        )

    def __enter__(self):
        self._before.append(_streams._current.device)
        return self.use()

    def __exit__(self, *exception):
        _streams._current.device = self._before.pop()
        return False

    def use(self):
        """Makes the device current in this thread."""
        _streams._current.device = self.id
        return self

    def synchronize(self):
        """Waits until all recorded operations, and all other work of the process on the GPU, have
        run. Collective."""
        _streams._run_all()
        if _phalanx._gpus():
            _phalanx._synchronize_gpu(self.id)


class ArrayDevice(str):
    """The value of ``x.device``: ``'cuda'`` on GPUs, else ``'cpu'``, as programs for any array
    library expect.

    For programs of CuPy it has the attributes of the device that is current in the thread: arrays
    are on all devices of the session.
    """

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(Device(), name)

    def __int__(self):
        return int(Device())

    __index__ = __int__

    def __enter__(self):
        Device().__enter__()
        return self

    def __exit__(self, *exception):
        return False

    def __reduce__(self):
        return str, (str(self),)


@_contextlib.contextmanager
def profile():
    """A context manager: CUDA's profilers record its ``with`` block, with ``nsys profile -c
    cudaProfilerApi``."""
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()


def get_device_id():
    """The number of the device that is current in this thread."""
    return _streams._current.device


def get_cuda_path():
    """The folder of the CUDA installation; ``phalanx info`` lists where each library was found."""
    import os

    path = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    return path if is_available() and os.path.isdir(path) else None


_describe(__name__)
_describe(runtime.__name__, "phalanx.cuda.runtime")
