"""Collectives on arrays of single processes, with the names of cupyx.distributed.

The arrays are NumPy arrays, or arrays made inside of ``with phalanx.local():``, which belong to
this process. Every process calls each function in the same order. Programs seldom need this module:
arrays made outside of such a ``with`` block are global already.
"""

from . import _phalanx
from ._documentation import describe as _describe
from ._phalanx import _refusal
from ._messages import Messages as _Messages
from ._phalanx import agree as agree

_OPERATIONS = {
    "sum": lambda x: x.sum(axis=0),
    "prod": lambda x: x.prod(axis=0),
    "min": lambda x: x.min(axis=0),
    "max": lambda x: x.max(axis=0),
}


def _host(array):
    return array.get() if isinstance(array, _phalanx.ndarray) else array


def _write(out, value, dtype=None):
    """Writes elements on the host into an array of this process. The array must have the dtype
    `dtype`, if one is given."""
    if dtype is not None and out.dtype != dtype:
        raise _refusal(
            ValueError,
            "value",
            f"out_array is of {out.dtype}, and in_array of {dtype}: both are of one dtype",
        )
    if isinstance(out, _phalanx.ndarray):
        out.set(value.reshape(out.shape).astype(out.dtype))
    else:
        out[...] = value.reshape(out.shape)


class ProcessGroup:
    """All processes of the world."""

    def __init__(self):
        self.rank = _phalanx.rank()
        self.size = _phalanx.size()
        self._messages = _Messages(self)

    def _stacked(self, array):
        """The arrays of all processes, joined along a new first axis: a global array."""
        return _phalanx.from_local(_host(array)[None])

    def _gathered(self, array, op=None, row=None):
        """The arrays of all processes on the host: combined by `op`, or only that of process `row`.
        All processes take part, whatever mesh is current."""
        with _phalanx._world():
            stacked = self._stacked(array)
            if op is not None:
                stacked = _combined(stacked, op)
            return (stacked if row is None else stacked[row]).get()

    def all_reduce(self, in_array, out_array, op="sum", stream=None):
        """Combines the arrays of all processes; every process receives the result."""
        _write(out_array, self._gathered(in_array, op), in_array.dtype)

    def reduce(self, in_array, out_array, root=0, op="sum", stream=None):
        """Combines the arrays of all processes; one process receives the result."""
        value = self._gathered(in_array, op)
        if self.rank == root:
            _write(out_array, value, in_array.dtype)

    def broadcast(self, in_out_array, root=0, stream=None):
        """Sends the array of one process to all."""
        _write(in_out_array, self._gathered(in_out_array, row=root))

    def reduce_scatter(self, in_array, out_array, count=None, op="sum", stream=None):
        """Combines the arrays of all processes; every process receives a part of the result."""
        value = self._gathered(in_array, op)
        rows = value.reshape((self.size, -1) if count is None else (self.size, count))
        _write(out_array, rows[self.rank], in_array.dtype)

    def all_gather(self, in_array, out_array, count=None, stream=None):
        """Joins the arrays of all processes; every process receives the result."""
        _write(out_array, self._gathered(in_array), in_array.dtype)

    def gather(self, in_array, out_array, root=0, stream=None):
        """Joins the arrays of all processes; one process receives the result."""
        value = self._gathered(in_array)
        if self.rank == root:
            _write(out_array, value, in_array.dtype)

    def scatter(self, in_array, out_array, root=0, stream=None):
        """Sends row ``i`` of one process's array to process ``i``."""
        _write(out_array, self._gathered(in_array, row=root)[self.rank], in_array.dtype)

    def all_to_all(self, in_array, out_array, stream=None):
        """Row ``j`` of process ``i`` becomes row ``i`` of process ``j``."""
        _write(out_array, self._gathered(in_array)[:, self.rank], in_array.dtype)

    def barrier(self):
        """Waits until all processes have called it."""
        agree()

    def send(self, array, peer, stream=None):
        """Sends an array of this process to another process, without waiting until it is received.

        The array is a NumPy array, or one made inside of ``with phalanx.local():``.
        """
        self._messages.send(_host(array), self._other(peer))

    def recv(self, out_array, peer, stream=None):
        """Receives the next array that another process sends to this one, in the order of the
        calls.

        Raises ``ConnectionError`` if that process ends, and ``ValueError`` if the array has another
        size or dtype.
        """
        _write(out_array, self._messages.receive(out_array.shape, out_array.dtype, self._other(peer)))

    def _other(self, peer):
        if not 0 <= peer < self.size or peer == self.rank:
            raise _refusal(
                ValueError,
                "value",
                f"peer is {peer}, and not another of {self.size} processes",
            )
        return peer

    def send_recv(self, in_array, out_array, peer, stream=None):
        """Exchanges arrays with another process; all processes call it, in pairs."""
        # The peers differ between processes, while recorded operations must be equal.
        _write(out_array, self._gathered(in_array)[peer], in_array.dtype)

    def stop(self):
        """Closes the connections of `send` and `recv`; the session ends with the program."""
        self._messages.stop()


def _combined(stacked, op):
    if op not in _OPERATIONS:
        raise _refusal(
            ValueError,
            "choice",
            f"op can be {', '.join(map(repr, _OPERATIONS))}, not {op!r}",
        )
    return _OPERATIONS[op](stacked)


def init_process_group(n_devices=None, rank=None, *, backend=None, host=None, port=None,
                       use_mpi=False):
    """The communicator group of all processes. CuPy's arguments are only checked, because the
    launcher has set them."""
    size, own = _phalanx.size(), _phalanx.rank()
    if n_devices not in (None, size):
        raise _refusal(
            ValueError,
            "value",
            f"n_devices is {n_devices}, but {size} processes were started",
        )
    if rank not in (None, own):
        raise _refusal(ValueError, "value", f"rank is {rank}, but this is process {own}")
    return ProcessGroup()


_describe(__name__)
