"""External-sampling MCCFR whose walks are spread over workers.

Training goes in rounds. A round is cut into `parts` chunks of deals; every chunk is walked on the
numbers as they stood when the round began, and what all of them changed is put together at its end
by as many threads as there are cores.

- A chunk is walked as on a single machine that stands at the snapshot. Averages add up; regrets
  that several chunks changed are averaged over these chunks. So in the mean a round moves each
  regret as one chunk would, with the noise of all of them: infosets that every chunk meets go on as
  fast as one worker walks, with a steadier hand, and the many that few chunks meet as fast as all.
  Rounding is unbiased. A round is at most an eighth of the deals before it. It lies within a
  period, or ends with one, since all numbers are discounted there.
- Parts, sizes and seeds of chunks follow from the deals done, not from who walks them. So the
  result is the same, bit for bit, for any number of workers, for workers that come and go, and for
  a run that is stopped, saved and resumed.

Adding regrets up instead, as one would at first, goes too far by as many times as there are chunks:
on Leduc with 8 parts it left four times the exploitability (notes/scale.md).

More parts keep more workers busy: take about as many as there are cores. With `threads` above 1 a
chunk's threads share its copy, as on one machine, and results are no longer repeatable.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError, ParameterError, UsageError
from riverboat.holdem.blueprints._chunk_walks import Chunk, Merger
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.trainer import KIND, HoldemTrainer, finish
from riverboat.strategies.files import read_arrays, write_arrays

PARTS = 16
MAX_PARTS = 65_535
MIN_DEALS, MAX_DEALS = 256, 262_144  # Of a chunk: a worker that is lost costs no more
NUMBERS_PER_DEAL = 16_384
"""A chunk has at least one deal per this many numbers, since all are scanned for changes."""
COUNTED = ("rounds", "chunks", "sent_bytes", "received_bytes", "spread_walks")
GROWTH = 8  # A round is at most this part of the deals before it


class Team(Protocol):
    """Those who walk chunks."""

    def begin(self, table: NDArray[np.float32]) -> None:
        """Training begins, or goes on, with these numbers."""

    def walk(self, chunks: Sequence[Chunk]) -> Iterator[NDArray[np.uint8]]:
        """What each chunk changes, in this order."""

    def follow(
        self, numbers: NDArray[np.uint8], factor: float | None, table: NDArray[np.float32]
    ) -> None:
        """A round is over: the numbers that changed, a discount of all; `table` has both."""


class SpreadTrainer(HoldemTrainer):
    """Trains as HoldemTrainer does, by a team; a run's walks are rounded up to a whole round.

    A stop ends a run after the round under way; a second Ctrl-C drops that round, and all before
    it is there.
    """

    def __init__(
        self, abstract: AbstractGame, team: Team, *, seed: int = 0, parts: int = PARTS
    ) -> None:
        if not 1 <= parts <= MAX_PARTS:
            raise ParameterError(f"A round has 1 to {MAX_PARTS:,} parts, not {parts}.")
        super().__init__(abstract, seed=seed)
        self.team, self.parts = team, parts
        self.merger = Merger(abstract)
        self.rounds = self.chunks = self.sent_bytes = self.received_bytes = 0
        self._dropped = False
        self.spread_walks = 0
        """Walks whose differences are in `sent_bytes`."""

    @property
    def bytes_per_walk(self) -> float:
        """What all workers together sent."""
        return self.sent_bytes / self.spread_walks if self.spread_walks else 0.0

    @property
    def received_per_walk(self) -> float:
        """What each machine received."""
        return self.received_bytes / self.spread_walks if self.spread_walks else 0.0

    def compile(self) -> None:
        """The workers compile what they walk with."""

    def begin(self) -> None:
        self._dropped = False
        self.team.begin(self.table)

    @property
    def finished(self) -> bool:
        """Whether a round was interrupted."""
        return self._dropped

    def plan(self) -> list[Chunk]:
        """The chunks of the next round; they follow from the deals done alone."""
        remaining = self._period - self.deals % self._period
        fewest = max(MIN_DEALS, len(self.table) // NUMBERS_PER_DEAL)
        size = min(MAX_DEALS, max(fewest, self.deals // (GROWTH * self.parts)))
        deals = size * self.parts
        if deals > remaining:
            deals = remaining + (deals - remaining) // self._period * self._period
        shares = [len(range(i, deals, self.parts)) for i in range(self.parts)]
        return [Chunk(self.chunks + i, n, self.deals) for i, n in enumerate(shares) if n]

    def advance(self, count: int) -> None:
        """One round, however many walks are asked for."""
        since, chunks = time.perf_counter(), self.plan()
        try:
            differences = list(self.team.walk(chunks))
        except KeyboardInterrupt:
            self._dropped = True
            return
        # In a thread, so that Ctrl-C cannot fall between two of its steps.
        finish([self._pool.submit(self._merge, chunks, differences)])
        self.seconds += time.perf_counter() - since

    def _merge(self, chunks: Sequence[Chunk], differences: Sequence[NDArray[np.uint8]]) -> None:
        numbers = self.merger.add(differences, self.table, os.cpu_count() or 1)
        deals, before = sum(chunk.deals for chunk in chunks), self.deals // self._period
        self.deals += deals
        self.rounds += 1
        self.chunks += len(chunks)
        self.sent_bytes += sum(len(one) for one in differences)
        self.received_bytes += len(numbers)
        self.spread_walks += deals * self.abstract.tree.game.players
        factor = None
        if self.deals % self._period == 0 and self.abstract.config.training.weighting == "linear":
            # What the ends of all periods of this round would have multiplied by, one by one.
            factor = (before + 1) / (self.deals // self._period + 1)
            self.sweep(factor)
        self.team.follow(numbers, factor, self.table)

    def save(self, path: str | Path) -> None:
        """A checkpoint from which `load` goes on as if nothing had happened."""
        spread = {name: getattr(self, name) for name in ("parts", *COUNTED)}
        write_arrays(path, KIND, {"table": self.table}, {**self.header(), "spread": spread})

    @classmethod
    def open(
        cls,
        path: str | Path,
        make_team: Callable[[AbstractGame, int], Team],
        *,
        parts: int | None = None,
        memory_limit: int | None = None,
        progress: Callable[[str, float], None] | None = None,
    ) -> SpreadTrainer:
        """Go on from a checkpoint, also from one of a single machine; `parts` may change then."""
        arrays, header = read_arrays(path, KIND)
        try:
            config = HoldemConfig.from_table(header["config"], str(path))
            abstract = AbstractGame.build(config, memory_limit=memory_limit, progress=progress)
            spread: dict[str, Any] = dict(header.get("spread", {}))
            known = spread.pop("parts", None)
            if parts is not None and known is not None and parts != known:
                raise UsageError(f"The checkpoint has {known} parts; go on with the same.")
            team = make_team(abstract, int(header["seed"]))
            trainer = cls(abstract, team, seed=header["seed"], parts=parts or known or PARTS)
            trainer.take_over(path, arrays, header)
            for name in COUNTED:
                setattr(trainer, name, int(spread.get(name, 0)))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise FileFormatError(f"{path} is damaged: it lacks {error}.") from error
        return trainer
