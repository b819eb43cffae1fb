"""Where tools run: a process with a memory limit that is ended when a call takes too long.

    → (name, arguments)            a call
    ← ("progress", share, words)   on the way
    ← ("compiling", True | False)  kernels are compiled, once on a machine: time not counted
    ← ("answer", text, figures, bytes) or ("refused" | "crashed", sentence, bytes)

The process ends with its parent. What it prints goes to standard error, and its input is empty.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from riverboat.assistants._answers import Workshop, refusal_words
from riverboat.errors import RiverboatError
from riverboat.runtime.compiling import call_when_compiling
from riverboat.runtime.stopping import end_with_parent, notice

_SPAWN = multiprocessing.get_context("spawn")
TICK = 0.2  # Seconds between two looks at the clock
START_SECONDS = 120.0  # After which a process that does not come up is given up
REPORT_SECONDS = 0.25  # Between two reports of progress
KEEP_BYTES = 0.75
"""A process that holds more than this part of its memory is replaced after the call."""


class ToolRefusedError(RiverboatError):
    """A call that is answered by a sentence in place of figures."""


@dataclass(frozen=True)
class Reply:
    """What a tool answered."""

    text: str
    figures: dict[str, Any]


class ToolProcess:
    """A lane: one process, one call at a time, others wait for their turn."""

    def __init__(self, shop: Workshop, *, warm: bool = False, max_waiting: int = 16) -> None:
        """With `warm` the process loads compiled code before its first call."""
        self._shop, self._warm, self._max_waiting = shop, warm, max_waiting
        self._lock = anyio.Lock()
        self._waiting = 0
        self._process: Any = None
        self._pipe: Connection | None = None

    def start(self) -> None:
        """Start the process, if there is none, so that it is warm for the first call."""
        if self._process is not None and self._process.is_alive():
            return
        self.end()
        mine, theirs = _SPAWN.Pipe()
        shop = replace(self._shop, report=_no_report)
        process = _SPAWN.Process(target=_serve, args=(theirs, shop, self._warm), daemon=True)
        process.start()
        theirs.close()
        self._process, self._pipe = process, mine

    def end(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    @property
    def process_id(self) -> int | None:
        """The number of the process, for those that watch it."""
        return None if self._process is None else self._process.pid

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        progress: Callable[[float, str], Any] | None = None,
    ) -> Reply:
        """The tool's answer; a sentence as ToolRefusedError. `progress` is awaited on the way."""
        if self._waiting >= self._max_waiting:
            raise ToolRefusedError(
                f"{self._waiting} calls are waiting already; try again when some are answered."
            )
        self._waiting += 1
        try:
            if self._lock.locked() and progress is not None:
                await progress(0.0, f"waiting for {self._waiting - 1} other calls")
            async with self._lock:
                return await self._call(name, arguments, progress)
        finally:
            self._waiting -= 1

    async def _call(self, name: str, arguments: dict[str, Any], progress: Any) -> Reply:
        answered = False
        try:
            self.start()
            assert self._pipe is not None
            self._pipe.send((name, arguments))
            reply = await self._answer(progress)
            answered = True
            return reply
        except ToolRefusedError:
            answered = self._process is not None
            raise
        except (EOFError, OSError):
            raise ToolRefusedError(
                "The call ended its process, perhaps for lack of memory"
                f" ({self._shop.memory / 2**30:.3g} GiB are allowed); ask for something smaller."
            ) from None
        finally:
            if not answered:  # Cancelled, too long, or dead: the next call gets a new process
                self.end()

    async def _answer(self, progress: Any) -> Reply:
        pipe = self._pipe
        assert pipe is not None
        seconds_left, compiling, started = self._shop.seconds, False, False
        last = time.monotonic()
        begun = last
        while True:
            # An abandoned wait ends when the process does.
            ready = await anyio.to_thread.run_sync(partial(pipe.poll, TICK), abandon_on_cancel=True)
            now = time.monotonic()
            if started and not compiling:
                seconds_left -= now - last
            last = now
            if ready:
                kind, *parts = pipe.recv()
                if kind == "begun":
                    started = True
                elif kind == "compiling":
                    compiling = parts[0]
                    if compiling and progress is not None:
                        await progress(0.0, "compiling, once on this machine")
                elif kind == "progress":
                    if progress is not None:
                        await progress(*parts)
                else:
                    return self._ended(kind, parts)
            elif seconds_left <= 0:
                self.end()
                raise ToolRefusedError(
                    f"The call took longer than the {self._shop.seconds:g} seconds allowed and was"
                    " ended; ask for something smaller."
                )
            elif not started and now - begun > START_SECONDS:
                self.end()
                raise ToolRefusedError("The process for calls does not start on this machine.")

    def _ended(self, kind: str, parts: list[Any]) -> Reply:
        held = parts.pop()
        if held > KEEP_BYTES * self._shop.memory:
            self.end()
            self.start()
        if kind == "answer":
            return Reply(*parts)
        raise ToolRefusedError(parts[0])


def _no_report(share: float, words: str) -> None:
    """Stands for the way to report, which every process has of its own."""


def _serve(pipe: Connection, shop: Workshop, warm: bool) -> None:
    """The life of a process: warm up, then one call after another."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    depth, sending = 0, threading.Lock()

    def send(*message: Any) -> None:
        with sending:  # kernels are compiled by threads of a solve, too
            pipe.send(message)

    def compiling(step: int) -> None:
        nonlocal depth
        depth += step
        if depth == max(step, 0):  # the outermost one begins or ends
            send("compiling", step > 0)

    from riverboat.assistants.tools import TOOLS, warm_up

    if warm:
        warm_up()
    call_when_compiling(partial(compiling, 1), partial(compiling, -1))
    _limit_memory(shop.memory)
    reported = 0.0

    def report(share: float, words: str) -> None:
        nonlocal reported
        if time.monotonic() - reported >= REPORT_SECONDS:
            reported = time.monotonic()
            send("progress", float(share), words)

    here = replace(shop, report=report)
    while True:
        try:
            name, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        send("begun")
        try:
            answer = TOOLS[name].function(here, **arguments)
            message: tuple[Any, ...] = ("answer", answer.text, answer.model_dump(mode="json"))
        except RiverboatError as error:
            message = ("refused", refusal_words(str(error)))
        except MemoryError:
            allowed = f"{shop.memory / 2**30:.3g} GiB"
            message = ("refused", f"The call needs more memory than the {allowed} allowed.")
        except RecursionError:
            message = ("refused", "The call is nested too deeply.")
        except Exception as error:
            where = _where(error)
            notice(f"{name}: {type(error).__name__} {where}")
            message = (
                "crashed",
                f"{name} failed inside ({type(error).__name__} {where}); the server goes on.",
            )
        send(*message, _held_bytes())


def _where(error: BaseException) -> str:
    """The file and line of an error, without its traceback."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f"at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"


def _limit_memory(memory: int) -> None:
    """Let the process take that many bytes more than it has, where the system can."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        held = _status("VmData")
        if held:
            resource.setrlimit(resource.RLIMIT_DATA, (held + memory, held + memory))


def _held_bytes() -> int:
    return _status("VmRSS")


def _status(name: str) -> int:
    """A figure of /proc/self/status in bytes; 0 where there is none."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return 1024 * int(line.split()[1])
    return 0
