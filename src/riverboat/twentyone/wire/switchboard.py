"""The switchboard of a twenty-one host: all lines on one selector, bytes in and out, and clocks.

It knows sockets, framing and time, and nothing of the game. What it hears and notices it tells
its owner: a message, a line that has said all it had to, a peer that is gone, a deadline that has
passed. Nothing a peer does raises an error here.
"""

from __future__ import annotations

import heapq
import itertools
import math
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from riverboat.errors import ParameterError, UsageError
from riverboat.twentyone.wire.codec import QUIT, Kind, Message, MessageTooLongError, read
from riverboat.twentyone.wire.line import Line, Stage

__all__ = ["HostOptions", "Owner", "Switchboard"]

MAX_SILENT = 1024
"""Connections that may wait without having said JOIN."""
MAX_HEARD = 1 << 20
"""Bytes a peer may send between two decisions."""
JOIN_QUIET = 5
"""A name may come in pieces: silence after a JOIN without NUL must be this much longer."""


@dataclass(frozen=True)
class HostOptions:
    """How peers are treated; times in seconds."""

    host: str = "127.0.0.1"
    port: int = 0
    pace: float | None = 0.026
    """Pause between two messages to a peer; None finds out what the peer needs."""
    careful_pace: float = 0.026
    """The pause while that is being found out."""
    decision_timeout: float = 30.0
    join_timeout: float = 10.0
    quiet: float = 0.05
    """Silence after which a message that lacks its NUL is taken as complete."""
    probe_wait: float = 0.5
    """Silence after which a peer of automatic pace is taken to have lost a message."""
    linger: float = 2.0
    """How long a peer may take to close after QUIT."""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise ParameterError(f"--port must be 0 to 65535, not {self.port}.")
        if self.pace is not None and not 0 <= self.pace <= 10:
            raise ParameterError("--pace-ms must be 0 to 10000, or auto.")
        if not (self.decision_timeout > 0 and self.join_timeout > 0):
            raise ParameterError("A timeout must be more than 0 seconds.")


class Owner(Protocol):
    """Who is told what happens on the lines."""

    def heard(self, line: Line, message: Message) -> None:
        """A peer said something."""

    def all_said(self, line: Line) -> None:
        """Everything for this peer has been handed to the system."""

    def lost(self, line: Line, reason: str) -> None:
        """A peer has gone, or must."""

    def late(self, line: Line, now: float) -> None:
        """The line's deadline has passed."""


AWAKE = 150e-6
"""Seconds to look for an answer before sleeping until one comes."""


