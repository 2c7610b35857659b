"""Handles of CUDA's libraries for programs that call them by pointer: attributes of
``phalanx.cuda.Device``, and functions of ``phalanx.cuda.device``.

Each thread has its own handle of a library on a device. Its work is in the order of the stream that
is current when the handle is asked for: work of arrays that was recorded before runs before it.
"""

import threading as _threading

from . import _cuda_streams as _streams
from . import _phalanx


class Handle:
    """The address of a library's handle, and the function that destroys it; the handle itself is
    destroyed when this is dropped."""

    def __init__(self, handle, destroy_func=None):
        self.handle, self._destroy = int(handle), destroy_func

    def __int__(self):
        return self.handle

    def __del__(self):
        if self._destroy is not None and self.handle:
            self._destroy(self.handle)


class _Made(_threading.local):
    """The handles of a thread, by session, device and kind."""

    def __init__(self):
        self.handles = {}


_made = _Made()


def handle(kind, device):
    """The address of the handle of a kind on a device; 0 on a CPU. Collective: all recorded
    operations are handed to the devices first."""
    if not _phalanx._gpus():
        return 0
    key = (_phalanx._session_number(), device, kind)
    made = _made.handles.get(key)
    if made is None:
        # Handles of sessions that have ended are dropped with their devices.
        _made.handles = {known: one for known, one in _made.handles.items() if known[0] == key[0]}
        made = _made.handles[key] = _phalanx._LibraryHandle(device, kind)
    stream = _streams.get_current_stream()
    stream._take()
    made.set_stream(stream.ptr)
    return made.ptr


def _getter(kind, title):
    def get():
        return handle(kind, _streams._current.device)

    get.__doc__ = f"""The address of the thread's handle of {title}.

    It is that of the current device, and its work is in the current stream.

    Returns
    -------
    int
        The address; 0 on a CPU.

    Raises
    ------
    RuntimeError
        The library is not found.

    Notes
    -----
    Collective: all recorded operations are handed to the devices first.
    """
    return get


get_cublas_handle = _getter("blas", "cuBLAS")
get_cusolver_handle = _getter("dense solver", "cuSOLVER for dense matrices")
get_cusolver_sp_handle = _getter("sparse solver", "cuSOLVER for sparse matrices")
get_cusparse_handle = _getter("sparse", "cuSPARSE")
get_cutensor_handle = _getter("tensors", "cuTENSOR, where it is installed")
get_cudnn_handle = _getter("networks", "cuDNN, where it is installed")
for _name, _function in list(globals().items()):
    if _name.startswith("get_"):
        _function.__name__ = _function.__qualname__ = _name
