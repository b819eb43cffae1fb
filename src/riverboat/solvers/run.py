"""The run of everything that takes long: limit, clock, deadline, stop, progress and autosave.

A solver, a trainer or a search has two methods, `advance` and `evaluate`, and `run` does the rest;
an `Autosave` takes the function that writes its state. `run` calls `advance` for a tenth of a
second at a time, checks for a stop in between (Ctrl-C, SIGTERM, another process), measures at
marks, and reports progress.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from riverboat.errors import StorageError, UsageError
from riverboat.runtime.stopping import Stop, current_stop, notice, report_unwritten, stop_on_signals

CHUNK_SECONDS = 0.1
"""How long a call of `advance` should take: what a stop waits for, and the beat of progress."""
AUTOSAVE_SECONDS = 5.0
"""What a killed process loses at most; RIVERBOAT_AUTOSAVE sets another number of seconds."""
SPACING = 20  # The time between two saves is at least this many times what a save takes


@dataclass(frozen=True)
class Limit:
    """Stop at the first of these; what is None does not count.

    `iterations` is the number done altogether, also before a resume; `target` an exploitability
    (NashConv / players); `seconds` counts from the start of this run.
    """

    iterations: int | None = None
    target: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.iterations is not None and self.iterations < 1:
            raise UsageError(f"The number of iterations must be at least 1, not {self.iterations}.")
        for name in ("target", "seconds"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise UsageError(f"The {name} must be a number above 0, not {value}.")

    @classmethod
    def one_of(
        cls, iterations: int | None, target: float | None, seconds: float | None
    ) -> Limit | None:
        """The one limit that was given, None for none; several contradict each other."""
        given = {"iterations": iterations, "target": target, "seconds": seconds}
        names = [name for name, value in given.items() if value is not None]
        if len(names) > 1:
            raise UsageError(f"Give one limit only: {' and '.join(names)} contradict each other.")
        return cls(iterations, target, seconds) if names else None


@dataclass(frozen=True)
class Progress:
    """Progress of a run: one point of its trace."""

    algorithm: str
    iterations: int
    seconds: float
    exploitability: float = math.nan
    """Or another figure that falls, such as a regret; nan before it is first measured."""
    share: float = field(default=0.0, compare=False)
    """Share of the run that is done, 0 to 1; a target counts by its logarithm."""
    rate: float = field(default=0.0, compare=False)
    """Iterations per second in this run."""


ProgressCallback: TypeAlias = Callable[[Progress], None]
Marks: TypeAlias = Callable[[int, float], int]


class Runnable(Protocol):
    """Long work as a run sees it; `finished`, where it has that, says that nothing is left."""

    @property
    def algorithm(self) -> str: ...

    @property
    def iterations(self) -> int: ...

    @property
    def seconds(self) -> float:
        """Spent in all runs; the work itself counts them."""

    def advance(self, count: int) -> None:
        """Do about `count` iterations, at least one; the work may round them to its own steps.

        An `advance` that is interrupted leaves the state whole and requests the stop, or raises.
        """

    def evaluate(self) -> float:
        """Measure the figure that a limit's target is about; nan leaves the last one."""


def run(
    work: Runnable,
    limit: Limit,
    *,
    progress: ProgressCallback | None = None,
    marks: Marks | None = None,
    autosave: Autosave | None = None,
    stop: Stop | None = None,
    deadline: float | None = None,
    reserve: float = 0.0,
    at_once: int | None = None,
    first: int = 1,
    own_target: bool = False,
) -> bool:
    """Advance the work up to its limit; whether a stop ended it before.

    `marks` returns, from the iterations done and the last figure (nan at first), at which iteration
    `evaluate` is called next; without it never. An interrupt that `progress` or `evaluate` raises
    counts as a stop; one that `advance` raises is raised on, for the state may be torn.

    A `deadline` is a moment of time.perf_counter() for those who must answer in time: the work
    advances once at least, and then while the longest iteration so far and `reserve` more of them
    fit. Signals are not held meanwhile. `first` iterations are done in the first call of `advance`
    and `at_once` at most in each. Work with an `own_target` compares the limit's target itself,
    between marks too, and is `finished` there; `Progress.share` still counts by it.
    """
    holding = stop_on_signals() if stop is None and deadline is None else nullcontext(stop)
    with holding as held:
        loop = _Loop(work, limit, held or current_stop(), marks, own_target)
        chunk = first if at_once is None else min(first, at_once)
        while not loop.reached():
            if loop.stop.requested:
                return True
            count = loop.fitting(chunk, deadline, reserve)
            if count < 1:
                return False
            chunk = loop.advance(count)
            if at_once is not None:
                chunk = min(chunk, at_once)
            try:
                loop.measure()
                if progress is not None:
                    progress(loop.progress())
            except KeyboardInterrupt:
                loop.stop.request()
                return True
            if autosave is not None:
                autosave.beat()
        return False


