"""All connections of a twenty-one host: the port, one selector for all lines, bytes and clocks.

It knows sockets, framing and time, and nothing of the game. It reports to its owner: a message
received, a line that has sent everything, a peer that is gone, a deadline that has passed. Nothing
a peer does raises an error here.
"""

from __future__ import annotations

import contextlib
import errno
import heapq
import itertools
import math
import selectors
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from riverboat.errors import UsageError
from riverboat.twentyone.wire.codec import QUIT, Kind, Message, MessageTooLongError, read
from riverboat.twentyone.wire.line import HostOptions, Line, Stage

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


def _turn_away(sock: socket.socket) -> None:
    """Say QUIT. What the peer has sent is read: with it unread the system would drop the QUIT."""
    with contextlib.suppress(OSError):
        sock.recv(65_536)
    with contextlib.suppress(OSError):
        sock.send(QUIT)
        sock.shutdown(socket.SHUT_WR)


MAX_ENTERING = 64  # Connections accepted before those that are open are read again
REST_SECONDS = 0.25  # Seconds without accepting when no connection can be taken in
MAX_RECEIVED = 1 << 20  # Bytes a peer may send between two decisions
JOIN_QUIET = 5
"""A name may come in pieces: silence after a JOIN without NUL must be this much longer."""


class Owner(Protocol):
    """What receives the events of the lines."""

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


AWAKE = 150e-6  # Seconds to poll for an answer before sleeping until one arrives


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
        self._timers: list[tuple[float, int, bool, Line]] = []
        self._tick = itertools.count()

    def listen(self) -> int:
        """Open the port and return its number, which the system chooses for port 0."""
        self._listening = ListeningSocket(self.options.host, self.options.port)
        self._max_silent = max(
            1, min(self.options.max_silent, ask_for_descriptors(self.options.descriptors) // 4)
        )
        self._selector.register(self._listening.sock, selectors.EVENT_READ, None)
        return self._listening.port

    def close_door(self) -> None:
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
        for key, events in self._wait(timeout):
            if key.data is None:
                self._enter(MAX_ENTERING)
                continue
            line: Line = key.data
            if events & selectors.EVENT_WRITE and not line.closed:
                self._guarded(line, self._pump)
            if events & selectors.EVENT_READ and not line.closed:
                self._guarded(line, self._read)
        now = time.monotonic()
        if self._rests_until and now >= self._rests_until and self._listening is not None:
            self._rests_until = 0.0
            self._selector.register(self._listening.sock, selectors.EVENT_READ, None)
        self._ring(now)

    def _wait(self, timeout: float) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready. An answer that comes at once is met awake: waking up costs more."""
        end = time.monotonic() + min(timeout, AWAKE)
        while not (ready := self._selector.select(0)):
            if time.monotonic() >= end:
                return self._selector.select(timeout)
        return ready

    def time_left(self, timeout: float) -> float:
        """`timeout`, or less if a clock runs out before."""
        first = self._timers[0][0] if self._timers else math.inf
        first = min(first, self._rests_until or math.inf)
        return max(0.0, min(timeout, first - time.monotonic()))

    def send(self, line: Line, messages: Sequence[bytes], now: float, step: float = 0.0) -> None:
        """Say these messages at the line's pace, in step with the other lines of its table."""
        line.send(messages, now, step)
        self._settle(line)

    def dismiss(self, line: Line, messages: Sequence[bytes], step: float = 0.0) -> None:
        """Let a peer go: it gets these last messages and has a while to close."""
        self._silent.pop(line, None)
        line.stage = Stage.LEAVING
        line.asked = False
        now = time.monotonic()
        line.send(messages, now, step)
        line.deadline = self.options.linger + line.free_at(now)
        self._settle(line)

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
                        _turn_away(sock)
            listening.close()

    def schedule(self, line: Line) -> None:
        """Check the line when its next clock runs out."""
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
        """Check the lines whose clocks have run out."""
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
        """Take in those who knock; where there is no room, the oldest silent one must go.

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
                self.schedule(line)
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
        self.schedule(line)

    def _take_rest(self, line: Line) -> None:
        """Take a message for complete that lacks its NUL, if it can be understood."""
        messages = read(line.framer.rest)
        if messages[0].kind is not Kind.UNKNOWN:
            line.framer.take_rest()
            if line.stage is Stage.SILENT:
                line.terminated = False
            for message in messages:
                self._owner.received(line, message)
            self._no_longer_silent(line)

    def _no_longer_silent(self, line: Line) -> None:
        if line.stage is not Stage.SILENT:
            self._silent.pop(line, None)

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
