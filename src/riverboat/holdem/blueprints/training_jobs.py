"""Blueprint training as jobs: a job is a chunk of deals, its result what the chunk changed.

Workers keep the numbers from round to round. A job names the snapshot and the rounds since it; a
worker takes over those rounds that it has not seen, and one that is new (a node that numbers, a
process after a crash) reads the snapshot first. Both are kept in Ray's memory, once for each node.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.holdem.blueprints._chunk_walks import Chunk, ChunkWalker
from riverboat.holdem.blueprints._spread_trainer import PARTS, SpreadTrainer
from riverboat.holdem.blueprints.game_config import AbstractGame, read_config
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import Crew, SharedArray, run_jobs
from riverboat.runtime.stopping import Stop, use_stop

MAX_STEPS = 32  # Steps after which there is a new snapshot
KEPT_STEPS = 8  # Steps that stay after a new snapshot, for workers that are a little behind


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
    version: int  # Of the snapshot: how many rounds are in it
    steps: tuple[Step, ...]
    first: int  # The version to which the first of the steps is added


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

    def __init__(
        self,
        crew: Crew,
        abstract: AbstractGame,
        seed: int,
        threads: int = 1,
        *,
        most_steps: int = MAX_STEPS,
        kept_steps: int = KEPT_STEPS,
    ) -> None:
        self.crew = crew
        self._most_steps, self._kept_steps = most_steps, kept_steps
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
        with use_stop(Stop()):  # a stop waits for the whole round
            jobs = [ChunkJob(chunk, *know) for chunk in chunks]
            yield from run_jobs(self.work, jobs, self.crew)

    def follow(
        self, numbers: NDArray[np.uint8], factor: float | None, table: NDArray[np.float32]
    ) -> None:
        numbers.flags.writeable = False
        self._steps.append(Step(self.crew.share(numbers), factor))
        self._bytes += numbers.nbytes
        if len(self._steps) >= self._most_steps or self._bytes > table.nbytes:
            old = max(0, len(self._steps) - self._kept_steps)
            self._first += old
            self._drop(old)
            self._renew(table)

    def _drop(self, count: int) -> None:
        """Forget the oldest steps."""
        for step in self._steps[:count]:
            step.numbers.free()
        self._steps = self._steps[count:]

    def _renew(self, table: NDArray[np.float32]) -> None:
        """A new snapshot; workers that join later need none of the earlier steps."""
        if self._snapshot is not None:
            self._snapshot.free()
        self._version, self._bytes = self._first + len(self._steps), 0
        whole = table.copy()
        whole.flags.writeable = False
        self._snapshot = self.crew.share(whole)


@dataclass(frozen=True)
class TrainerMaker:
    """Makes trainers; None stands for what was not chosen."""

    crew: Crew | None
    threads: int | None
    seed: int | None
    parts: int | None

    def new(self, abstract: AbstractGame) -> HoldemTrainer:
        """A trainer that begins."""
        seed = self.seed or 0
        if self.crew is None:
            return HoldemTrainer(abstract, seed=seed, threads=self.threads or 1)
        return SpreadTrainer(
            abstract, self._team(abstract, seed), seed=seed, parts=self.parts or PARTS
        )

    def load(
        self,
        path: Path,
        memory_limit: int,
        progress: Callable[[str, float], None] | None,
        config: str | None = None,
    ) -> HoldemTrainer:
        """A trainer that goes on from a checkpoint.

        Raises:
            UsageError: the checkpoint has another config, seed or number of threads.
        """
        how: Any = {"memory_limit": memory_limit, "progress": progress}
        if self.crew is None:
            trainer = HoldemTrainer.load(path, **how)
        else:
            trainer = SpreadTrainer.open(path, self._team, parts=self.parts, **how)
        self._check_same(trainer, config)
        return trainer

    def _check_same(self, trainer: HoldemTrainer, config: str | None) -> None:
        mine = trainer.abstract.config
        if config is not None:
            asked = read_config(config)
            if (asked.game, asked.sizes, asked.training) != (mine.game, mine.sizes, mine.training):
                raise UsageError(
                    f"The checkpoint is of another config than {config}; leave the config out."
                )
        same = self.crew is not None or self.threads in (None, trainer.threads)
        if self.seed not in (None, trainer.seed) or not same:
            raise UsageError(
                f"The checkpoint has seed {trainer.seed} and {trainer.threads} thread"
                f"{'s' * (trainer.threads != 1)}; go on with the same."
            )

    def _team(self, abstract: AbstractGame, seed: int) -> CrewTeam:
        assert self.crew is not None
        return CrewTeam(self.crew, abstract, seed, self.threads or 1)

    def facts(self, trainer: HoldemTrainer) -> dict[str, Any]:
        """Figures of work that was spread over workers; empty for one machine."""
        if not isinstance(trainer, SpreadTrainer) or self.crew is None:
            return {}
        return {
            "crew": self.crew.name,
            "workers": self.crew.workers(),
            "parts": trainer.parts,
            "rounds": trainer.rounds,
            "chunks": trainer.chunks,
            "chunks_done_again": self.crew.retried,
            "sent_bytes_per_walk": trainer.bytes_per_walk,
            "received_bytes_per_walk": trainer.received_per_walk,
        }

    def words(self, trainer: HoldemTrainer) -> list[str]:
        """The same in a line or two."""
        facts = self.facts(trainer)
        if not facts:
            return []
        again = facts["chunks_done_again"]
        lost = f", {again:,} done again after a worker was lost" if again else ""
        return [
            f"{facts['rounds']:,} rounds of up to {facts['parts']} chunks by {facts['crew']}{lost}",
            f"sent per walk: {facts['sent_bytes_per_walk']:.1f} bytes by all workers together,"
            f" {facts['received_bytes_per_walk']:.1f} to each machine",
        ]


@contextmanager
def open_maker(
    ray: str | None,
    workers: int | None,
    *,
    threads: int | None = None,
    seed: int | None = None,
    parts: int | None = None,
) -> Iterator[TrainerMaker]:
    """A maker with a crew where one is wanted; the crew ends with the block."""
    with ExitStack() as stack:
        crew = None
        if ray is not None or workers is not None:
            crew = stack.enter_context(open_crew(ray, workers, cores=threads or 1))
        yield TrainerMaker(crew, threads, seed, parts)
