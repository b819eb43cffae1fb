"""All connections of a twenty-one host: the port, one selector for all lines, bytes and clocks.

It knows sockets, framing and time, and nothing of the game. It reports to its owner: a message
received, a line that has sent everything, a peer that is gone, a deadline that has passed. Nothing
a peer does raises an error here.

`poll` alone reports. `send` and `dismiss`, which the owner calls in answer to a report, only write,
and put the line in a queue; the loop of `poll` takes up next what came of the writing.
"""

from __future__ import annotations

import contextlib
import math
import selectors
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from riverboat.twentyone.wire._deadlines import Deadlines
from riverboat.twentyone.wire._listening_socket import (
    BACKLOG,
    CrowdedError,
    ListeningSocket,
    ask_for_descriptors,
    turn_away,
)
from riverboat.twentyone.wire.codec import QUIT, Kind, Message, MessageTooLongError, read
from riverboat.twentyone.wire.line import HostOptions, Line, Stage

MAX_ENTERING = 64  # Connections accepted before those that are open are read again
REST_SECONDS = 0.25  # Seconds without accepting when no connection can be taken in
MAX_RECEIVED = 1 << 20  # Bytes a peer may send between two decisions
JOIN_QUIET = 5
"""A name may come in pieces: silence after a JOIN without NUL must be this much longer."""
AWAKE = 150e-6  # Seconds to poll for an answer before sleeping until one arrives


class Owner(Protocol):
    """What receives the events of the lines, one at a time, during `poll`."""

    def received(self, line: Line, message: Message) -> None:
        """A peer said something."""

    def all_said(self, line: Line) -> None:
        """Everything for this peer has been handed to the system."""

    def lost(self, line: Line, reason: str) -> None:
        """A peer has gone, or must."""

    def late(self, line: Line, now: float) -> None:
        """The line's deadline has passed."""

    def warn(self, text: str) -> None:
        """Something that the user should know."""