class _Loop:
    """The state of one run."""

    def __init__(
        self, work: Runnable, limit: Limit, stop: Stop, marks: Marks | None, own_target: bool
    ) -> None:
        self.work, self.limit, self.stop, self.marks = work, limit, stop, marks
        self.target = None if own_target else limit.target
        self.began, self.start = time.perf_counter(), work.iterations
        self.figure = self.highest = math.nan
        self.mark = None if marks is None else marks(self.start, math.nan)
        self.calls, self.pace, self.longest = 0, 0.0, 0.0

    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def reached(self) -> bool:
        limit = self.limit
        return (
            bool(getattr(self.work, "finished", False))
            or (limit.iterations is not None and self.work.iterations >= limit.iterations)
            # However short the time is, it buys one step: an exact solver may need no more.
            or bool(limit.seconds is not None and self.calls and self.elapsed() >= limit.seconds)
            or (self.target is not None and self.figure <= self.target)
        )

    def fitting(self, chunk: int, deadline: float | None, reserve: float) -> int:
        """How many iterations of a chunk come before the next mark and every limit."""
        done, limit = self.work.iterations, self.limit
        if limit.iterations is not None:
            chunk = min(chunk, limit.iterations - done)
        if self.mark is not None:
            chunk = min(chunk, self.mark - done)
        if limit.seconds is not None and self.pace > 0:
            chunk = min(chunk, int((limit.seconds - self.elapsed()) / self.pace))
        chunk = max(1, chunk)
        if deadline is not None and self.calls:
            remaining = deadline - time.perf_counter()
            if remaining < (1 + reserve) * self.longest:
                return 0
            if math.isfinite(remaining):
                chunk = max(1, min(chunk, int(remaining / self.longest - reserve)))
        return chunk

    def advance(self, count: int) -> int:
        """Advance; how many iterations take CHUNK_SECONDS, at most four times as many as now."""
        before, since = self.work.iterations, time.perf_counter()
        self.work.advance(count)
        took = max(time.perf_counter() - since, 1e-9)
        done = max(1, self.work.iterations - before)
        self.calls += 1
        self.pace = took / done
        # The first calls may have loaded what the others use.
        self.longest = self.pace if self.calls <= 2 else max(self.longest, self.pace)
        return max(1, min(4 * done, int(CHUNK_SECONDS / self.pace)))

    def measure(self) -> None:
        """Evaluate where a mark is reached."""
        if self.mark is None or self.marks is None or self.work.iterations < self.mark:
            return
        figure = self.work.evaluate()
        if not math.isnan(figure):
            self.figure = figure
        if math.isnan(self.highest):
            self.highest = self.figure
        self.mark = self.marks(self.work.iterations, self.figure)

    def progress(self) -> Progress:
        work, elapsed = self.work, max(self.elapsed(), 1e-9)
        rate = (work.iterations - self.start) / elapsed
        return Progress(
            work.algorithm, work.iterations, work.seconds, self.figure, self.share(elapsed), rate
        )

    def share(self, elapsed: float) -> float:
        limit, target, shares = self.limit, self.limit.target, [0.0]
        if limit.iterations is not None:
            shares.append(self.work.iterations / limit.iterations)
        if limit.seconds is not None:
            shares.append(elapsed / limit.seconds)
        if target is not None and self.figure > 0:
            first = max(self.highest, 2 * target)
            shares.append(math.log(first / max(self.figure, target)) / math.log(first / target))
        return min(1.0, max(shares))


class Autosave:
    """Saves every few seconds when `beat` is called often.

    A full disk is reported once and tried again later; it never ends the work. Saving takes at most
    one part in `spacing` of the time.
    """

    def __init__(
        self,
        save: Callable[[Path], None],
        path: str | Path,
        *,
        every: float | None = None,
        spacing: float = SPACING,
        elsewhere: Sequence[str | Path] | None = None,
    ) -> None:
        self.path, self._save, self._elsewhere = Path(path), save, elsewhere
        self._every = _autosave_seconds(AUTOSAVE_SECONDS if every is None else every)
        self._spacing = spacing
        self._due = time.monotonic() + self._every
        self._reported = ""

    def beat(self) -> None:
        """Save where it is time to."""
        began = time.monotonic()
        if began < self._due:
            return
        try:
            self._save(self.path)
            self._reported = ""
        except (StorageError, OSError) as error:
            if str(error) != self._reported:
                self._reported = str(error)
                notice(f"{_sentence(error)} The work goes on, and saving is tried again.")
        now = time.monotonic()
        self._due = now + max(self._every, self._spacing * (now - began))

    def finish(self) -> Path:
        """Save for the last time; where that went, if the path's own disk is full."""
        return save_somewhere(self._save, self.path, self._elsewhere)


def save_somewhere(
    save: Callable[[Path], object],
    path: str | Path,
    elsewhere: Sequence[str | Path] | None = None,
    *,
    message: str = "The result is in {} instead.",
) -> Path:
    """Save a result of long work; where its path cannot be written, in a folder that can.

    A command that saves elsewhere exits with 1: a script that relies on the path must not go on.
    `elsewhere` are the folders to try: the working folder, that for temporary files and the home.
    """
    try:
        save(Path(path))
        return Path(path)
    except (StorageError, OSError) as error:
        first = error
    folders = _other_folders() if elsewhere is None else map(Path, elsewhere)
    for folder in folders:
        other_path = _free_path(folder / Path(path).name)
        try:
            save(other_path)
        except (StorageError, OSError):
            continue
        report_unwritten(f"{_sentence(first)} {message.format(other_path)}")
        return other_path
    raise first


def _other_folders() -> Iterator[Path]:
    yield Path()
    with suppress(OSError):  # there is no folder for temporary files that has room
        yield Path(tempfile.gettempdir())
    with suppress(RuntimeError):  # this user has no home
        yield Path.home()


def _free_path(path: Path) -> Path:
    """The path, or with a number where there is such a file already."""
    names = (path.with_stem(f"{path.stem}-{number}") for number in range(1, 1000))
    return next((name for name in (path, *names) if not name.exists()), path)


def _sentence(error: Exception) -> str:
    return f"{str(error).rstrip('.')}."


def _autosave_seconds(usual: float) -> float:
    try:
        return max(0.0, float(os.environ.get("RIVERBOAT_AUTOSAVE", "")))
    except ValueError:
        return usual
