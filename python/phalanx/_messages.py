"""Messages between two processes, beside the operations that all take together.

Each process listens on the address on which it accepts the connections of the world, and connections
prove to know the secret of the world. A thread for each connection takes in what
comes, so that nobody waits who sends.
"""

import atexit
import hmac
import ipaddress
import os
import queue
import socket
import threading
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge

import numpy

from . import _phalanx
from ._phalanx import _refusal

# Room for an address, in what processes tell each other.
_ADDRESS = 300
# Seconds after which a waiting program looks for interrupts.
_LOOK = 0.1


class Messages:
    """The messages of one process of a group."""

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
        # A process that listens everywhere is found by its machine's name.
        name = socket.gethostname() if ipaddress.ip_address(host).is_unspecified else host
        own = f"{name}|{self._listener.getsockname()[1]}".encode().ljust(_ADDRESS)
        told = group._gathered(numpy.frombuffer(own, "u1"))
        told = [row.tobytes().decode().strip() for row in told]
        self._addresses = [(name, int(port)) for name, _, port in (t.rpartition("|") for t in told)]
        threading.Thread(target=self._accept, name="phalanx messages", daemon=True).start()
        # Before the session ends, which waits for the others: they may wait for a message.
        atexit.register(self.stop)

    def _accept(self):
        while True:
            try:
                arrived, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._take_in, args=(arrived,), daemon=True).start()

    def _take_in(self, arrived):
        try:
            connection = self._wrapped(arrived)
        except OSError:
            return
        try:
            deliver_challenge(connection, self._secret)
            answer_challenge(connection, self._secret)
            inbox = self._inboxes[int.from_bytes(connection.recv_bytes(8), "little")]
        except (EOFError, OSError, AuthenticationError, IndexError):
            # A stranger, who is let in no further.
            connection.close()
            return
        try:
            while True:
                kind = connection.recv_bytes(64).decode()
                inbox.put((kind, connection.recv_bytes()))
        except (EOFError, OSError):
            inbox.put(None)

    def _wrapped(self, connected):
        """A connection over a socket, by which it is ended."""
        with self._lock:
            if self._is_stopped:
                # It came while the others were closed, and nobody would close it.
                connected.close()
                raise _refusal(
                    ConnectionAbortedError,
                    "message",
                    "the messages of this process have ended",
                )
            self._sockets.append(connected)
        return Connection(os.dup(connected.fileno()))

    def _connection(self, peer):
        if peer not in self._outgoing:
            connection = self._wrapped(socket.create_connection(self._addresses[peer]))
            answer_challenge(connection, self._secret)
            deliver_challenge(connection, self._secret)
            connection.send_bytes(self._rank.to_bytes(8, "little"))
            self._outgoing[peer] = connection
        return self._outgoing[peer]

    def send(self, array, peer):
        """Sends an array of NumPy."""
        array = numpy.ascontiguousarray(array)
        try:
            connection = self._connection(peer)
        except (EOFError, OSError) as error:
            raise _refusal(
                ConnectionError,
                "message",
                f"process {peer} has ended, or cannot be reached",
            ) from error
        connection.send_bytes(array.dtype.str.encode())
        connection.send_bytes(array.tobytes())

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
        """What comes next from a process; None if it ends."""
        # That is noticed by a connection to it, on which nothing is said but the end.
        try:
            connection = self._connection(peer)
        except (EOFError, OSError):
            return self._last(peer)
        while True:
            try:
                return self._inboxes[peer].get(timeout=_LOOK)
            except queue.Empty:
                if connection.poll():
                    return self._last(peer)

    def _last(self, peer):
        """What has come before a process ended."""
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
                # A thread that waits for it keeps what is only closed.
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The other end was faster.
                pass
            one.close()
        self._sockets.clear()
        self._outgoing.clear()