class Switchboard:
    """Lines and clocks. `poll` does what there is to do."""

    def __init__(self, options: HostOptions, owner: Owner) -> None:
        self.options = options
        self.lines: set[Line] = set()
        self.packet = 0
        """Number of the packet being read."""
        self._owner = owner
        self._selector = selectors.DefaultSelector()
        self._listening: ListeningSocket | None = None
        self._rests_until = 0.0
        self._crowded = False
        self._silent: dict[Line, None] = {}
        """Who has not said JOIN, oldest first."""
        self._max_silent = options.max_silent
        self._deadlines = Deadlines()
        self._written: deque[Line] = deque()
        """Lines that something was sent to since they were last settled."""

    def listen(self) -> int:
        """Open the port and return its number, which the system chooses for port 0."""
        self._listening = ListeningSocket(self.options.host, self.options.port)
        self._max_silent = max(
            1, min(self.options.max_silent, ask_for_descriptors(self.options.descriptors) // 4)
        )
        self._selector.register(self._listening.sock, selectors.EVENT_READ, None)
        return self._listening.port

    def stop_listening(self) -> None:
        """Take no more peers. Connections that wait are let in first, so that each gets QUIT."""
        if self._listening is None:
            return
        while not self._rests_until and self._enter(self._max_silent):
            pass
        if not self._rests_until:
            self._selector.unregister(self._listening.sock)
        self._listening.close()
        self._listening, self._rests_until = None, 0.0

    def poll(self, timeout: float) -> None:
        """Wait up to `timeout` seconds for something to happen, and deal with it."""
        self._settle_written()
        for key, events in self._wait(timeout):
            if key.data is None:
                self._enter(MAX_ENTERING)
                continue
            line: Line = key.data
            if events & selectors.EVENT_WRITE and not line.closed:
                self._guarded(line, self._pump)
            if events & selectors.EVENT_READ and not line.closed:
                self._guarded(line, self._read)
            self._settle_written()
        now = time.monotonic()
        if self._rests_until and now >= self._rests_until and self._listening is not None:
            self._rests_until = 0.0
            self._selector.register(self._listening.sock, selectors.EVENT_READ, None)
        for line in self._deadlines.due(now):
            self._guarded(line, self._wake)
            self._settle_written()

    def _wait(self, timeout: float) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready. An answer that comes at once is met awake: waking up costs more."""
        end = time.monotonic() + min(timeout, AWAKE)
        while not (ready := self._selector.select(0)):
            if time.monotonic() >= end:
                return self._selector.select(timeout)
        return ready

    def time_left(self, timeout: float) -> float:
        """`timeout`, or less if a clock runs out before; 0 where there is something to report."""
        if self._written:
            return 0.0
        first = min(self._deadlines.earliest, self._rests_until or math.inf)
        return max(0.0, min(timeout, first - time.monotonic()))

    def send(self, line: Line, messages: Sequence[bytes], now: float, step: float = 0.0) -> None:
        """Say these messages at the line's pace, in step with the other lines of its table."""
        line.send(messages, now, step)
        self._written.append(line)

    def dismiss(self, line: Line, messages: Sequence[bytes], step: float = 0.0) -> None:
        """Let a peer go: it gets these last messages and has a while to close."""
        self._silent.pop(line, None)
        line.stage = Stage.LEAVING
        line.asked = False
        now = time.monotonic()
        line.send(messages, now, step)
        line.deadline = self.options.linger + line.free_at(now)
        self._written.append(line)

    def drop(self, line: Line) -> None:
        """Close a line at once."""
        self.lines.discard(line)
        self._silent.pop(line, None)
        self._selector.unregister(line.sock)
        line.close()

    def close(self) -> None:
        """Say QUIT to all that are left and close everything, without waiting.

        Nothing is reported any more: the owner may have been interrupted anywhere.
        """
        for line in list(self.lines):
            if not line.leaving:
                line.pace = 0.0
                line.send([QUIT], time.monotonic())
            line.hang_up()
            self.drop(line)
        self._selector.close()
        listening, self._listening = self._listening, None
        if listening is not None:
            with contextlib.suppress(CrowdedError):
                for sock, _ in listening.accept(BACKLOG):
                    with sock:
                        turn_away(sock)
            listening.close()

    def _guarded(self, line: Line, work: Callable[[Line], None]) -> None:
        """Do something with a line; whatever goes wrong costs that line and no other."""
        try:
            work(line)
        except Exception as error:
            reason = f"could not be dealt with ({type(error).__name__})"
            try:
                self._owner.lost(line, reason)
            finally:
                if not line.leaving and not line.closed:
                    self.drop(line)

    def _enter(self, most: int) -> bool:
        """Accept connections that wait; where there is no room, the oldest silent one must go.

        Whether a connection came in or another made room.
        """
        if self._listening is None:
            return False
        came = False
        try:
            for sock, address in self._listening.accept(most):
                came = True
                line = Line(sock, address, self.options.first_pace)
                self._selector.register(sock, selectors.EVENT_READ, line)
                self.lines.add(line)
                self._silent[line] = None
                line.deadline = time.monotonic() + self.options.join_timeout
                self._deadlines.schedule(line)
                while len(self._silent) > self._max_silent:
                    self._make_room()
        except CrowdedError:
            if not self._crowded:
                self._crowded = True
                self._owner.warn("no file descriptor is left for more players; see ulimit -n")
            came = self._make_room()
            if not came:
                self._selector.unregister(self._listening.sock)
                self._rests_until = time.monotonic() + REST_SECONDS
        return came

    def _make_room(self) -> bool:
        """Read from the oldest silent connection, and dismiss it if it still says nothing."""
        line = next(iter(self._silent), None)
        if line is None:
            return False
        self._guarded(line, self._read)
        self._silent.pop(line, None)
        if line.stage is Stage.SILENT:
            self._owner.lost(line, "said nothing while others waited")
        if line.leaving:
            line.hang_up()
            self.drop(line)
        return True

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
        if line.received > MAX_RECEIVED:
            self._owner.lost(line, "sends too much")
            return
        self.packet += 1
        for frame in frames:
            if line.leaving or line.closed:
                return
            for message in read(frame):
                self._owner.received(line, message)
                self._settle_written()
        self._no_longer_silent(line)
        line.quiet_at = math.inf
        if line.framer.rest and not line.leaving:
            self._unfinished(line)

    def _unfinished(self, line: Line) -> None:
        if line.framer.ends_in_last_word:
            self._take_rest(line)
            return
        longer = JOIN_QUIET if line.stage is Stage.SILENT else 1
        line.quiet_at = time.monotonic() + longer * self.options.quiet
        self._deadlines.schedule(line)

    def _take_rest(self, line: Line) -> None:
        """Take a message for complete that lacks its NUL, if it can be understood."""
        messages = read(line.framer.rest)
        if messages[0].kind is not Kind.UNKNOWN:
            line.framer.take_rest()
            if line.stage is Stage.SILENT:
                line.terminated = False
            for message in messages:
                self._owner.received(line, message)
                self._settle_written()
            self._no_longer_silent(line)

    def _no_longer_silent(self, line: Line) -> None:
        if line.stage is not Stage.SILENT:
            self._silent.pop(line, None)

    def _pump(self, line: Line) -> None:
        line.pump(time.monotonic())
        self._written.append(line)

    def _settle_written(self) -> None:
        """Report what came of writing; the owner may write again, until nothing is left to say."""
        while self._written:
            self._guarded(self._written.popleft(), self._settle)

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
        self._deadlines.schedule(line)

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


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).lower()
