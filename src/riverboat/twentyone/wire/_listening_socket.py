"""The listening socket of a twenty-one host: the port, and what a new connection is set up with."""

from __future__ import annotations

import contextlib
import errno
import socket
import sys
from collections.abc import Iterator

from riverboat.errors import UsageError
from riverboat.twentyone.wire.codec import QUIT

BACKLOG = 4096  # Connections that may wait to be accepted; the system may allow fewer
IDLE, BETWEEN, TRIES = 20, 5, 4
"""Seconds of silence before the system asks whether a peer still lives, then how often."""
_CROWDED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class CrowdedError(Exception):
    """The system has no file descriptor left for another connection."""


def ask_for_descriptors(wanted: int) -> int:
    """How many files and sockets this process may have open, raised as far as it may."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    most = wanted if hard == unlimited else min(wanted, hard)
    if soft != unlimited and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            return most
    return wanted if soft == unlimited else soft


class ListeningSocket:
    """A listening socket, not blocking."""

    def __init__(self, host: str, port: int) -> None:
        try:
            family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            self.sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self.sock.bind(address)
                self.sock.listen(BACKLOG)
            except BaseException:
                self.sock.close()
                raise
        except (OSError, OverflowError, UnicodeError, TypeError) as error:
            reason = str(getattr(error, "strerror", None) or error or "unknown error").lower()
            raise UsageError(
                f"Cannot listen on {host}:{port}: {reason}; choose another address or port."
            ) from error
        self.sock.setblocking(False)
        self.port = int(self.sock.getsockname()[1])

    def accept(self, most: int) -> Iterator[tuple[socket.socket, str]]:
        """Up to `most` waiting connections and their addresses; CrowdedError if none can enter."""
        for _ in range(most):
            try:
                sock, address = self.sock.accept()
            except OSError as error:
                if error.errno in _CROWDED:
                    raise CrowdedError from error
                if error.errno == errno.ECONNABORTED:
                    continue
                return
            with contextlib.suppress(OSError):
                _set_up(sock)
            yield sock, f"{address[0]}:{address[1]}"

    def close(self) -> None:
        self.sock.close()


def _set_up(sock: socket.socket) -> None:
    """No delays, and a peer whose machine has died is noticed though it never said goodbye."""
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "linux":
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, IDLE)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, BETWEEN)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, TRIES)
        unacknowledged = 1000 * (IDLE + BETWEEN * TRIES)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, unacknowledged)


def turn_away(sock: socket.socket) -> None:
    """Say QUIT. What the peer has sent is read: with it unread the system would drop the QUIT."""
    with contextlib.suppress(OSError):
        sock.recv(65_536)
    with contextlib.suppress(OSError):
        sock.send(QUIT)
        sock.shutdown(socket.SHUT_WR)
