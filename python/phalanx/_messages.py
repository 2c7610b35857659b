"""Messages between two processes, besides the operations that all processes take part in.

Each process listens on the address on which it accepts the connections of the world. A connecting
process must prove that it has the secret of the world. A thread for each connection receives
messages, so that a sender does not wait. A process that does wait, for a message or for a peer that
accepts no bytes, checks the world meanwhile: when the world ends, so does the wait.
"""

import atexit
import hmac
import ipaddress
import os
import queue
import select
import socket
import struct
import threading
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge

import numpy

from . import _phalanx
from ._phalanx import _refusal

# The bytes of an address in the exchange of addresses.
_ADDRESS = 300
# The seconds between two checks of a waiting program for interrupts and for the end of the world.
_LOOK = 0.1
# The header of a message: the lengths of its dtype's name and of its content.
_HEADER = struct.Struct("<HQ")


class _Watched(Connection):
    """A connection that checks the world while its peer is silent."""

    def recv_bytes(self, maxlength=None):
        while not self.poll(_LOOK):
            _phalanx._check_world()
        return super().recv_bytes(maxlength)


class Messages:
    """The messages of one process of a communicator group."""

    def __init__(self, group):
        self._rank = group.rank
        self._inboxes = [queue.SimpleQueue() for _ in range(group.size)]
        self._outgoing = {}
        self._sockets = []
        self._is_stopped = False
        self._lock = threading.Lock()
        self._listener = None
        if group.size == 1:
            return
        host, token = _phalanx._meeting()
        self._secret = hmac.digest(token, b"phalanx messages", "sha256")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family, backlog=group.size)
        # A process that listens on all addresses is found by its host name.
        name = socket.gethostname() if ipaddress.ip_address(host).is_unspecified else host
        own = f"{name}|{self._listener.getsockname()[1]}".encode().ljust(_ADDRESS)
        texts = group._gathered(numpy.frombuffer(own, "u1"))
        pairs = [row.tobytes().decode().strip().rpartition("|") for row in texts]
        self._addresses = [(name, int(port)) for name, _, port in pairs]
        threading.Thread(target=self._accept, name="phalanx messages", daemon=True).start()
        # Runs before the end of the session, which waits for the others: they may wait for a
        # message.
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self._leave_behind)

    def _accept(self):
        while True:
            try:
                arrived, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._take_in, args=(arrived,), daemon=True).start()

    def _take_in(self, arrived):
        try:
            self._keep(arrived)
        except OSError:
            return
        connection = Connection(os.dup(arrived.fileno()))
        try:
            deliver_challenge(connection, self._secret)
            answer_challenge(connection, self._secret)
            inbox = self._inboxes[int.from_bytes(connection.recv_bytes(8), "little")]
        except (EOFError, OSError, AuthenticationError, IndexError):
            # The peer is no process of the world: its connection is closed.
            arrived.close()
            return
        finally:
            connection.close()
        try:
            with arrived.makefile("rb") as stream:
                while len(header := stream.read(_HEADER.size)) == _HEADER.size:
                    name, count = _HEADER.unpack(header)
                    kind, content = stream.read(name), stream.read(count)
                    if len(kind) < name or len(content) < count:
                        break
                    inbox.put((kind.decode(), content))
        except (OSError, ValueError):
            # The connection was closed meanwhile.
            pass
        inbox.put(None)

    def _keep(self, connected):
        """Records a socket, which is closed at the end."""
        with self._lock:
            if self._is_stopped:
                # The socket arrived while the others were closed, so it is closed here.
                connected.close()
                raise _refusal(
                    ConnectionAbortedError,
                    "message",
                    "the messages of this process have ended",
                )
            self._sockets.append(connected)

    def _outgoing_to(self, peer):
        """The socket to a process."""
        if peer not in self._outgoing:
            _phalanx._check_world()
            connected = socket.create_connection(self._addresses[peer])
            self._keep(connected)
            connection = _Watched(os.dup(connected.fileno()))
            try:
                answer_challenge(connection, self._secret)
                deliver_challenge(connection, self._secret)
                connection.send_bytes(self._rank.to_bytes(8, "little"))
            finally:
                connection.close()
            self._outgoing[peer] = connected
        return self._outgoing[peer]

    def send(self, array, peer):
        """Sends an array of NumPy."""
        array = numpy.ascontiguousarray(array)
        kind, content = array.dtype.str.encode(), array.tobytes()
        try:
            connected = self._outgoing_to(peer)
            _write(connected, _HEADER.pack(len(kind), len(content)) + kind)
            _write(connected, content)
        except (EOFError, OSError) as error:
            raise _refusal(
                ConnectionError,
                "message",
                f"process {peer} has ended, or cannot be reached",
            ) from error

    def receive(self, shape, dtype, peer):
        """The next array that a process sends."""
        message = self._next(peer)
        if message is None:
            raise _refusal(
                ConnectionError,
                "message",
                f"process {peer} has ended, and has sent nothing more",
            )
        kind, content = message
        dtype = numpy.dtype(dtype)
        count = int(numpy.prod(shape))
        if kind != dtype.str or len(content) != count * dtype.itemsize:
            raise _refusal(
                ValueError,
                "value",
                f"process {peer} has sent {len(content)} bytes of {kind}, and not {count} elements "
                f"of {dtype.str}",
            )
        return numpy.frombuffer(content, dtype).reshape(shape)

    def _next(self, peer):
        """The next message of a process; None if the process ends."""
        # A connection to the process shows its end, because the process sends nothing on it.
        try:
            connected = self._outgoing_to(peer)
        except (EOFError, OSError):
            return self._last(peer)
        while True:
            try:
                return self._inboxes[peer].get(timeout=_LOOK)
            except queue.Empty:
                if _is_ready(connected, select.POLLIN, 0):
                    return self._last(peer)
                _phalanx._check_world()

    def _last(self, peer):
        """The message that arrived before a process ended; None without one."""
        try:
            return self._inboxes[peer].get(timeout=1)
        except queue.Empty:
            return None

    def stop(self):
        """Closes all connections."""
        atexit.unregister(self.stop)
        with self._lock:
            self._is_stopped = True
            listener = [] if self._listener is None else [self._listener]
            sockets = [*listener, *self._sockets]
        for one in sockets:
            try:
                # `close` alone does not end the wait of a thread on the socket.
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The peer has closed it already.
                pass
            one.close()
        self._sockets.clear()
        self._outgoing.clear()

    def _leave_behind(self):
        """Closes the copies of the connections in a process that was forked from this one."""
        atexit.unregister(self.stop)
        # While a fork has copies, the peers do not see the end of this process.
        for one in [self._listener, *self._sockets]:
            number = one.detach()
            if number >= 0:
                os.close(number)
        self._sockets, self._outgoing, self._is_stopped = [], {}, True


def _is_ready(connected, event, seconds):
    """Whether a socket becomes ready to be read or written within a time."""
    # `select` does not support descriptors from 1,024 on, and a world may have more sockets.
    ready = select.poll()
    ready.register(connected, event)
    return bool(ready.poll(seconds * 1000))


def _write(connected, content):
    """Writes all bytes, and checks the world while the peer accepts none."""
    rest = memoryview(content)
    while rest:
        try:
            rest = rest[connected.send(rest, socket.MSG_DONTWAIT):]
        except BlockingIOError:
            if not _is_ready(connected, select.POLLOUT, _LOOK):
                _phalanx._check_world()

