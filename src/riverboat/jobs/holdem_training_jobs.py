"""Blueprint training as jobs: a job is a chunk of deals, its result what the chunk changed.

Workers keep the numbers from round to round. A job names the snapshot and the rounds since it; a
worker takes over those rounds that it has not seen, and one that is new (a node that numbers, a
process after a crash) reads the snapshot first. Both stand in Ray's memory, once for each node.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.holdem.abstraction.game_config import AbstractGame
from riverboat.holdem.mccfr.spread_walks import Chunk, ChunkWalker
from riverboat.jobs.job_list import Crew, SharedArray, run_jobs

__all__ = ["BlueprintWork", "ChunkJob", "CrewTeam"]

MOST_STEPS = 32
KEPT_STEPS = 8
"""Steps that stay after a new snapshot, for workers that are a little behind."""


@dataclass(frozen=True)
class Step:
    """A round: the numbers that changed, and the discount after it."""

    numbers: SharedArray
    factor: float | None


@dataclass(frozen=True)
class ChunkJob:
    """A chunk, and how to come to the numbers it starts from."""

    chunk: Chunk
    snapshot: SharedArray
    version: int
    """Of the snapshot: how many rounds are in it."""
    steps: tuple[Step, ...]
    first: int
    """The version to which the first of the steps is added."""


@dataclass(frozen=True)
class BlueprintWork:
    """Walk chunks of a game."""

    abstract: AbstractGame
    seed: int
    threads: int

    def prepare(self) -> ChunkWalker:
        # What comes from Ray's memory cannot be written to, and kernels are compiled anew for such
        # arrays; the tree is small, so a copy is cheaper.
        abstract = dataclasses.replace(self.abstract, tree=copy.deepcopy(self.abstract.tree))
        return ChunkWalker(abstract, self.seed, self.threads)

    def do(self, tools: ChunkWalker, job: ChunkJob) -> NDArray[np.uint8]:
        if not job.first <= tools.version <= job.first + len(job.steps):
            tools.load(job.version, job.snapshot.get())
        for step in job.steps[tools.version - job.first :]:
            tools.follow(step.numbers.get(), step.factor)
        return tools.walk(job.chunk)


class CrewTeam:
    """A crew that walks for a SpreadTrainer."""

    def __init__(self, crew: Crew, abstract: AbstractGame, seed: int, threads: int = 1) -> None:
        self.crew = crew
        self.work = BlueprintWork(abstract, seed, threads)
        self._snapshot: SharedArray | None = None
        self._version = self._first = 1
        self._steps: list[Step] = []
        self._bytes = 0

    def begin(self, table: NDArray[np.float32]) -> None:
        self._first += len(self._steps) + 1
        self._drop(len(self._steps))
        self._renew(table)
        list(self.walk([Chunk(0, 0, 0)]))  # compiles, or waits for the first worker

    def walk(self, chunks: Sequence[Chunk]) -> Iterator[NDArray[np.uint8]]:
        assert self._snapshot is not None
        know = (self._snapshot, self._version, tuple(self._steps), self._first)
        return run_jobs(self.work, [ChunkJob(chunk, *know) for chunk in chunks], self.crew)

    def follow(
        self, numbers: NDArray[np.uint8], factor: float | None, table: NDArray[np.float32]
    ) -> None:
        numbers.flags.writeable = False
        self._steps.append(Step(self.crew.share(numbers), factor))
        self._bytes += numbers.nbytes
        if len(self._steps) >= MOST_STEPS or self._bytes > table.nbytes:
            self._first += max(0, len(self._steps) - KEPT_STEPS)
            self._drop(len(self._steps) - KEPT_STEPS)
            self._renew(table)

    def _drop(self, count: int) -> None:
        """Forget the oldest steps."""
        for step in self._steps[: max(0, count)]:
            step.numbers.free()
        self._steps = self._steps[max(0, count) :]

    def _renew(self, table: NDArray[np.float32]) -> None:
        """A new snapshot; whoever comes later needs nothing of what was before."""
        if self._snapshot is not None:
            self._snapshot.free()
        self._version, self._bytes = self._first + len(self._steps), 0
        whole = table.copy()
        whole.flags.writeable = False
        self._snapshot = self.crew.share(whole)
