"""Which trainer the options of `train holdem` mean: one machine's, or one with a crew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.holdem.abstraction.game_config import AbstractGame
from riverboat.holdem.mccfr.mccfr import HoldemTrainer
from riverboat.holdem.mccfr.spread_training import PARTS, SpreadTrainer
from riverboat.jobs.crews import open_crew
from riverboat.jobs.holdem_training_jobs import CrewTeam
from riverboat.jobs.job_list import Crew

__all__ = ["TrainerMaker", "open_maker"]


@dataclass(frozen=True)
class TrainerMaker:
    """Makes trainers; None stands for what nobody chose."""

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
        self, path: Path, memory_limit: int, progress: Callable[[str, float], None] | None
    ) -> HoldemTrainer:
        """A trainer that goes on from a checkpoint."""
        if self.crew is None:
            return HoldemTrainer.load(path, memory_limit=memory_limit, progress=progress)
        return SpreadTrainer.open(
            path, self._team, parts=self.parts, memory_limit=memory_limit, progress=progress
        )

    def _team(self, abstract: AbstractGame, seed: int) -> CrewTeam:
        assert self.crew is not None
        return CrewTeam(self.crew, abstract, seed, self.threads or 1)

    def facts(self, trainer: HoldemTrainer) -> dict[str, Any]:
        """What is to be told of work that was spread; nothing for one machine."""
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
