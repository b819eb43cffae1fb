"""One peer of the twenty-one table: its socket, what is still to be sent to it, and its deadlines.

A line knows nothing of the game. It sends messages one by one with a pause between them, because
many programs that speak this wire take whatever one `read()` brings for one message; with a pause
of 0 it sends all of them at once, and what needs no answer waits up to two milliseconds for what
does, which saves a packet and a wake-up. A message may have a time before which it is not said, so
that the lines of one table keep step. It never blocks and never raises for what the peer does:
a line that cannot be written to is `broken`.
"""

from __future__ import annotations

import contextlib
import math
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from riverboat.errors import ParameterError
from riverboat.twentyone.wire.codec import DECISION, QUIT, Framer

SAFE_PACE = 0.026
"""Seconds between two messages to a program that may take one read for one message."""
UNTERMINATED_PACE = 0.040
"""The same for a program that does not end its JOIN with NUL: some of these sleep for 50 ms after
each message they send, and lose what comes closer together."""
MAX_UNSENT = 65_536  # Bytes kept for a peer that does not read; with more it is broken
HOLD = 0.002  # Seconds that messages without a question may wait for one, at a pause of 0
NEVER = math.inf


@dataclass(frozen=True)
class HostOptions:
    """How a host treats its peers; times in seconds."""

    host: str = "127.0.0.1"
    port: int = 0
    pace: float | None = SAFE_PACE
    """Pause between two messages to a peer; None chooses it by the peer's JOIN: none for peers that
    frame on NUL, else one of the next two."""
    careful_pace: float = SAFE_PACE
    unterminated_pace: float = UNTERMINATED_PACE  # The pause for peers whose JOIN has no NUL
    decision_timeout: float = 30.0
    join_timeout: float = 10.0
    quiet: float = 0.05  # Silence after which a message that lacks its NUL is taken as complete
    linger: float = 2.0  # How long a peer may take to close after QUIT
    max_silent: int = 1024
    """Connections that may wait without having said JOIN; beyond it the oldest must go."""
    descriptors: int = 16_384  # Files and sockets to ask the system for

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise ParameterError(f"A port is 0 to 65535, not {self.port}.")
        if self.pace is not None and not 0 <= self.pace <= 10:
            raise ParameterError("A pause between messages is 0 to 10,000 ms, or auto.")
        if not (self.decision_timeout > 0 and self.join_timeout > 0):
            raise ParameterError("A timeout must be more than 0 seconds.")

    @property
    def first_pace(self) -> float:
        """The pause for a peer of which nothing is known yet."""
        return self.careful_pace if self.pace is None else self.pace


def drawn_cards(messages: Sequence[bytes]) -> int:
    """How many cards stand first: those a player drew, since a deal begins with BEGIN."""
    return next(
        (n for n, text in enumerate(messages) if not text.startswith(b"CARD")), len(messages)
    )


class Stage(Enum):
    """Where a peer is: before its JOIN, waiting for a table, at one, or on its way out."""

    SILENT = auto()
    LOBBY = auto()
    SEATED = auto()
    LEAVING = auto()
    CLOSED = auto()


class Line:
    """A peer's connection. Times are those of a monotonic clock, in seconds."""

    def __init__(
        self,
        sock: socket.socket,
        address: str,
        pace: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.sock = sock
        self._clock = clock
        self.address = address
        self.pace = pace
        self.framer = Framer()
        self.stage = Stage.SILENT
        self.name = ""
        self.token = ""
        self.terminated = True
        """Whether its JOIN ended in NUL."""
        self.asked = False
        """Whether DECISION has been written and not been answered."""
        self.last_read = 0
        """Number of the packet that came before DECISION was written."""
        self.watched_for_write = False
        self.ahead: deque[bool] = deque()
        """Further decisions of this turn, given before they were asked for."""
        self.received = 0
        """Bytes received since the last decision."""
        self.unasked = 0
        """Words out of turn since the last decision."""
        self.noted = 0
        """Words out of turn that were reported, in all."""
        self.broken = ""
        self.deadline = NEVER
        self.quiet_at = NEVER
        self.slow_scheduled = self.quick_scheduled = NEVER
        """When the owner will check this line next, for its deadline and for the rest."""
        self._queue: deque[tuple[float, bytes]] = deque()
        """What is to be said, each with the time before which it must not be."""
        self._next_send = 0.0
        self._unsent = b""

    @property
    def leaving(self) -> bool:
        return self.stage is Stage.LEAVING

    @property
    def closed(self) -> bool:
        return self.stage is Stage.CLOSED

    @property
    def idle(self) -> bool:
        """Whether everything has been handed to the operating system."""
        return not self._queue and not self._unsent

    def free_at(self, now: float, more: int = 0) -> float:
        """When the next message can be sent, after what is queued and `more` messages."""
        if not self.pace:
            return now
        when = max(now, self._next_send)
        for earliest, _ in self._queue:
            when = max(when, earliest) + self.pace
        return when + more * self.pace

    @property
    def blocked(self) -> bool:
        """Whether the operating system has refused bytes for now."""
        return bool(self._unsent)

    @property
    def quick_at(self) -> float:
        """The next time at which `pump` or the quiet time needs a check."""
        waiting = self._queue and not self._unsent
        sending = max(self._next_send, self._queue[0][0]) if waiting else NEVER
        return min(self.quiet_at, sending)

    def send(self, messages: Sequence[bytes], now: float, step: float = 0.0) -> None:
        """Say these messages, now or at the line's pace.

        With a pace, all but the card drawn in one's own turn wait for `step`.
        """
        if self.pace:
            drawn = drawn_cards(messages)
            self._queue.extend((0.0, message) for message in messages[:drawn])
            self._queue.extend((step, message) for message in messages[drawn:])
            self.pump(now)
        elif messages[-1] is DECISION or messages[-1] is QUIT:
            self._write(b"".join([*self._take_queue(), *messages]))
        else:
            if not self._queue:
                self._next_send = now + HOLD
            self._queue.extend((0.0, message) for message in messages)

    def pump(self, now: float) -> None:
        """Write what is due."""
        if self._unsent:
            self._write(b"")
        while self._queue and not self._unsent:
            if now < max(self._next_send, self._queue[0][0]):
                return
            if not self.pace:
                self._write(b"".join(self._take_queue()))
                return
            self._write(self._queue.popleft()[1])
            # The clock after the write: `now` is old where many lines had their turn before.
            self._next_send = self._clock() + self.pace

    def _take_queue(self) -> list[bytes]:
        messages = [message for _, message in self._queue]
        self._queue.clear()
        return messages

    def _write(self, data: bytes) -> None:
        if self.broken:
            return
        if self._unsent:
            data = self._unsent + data
        try:
            sent = self.sock.send(data) if data else 0
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self.broken = f"left ({(error.strerror or 'connection lost').lower()})"
            return
        self._unsent = data[sent:] if sent < len(data) else b""
        if len(self._unsent) > MAX_UNSENT:
            self.broken = "does not read what it is sent"

    def hang_up(self) -> None:
        """Say that nothing more will come, so that the peer can read up to the last message."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.stage = Stage.CLOSED
        self.deadline = self.quiet_at = NEVER
        self._queue.clear()
        self._unsent = b""
        self.sock.close()
