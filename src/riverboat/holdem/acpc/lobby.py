"""Where players come to a dealer: a port for each seat, and a greeting before the first hand."""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from riverboat.errors import ParameterError, StorageError, UsageError
from riverboat.holdem.acpc import _messages as acpc
from riverboat.holdem.acpc._line import LineSocket

MAX_WAIT = 10**7  # Seconds that players are waited for at most
MAX_PENDING = 8  # Connections a seat keeps that have not said their version yet


@contextmanager
def listen(host: str, ports: Sequence[int]) -> Iterator[list[socket.socket]]:
    """A listening socket for each port; port 0 takes a free one."""
    listeners: list[socket.socket] = []
    try:
        for port in ports:
            try:
                host.encode("idna")  # the system's own error for that is none of these
                listeners.append(socket.create_server((host, port), backlog=MAX_PENDING))
            except (OSError, OverflowError, UnicodeError) as error:
                reason = str(getattr(error, "strerror", None) or error)
                reason = reason.partition(" (while ")[0]  # Python repeats the address there
                raise StorageError(f"Cannot listen on {host}:{port}: {reason.lower()}.") from error
        yield listeners
    finally:
        for listener in listeners:
            listener.close()


def seat_players(
    listeners: Sequence[socket.socket], timeout: float | None, complain: Callable[[str], None]
) -> list[LineSocket]:
    """One greeted player for each port, in the ports' order.

    The first connection of a port that says a version this dealer speaks has the seat; others are
    closed, so that a stray visitor does not spoil the match.
    """
    if timeout is not None and not 0 < timeout <= MAX_WAIT:
        raise ParameterError(f"Players are waited for 0 to {MAX_WAIT:,} seconds, not {timeout:g}.")
    deadline = None if timeout is None else time.monotonic() + timeout
    with selectors.DefaultSelector() as selector:
        lobby = _Lobby(selector, complain)
        for seat, listener in enumerate(listeners):
            selector.register(listener, selectors.EVENT_READ, (seat, None))
        try:
            while len(lobby.seated) < len(listeners):
                remaining = None if deadline is None else deadline - time.monotonic()
                if remaining is not None and remaining <= 0:
                    missing = [str(s + 1) for s in range(len(listeners)) if s not in lobby.seated]
                    raise UsageError(
                        f"No player has come to seat {', '.join(missing)} in {timeout:g} seconds."
                    )
                for key, _ in selector.select(remaining):
                    seat, line = key.data
                    if line is None:
                        lobby.welcome(listeners[seat], seat)
                    elif lobby.greeted(line, seat):
                        lobby.seated[seat] = line
        except BaseException:
            for line in lobby.seated.values():
                line.close()
            raise
        finally:
            for line in lobby.waiting:
                line.close()
    return [lobby.seated[seat] for seat in range(len(listeners))]


@dataclass
class _Lobby:
    """Connections that have come: seated, or not greeted yet."""

    selector: selectors.BaseSelector
    complain: Callable[[str], None]
    seated: dict[int, LineSocket] = field(default_factory=dict)
    waiting: dict[LineSocket, int] = field(default_factory=dict)

    def welcome(self, listener: socket.socket, seat: int) -> None:
        with contextlib.suppress(OSError):
            sock, _ = listener.accept()
            if seat in self.seated or list(self.waiting.values()).count(seat) >= MAX_PENDING:
                sock.close()
                return
            line = LineSocket(sock)
            self.waiting[line] = seat
            self.selector.register(sock, selectors.EVENT_READ, (seat, line))

    def greeted(self, line: LineSocket, seat: int) -> bool:
        """Whether a connection has just said its version; one that says other things is closed."""
        text = complaint = None
        try:
            line.fill()
            text = line.buffered()
            if text is None:
                return False
            if not acpc.is_version(text):
                why = f"{text[:40]!r} is not {acpc.VERSION}; connection closed"
                complaint = f"seat {seat + 1}: {why}"
        except OSError as error:
            complaint = f"seat {seat + 1}: left before the greeting ({error})"
        self.selector.unregister(line.socket)
        del self.waiting[line]
        if complaint is None and seat not in self.seated:
            if text and text != acpc.VERSION:
                words = f"says {text[:40]!r}, this dealer speaks {acpc.VERSION}"
                self.complain(f"seat {seat + 1} {words}")
            return True
        if complaint:
            self.complain(complaint)
        line.close()
        return False
