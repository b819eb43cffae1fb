"""How long work is stopped: by a request that is checked between two steps.

Ctrl-C, SIGTERM and SIGHUP (a closed terminal) request it once and interrupt the second time:

    with stop_on_signals() as stop:
        for block in blocks:
            if stop.requested:
                break
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType
from typing import Protocol

STOPPING = "Stopping after the current step; Ctrl-C again stops at once."
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Flag(Protocol):
    """A flag of this process, or an event of several (multiprocessing)."""

    def set(self) -> None: ...

    def is_set(self) -> bool: ...


class _Plain:
    """A flag without a lock: a second signal may come while the first one sets it."""

    def __init__(self) -> None:
        self._on = False

    def set(self) -> None:
        self._on = True

    def is_set(self) -> bool:
        return self._on


class Stop:
    """A request to end long work after its current step."""

    def __init__(self, flag: Flag | None = None) -> None:
        self._flag: Flag = _Plain() if flag is None else flag

    def request(self) -> None:
        self._flag.set()

    @property
    def requested(self) -> bool:
        return self._flag.is_set()

    def check(self) -> None:
        """Interrupt work that has no partial result to keep."""
        if self.requested:
            raise KeyboardInterrupt


_current: list[Stop] = []  # Of the whole process, since signals are; the innermost last
_of_thread: ContextVar[Stop | None] = ContextVar("stop_of_thread", default=None)


def current_stop() -> Stop:
    """The stop of this thread or else of this process; one that is never requested by default."""
    own = _of_thread.get()
    if own is not None:
        return own
    try:
        return _current[-1]
    except IndexError:
        return Stop()


@contextmanager
def use_stop(stop: Stop) -> Iterator[Stop]:
    """Make a stop this process's own, such as one that another process requests."""
    _current.append(stop)
    try:
        yield stop
    finally:
        _current.remove(stop)


@contextmanager
def use_thread_stop(stop: Stop) -> Iterator[Stop]:
    """Make a stop this thread's own: work of a server for one of its visitors."""
    before = _of_thread.set(stop)
    try:
        yield stop
    finally:
        _of_thread.reset(before)


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Let signals request a stop, and interrupt at once the second time.

    A process that has a stop keeps it, and its signals as they are: inside such a block, and in
    workers, whose parent requests it. Threads other than the main one have no signals either.
    """
    if _current or threading.current_thread() is not threading.main_thread():
        yield current_stop()
        return
    stop = Stop()

    def request(number: int, frame: FrameType | None) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.request()
        notice(STOPPING)

    with use_stop(stop), _handling(request, _SIGNALS):
        yield stop


@contextmanager
def interrupt_on_terminate() -> Iterator[None]:
    """Let SIGTERM and SIGHUP interrupt, as Ctrl-C does, unless something else handles them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handling(signal.default_int_handler, _SIGNALS[1:]):
        yield


@contextmanager
def _handling(
    handler: Callable[[int, FrameType | None], None], numbers: Sequence[int]
) -> Iterator[None]:
    """Handle signals, but for those that were to be ignored from the start (nohup)."""
    kept = {number: signal.getsignal(number) for number in numbers}
    kept = {number: old for number, old in kept.items() if old is not signal.SIG_IGN}
    for number in kept:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in kept.items():
            signal.signal(number, signal.SIG_DFL if old is None else old)


def end_with_parent() -> None:
    """Called first in a process: it ends with its parent, also with one that was killed."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def notice(text: str) -> None:
    """Show the user a notice that is not part of the result, such as that a disk is full."""
    with suppress(RuntimeError):  # a signal came while something else was being written
        sys.stderr.write(f"riverboat: {text}\n")


_unwritten: list[str] = []


def report_unwritten(text: str, show: Callable[[str], None] = notice) -> None:
    """Show that a file could not be written where it was wanted; a command then exits with 1."""
    _unwritten.append(text)
    show(text)


def take_unwritten() -> list[str]:
    """Return the reports of files that could not be written, and forget them."""
    reports = list(_unwritten)
    _unwritten.clear()
    return reports
