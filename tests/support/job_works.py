"""Kinds of work for the tests of jobs; a module, so that other processes can import it."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from riverboat.errors import UsageError
from riverboat.jobs.job_list import SharedArray
from riverboat.runtime.stopping import current_stop


@dataclass(frozen=True)
class Squares:
    """Squares plus what was prepared."""

    add: int = 0

    def prepare(self) -> int:
        return self.add

    def do(self, tools: int, job: int) -> int:
        return job * job + tools


@dataclass(frozen=True)
class Refuses:
    """Fails at one job by a mistake of the user's."""

    def prepare(self) -> None:
        return None

    def do(self, tools: None, job: int) -> int:
        if job == 3:
            raise UsageError("Three is not for sale.")
        return job


@dataclass(frozen=True)
class Dies:
    """Ends its process at a job, the first time or always; a line is written for each attempt."""

    folder: Path
    at: int
    always: bool = False

    def prepare(self) -> None:
        return None

    def do(self, tools: None, job: int) -> int:
        mark = self.folder / "died"
        if job == self.at and (self.always or not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        with (self.folder / "done.txt").open("a") as stream:
            stream.write(f"{job}\n")
        return -job


@dataclass(frozen=True)
class Sums:
    """The sum of a stretch of an array that all share."""

    def prepare(self) -> None:
        return None

    def do(self, tools: None, job: tuple[SharedArray, int, int]) -> int:
        array, first, last = job
        return int(array.get()[first:last].sum())


SHARED = np.arange(1000, dtype=np.int64)
"""Sums to 999 · 1000 / 2."""


@dataclass(frozen=True)
class Endless:
    """Job 0 is done at once; the others only end by a stop, unfinished."""

    folder: Path

    def prepare(self) -> None:
        return None

    def do(self, tools: None, job: int) -> int:
        if job:
            (self.folder / str(job)).touch()
            while not current_stop().requested:
                (self.folder / str(job)).touch()
            raise KeyboardInterrupt
        while not (self.folder / "1").exists():
            pass
        return job


@dataclass(frozen=True)
class Compiles:
    """Compiles one function after the other without an end."""

    folder: Path

    def prepare(self) -> None:
        return None

    def do(self, tools: None, job: int) -> int:
        while True:
            njit(lambda x: x + 1)(1)
            (self.folder / str(job)).touch()
