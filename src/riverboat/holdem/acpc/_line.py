"""Lines over a TCP connection: whatever the packets, whole lines in and out, with deadlines."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Sequence
from typing import Protocol

from riverboat.holdem.acpc._messages import MAX_LINE


class Connection(Protocol):
    """What the dealer and the player need of a peer; a test may put a script in its place."""

    def send(self, line: str) -> None:
        """Send a line; ConnectionError if the peer is gone."""

    def receive(self, timeout: float | None) -> str | None:
        """The next line without its end; None when the time is up; ConnectionError at the end."""

    def close(self) -> None: ...


class LineSocket:
    """A Connection over a connected socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self._buffer = b""
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, line: str) -> None:
        try:
            # A peer that does not read must not stop the others.
            self.socket.settimeout(5)
            self.socket.sendall(line.encode("ascii", "replace") + b"\r\n")
        except OSError as error:
            raise ConnectionError(str(error)) from error

    def receive(self, timeout: float | None) -> str | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (line := self.buffered()) is None:
            remaining = None if deadline is None else deadline - time.monotonic()
            if remaining is not None and remaining <= 0:
                return None
            try:
                self.socket.settimeout(remaining)
                self.fill()
            except TimeoutError:
                return None
        return line

    def fill(self) -> None:
        """Take in what has arrived."""
        try:
            data = self.socket.recv(65536)
        except TimeoutError:
            raise
        except OSError as error:
            raise ConnectionError(str(error)) from error
        if not data:
            raise ConnectionError("closed by the other side")
        self._buffer += data
        if b"\n" not in self._buffer and len(self._buffer) > MAX_LINE:
            raise ConnectionError(f"a line of more than {MAX_LINE} characters")

    def buffered(self) -> str | None:
        """The next line that has arrived in full."""
        line, end, rest = self._buffer.partition(b"\n")
        if not end:
            return None
        self._buffer = rest
        return line.decode("ascii", "replace").rstrip("\r")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.close()


def dismiss(connections: Sequence[LineSocket], seconds: float = 1.0) -> None:
    """End all connections, so that each peer reads the last lines and then the end.

    Closing while something a peer sent lies unread would reset its connection instead. Peers have
    these seconds together to hang up themselves.
    """
    deadline = time.monotonic() + seconds
    for connection in connections:
        with contextlib.suppress(OSError):
            connection.socket.shutdown(socket.SHUT_WR)
    for connection in connections:
        with contextlib.suppress(OSError):
            while (remaining := deadline - time.monotonic()) > 0:
                connection.socket.settimeout(remaining)
                if not connection.socket.recv(65536):
                    break
        connection.close()