class Switchboard:
    """Lines and clocks. `poll` does what there is to do."""

    def __init__(self, options: HostOptions, owner: Owner) -> None:
        self.options = options
        self.lines: set[Line] = set()
        self.packet = 0
        """Number of the packet being read."""
        self._owner = owner
        self._selector = selectors.DefaultSelector()
        self._listener: socket.socket | None = None
        self._timers: list[tuple[float, int, bool, Line]] = []
        self._tick = itertools.count()

    def listen(self) -> int:
        """Open the door; the port, which the system chooses for port 0."""
        host, port = self.options.host, self.options.port
        try:
            family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = socket.socket(family, socket.SOCK_STREAM)
            try:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind(address)
                listener.listen(1024)
            except BaseException:
                listener.close()
                raise
        except (OSError, OverflowError, UnicodeError) as error:
            raise UsageError(
                f"Cannot listen on {host}:{port}: {_reason(error)}; choose another --host or"
                " --port."
            ) from error
        listener.setblocking(False)
        self._listener = listener
        self._selector.register(listener, selectors.EVENT_READ, None)
        return int(listener.getsockname()[1])

    def close_door(self) -> None:
        """Take no more peers."""
        if self._listener is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None

    def poll(self, timeout: float) -> None:
        """Wait up to `timeout` seconds for something to happen, and deal with it."""
        for key, events in self._wait(timeout):
            if key.data is None:
                self._accept()
                continue
            line: Line = key.data
            if events & selectors.EVENT_WRITE and not line.closed:
                self._guarded(line, self._pump)
            if events & selectors.EVENT_READ and not line.closed:
                self._guarded(line, self._read)
        self._ring(time.monotonic())

    def _wait(self, timeout: float) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready. An answer that comes at once is met awake: waking up costs more."""
        end = time.monotonic() + min(timeout, AWAKE)
        while not (ready := self._selector.select(0)):
            if time.monotonic() >= end:
                return self._selector.select(timeout)
        return ready

    def time_left(self, timeout: float) -> float:
        """`timeout`, or less if a clock runs out before."""
        if not self._timers:
            return timeout
        return max(0.0, min(timeout, self._timers[0][0] - time.monotonic()))

    def send(self, line: Line, messages: Sequence[bytes], now: float, step: float = 0.0) -> None:
        """Say these messages at the line's pace, in step with the other lines of its table."""
        line.send(messages, now, step)
        self._settle(line)

    def dismiss(self, line: Line, messages: Sequence[bytes], step: float = 0.0) -> None:
        """Let a peer go: it is told these last messages and has a while to close."""
        line.stage = Stage.LEAVING
        line.asked = False
        now = time.monotonic()
        line.send(messages, now, step)
        line.deadline = self.options.linger + line.free_at(now)
        self._settle(line)

    def drop(self, line: Line) -> None:
        """Close a line at once."""
        self.lines.discard(line)
        self._selector.unregister(line.sock)
        line.close()

    def close(self) -> None:
        """Say QUIT to whoever is left and close everything, without waiting."""
        self.close_door()
        for line in list(self.lines):
            if not line.leaving:
                line.pace = 0.0
                line.send([QUIT], time.monotonic())
                line.hang_up()
            self.drop(line)
        self._selector.close()

    def schedule(self, line: Line) -> None:
        """Look at the line when its next clock runs out."""
        # A line stands in the heap once for its deadline and once for all else. A clock that was
        # set back stays where it is and is found out when it rings, so that the heap does not
        # grow with every decision.
        if line.deadline < line.slow_scheduled:
            line.slow_scheduled = line.deadline
            heapq.heappush(self._timers, (line.deadline, next(self._tick), True, line))
        quick = line.quick_at
        if quick < line.quick_scheduled:
            line.quick_scheduled = quick
            heapq.heappush(self._timers, (quick, next(self._tick), False, line))

    def _ring(self, now: float) -> None:
        """Look at the lines whose clocks have run out."""
        while self._timers and self._timers[0][0] <= now:
            when, _, slow, line = heapq.heappop(self._timers)
            if when != (line.slow_scheduled if slow else line.quick_scheduled):
                continue
            if slow:
                line.slow_scheduled = math.inf
            else:
                line.quick_scheduled = math.inf
            self._guarded(line, self._wake)

    def _guarded(self, line: Line, work: Callable[[Line], None]) -> None:
        """Do something with a line; whatever goes wrong costs that line and nobody else."""
        try:
            work(line)
        except Exception as error:
            reason = f"could not be dealt with ({type(error).__name__})"
            try:
                self._owner.lost(line, reason)
            finally:
                if not line.leaving and not line.closed:
                    self.drop(line)

    def _accept(self) -> None:
        while self._listener is not None:
            try:
                sock, address = self._listener.accept()
            except OSError:
                return
            silent = sum(line.stage is Stage.SILENT for line in self.lines)
            if silent >= MAX_SILENT:
                sock.close()
                continue
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pace = self.options.pace
            probe = pace is None
            known = self.options.careful_pace if pace is None else pace
            line = Line(sock, f"{address[0]}:{address[1]}", known, probe)
            self.lines.add(line)
            self._selector.register(sock, selectors.EVENT_READ, line)
            line.deadline = time.monotonic() + self.options.join_timeout
            self.schedule(line)

    def _read(self, line: Line) -> None:
        try:
            data = line.sock.recv(65_536)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            line.broken = f"left ({_reason(error)})"
            data = b""
        if line.leaving:
            if not data:
                self.drop(line)
            return
        if not data:
            line.broken = line.broken or "left"
            self._owner.lost(line, line.broken)
            return
        try:
            frames = line.framer.feed(data)
        except MessageTooLongError:
            self._owner.lost(line, "sent a message without an end")
            return
        line.received += len(data)
        if line.received > MAX_HEARD:
            self._owner.lost(line, "sends too much")
            return
        self.packet += 1
        for frame in frames:
            if line.leaving or line.closed:
                return
            for message in read(frame):
                self._owner.heard(line, message)
        line.quiet_at = math.inf
        if line.framer.rest and not line.leaving:
            self._unfinished(line)

    def _unfinished(self, line: Line) -> None:
        if line.framer.ends_in_last_word:
            self._take_rest(line)
            return
        longer = JOIN_QUIET if line.stage is Stage.SILENT else 1
        line.quiet_at = time.monotonic() + longer * self.options.quiet
        self.schedule(line)

    def _take_rest(self, line: Line) -> None:
        """Take a message for complete that lacks its NUL, if it can be understood."""
        messages = read(line.framer.rest)
        if messages[0].kind is not Kind.UNKNOWN:
            line.framer.take_rest()
            for message in messages:
                self._owner.heard(line, message)

    def _pump(self, line: Line) -> None:
        line.pump(time.monotonic())
        self._settle(line)

    def _settle(self, line: Line) -> None:
        """After a write: is the line broken, blocked, or has it said everything?"""
        if line.closed:
            return
        if line.broken:
            if line.leaving:
                self.drop(line)
            else:
                self._owner.lost(line, line.broken)
            return
        if line.blocked != line.watched_for_write:
            line.watched_for_write = line.blocked
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if line.blocked else 0)
            self._selector.modify(line.sock, events, line)
        if line.idle:
            if line.leaving:
                line.hang_up()
            else:
                self._owner.all_said(line)
        self.schedule(line)

    def _wake(self, line: Line) -> None:
        if line.closed:
            return
        now = time.monotonic()
        if line.quiet_at <= now:
            line.quiet_at = math.inf
            self._take_rest(line)
        if line.deadline <= now and not line.closed:
            if line.leaving:
                self.drop(line)
            else:
                self._owner.late(line, now)
        if not line.closed:
            self._pump(line)
        if not line.closed:
            self.schedule(line)


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).lower()
