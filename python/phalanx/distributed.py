"""Collectives on what each process holds, with the names of cupyx.distributed.

Arrays are those of a ``with phalanx.local():`` block, which belong to this process, or arrays of
NumPy. Every process calls each function in the same order. Programs seldom need this: arrays outside
of such a block are global already.
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
    """Writes elements of the host into an array of this process, which is of the dtype of the
    array that a process gave, if that is told."""
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
        """What all processes hold, joined along a new first axis: a global array."""
        return _phalanx.from_local(_host(array)[None])

    def _gathered(self, array, op=None, row=None):
        """What all processes hold, combined, or one process's, on the host. Whatever mesh is
        current, this is done by all processes together."""
        with _phalanx._world():
            stacked = self._stacked(array)
            if op is not None:
                stacked = _combined(stacked, op)
            return (stacked if row is None else stacked[row]).get()

    def all_reduce(self, in_array, out_array, op="sum", stream=None):
        """The combination of all processes' arrays, for all."""
        _write(out_array, self._gathered(in_array, op), in_array.dtype)

    def reduce(self, in_array, out_array, root=0, op="sum", stream=None):
        """The combination of all processes' arrays, for one."""
        value = self._gathered(in_array, op)
        if self.rank == root:
            _write(out_array, value, in_array.dtype)

    def broadcast(self, in_out_array, root=0, stream=None):
        """One process's array, for all."""
        _write(in_out_array, self._gathered(in_out_array, row=root))

    def reduce_scatter(self, in_array, out_array, count=None, op="sum", stream=None):
        """The combination of all processes' arrays, a part for each."""
        value = self._gathered(in_array, op)
        rows = value.reshape((self.size, -1) if count is None else (self.size, count))
        _write(out_array, rows[self.rank], in_array.dtype)

    def all_gather(self, in_array, out_array, count=None, stream=None):
        """All processes' arrays one after the other, for all."""
        _write(out_array, self._gathered(in_array), in_array.dtype)

    def gather(self, in_array, out_array, root=0, stream=None):
        """All processes' arrays one after the other, for one."""
        value = self._gathered(in_array)
        if self.rank == root:
            _write(out_array, value, in_array.dtype)

    def scatter(self, in_array, out_array, root=0, stream=None):
        """The rows of one process's array, one for each."""
        _write(out_array, self._gathered(in_array, row=root)[self.rank], in_array.dtype)

    def all_to_all(self, in_array, out_array, stream=None):
        """Row ``j`` of process ``i`` becomes row ``i`` of process ``j``."""
        _write(out_array, self._gathered(in_array)[:, self.rank], in_array.dtype)

    def barrier(self):
        """Returns when all processes have called it."""
        agree()

    def send(self, array, peer, stream=None):
        """Sends an array of this process to another one; does not wait until it is received.

        The array is one of NumPy or of a ``with phalanx.local():`` block.
        """
        self._messages.send(_host(array), self._other(peer))

    def recv(self, out_array, peer, stream=None):
        """Waits for an array that another process has sent, in the order in which it sends them.

        Raises ``ConnectionError`` if that process ends, and ``ValueError`` if what it has sent is of
        another size or dtype.
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
        # The peers differ by process, and operations may not.
        _write(out_array, self._gathered(in_array)[peer], in_array.dtype)

    def stop(self):
        """Ends what sends and receives; the session ends with the program."""
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
    """The group of all processes. CuPy's arguments are checked: the launcher has decided them."""
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
