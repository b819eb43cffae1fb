"""External-sampling MCCFR for abstract hold'em, two to ten players, one or several threads.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive
games" (NIPS 2009), with the linear weights and the pruning of Brown and Sandholm, "Superhuman AI
for multiplayer poker" (Science 2019):

1. Deal all players' cards and the board; look up buckets and showdown strengths once.
2. Each player walks the betting once for this deal (an *iteration* is one such walk): all own
   actions are tried, the others draw theirs from regret matching, and what they draw from enters
   their averages. A fold ends a player's walk at once.
3. After each period of deals, with linear weighting, period k's numbers are multiplied by
   k / (k + 1), which weighs period k by k.
4. Later, most walks leave out actions with very low regret.

Converges to an equilibrium of the abstract game for two players with full history; with more
players, or with histories in letters, it is the method that works in practice without a promise.
Departures: a deal serves all players' walks; the average at the others' nodes is sampled, not
summed over (Pluribus sums, on the first street only).

Several threads walk on the same numbers, each with its own deals. A number is one aligned float32
and never torn; when two threads add to the same one at the same moment, one addition may be lost.
`root_draws` measures how many: every draw at the root adds exactly 1 to the averages there. One
thread is deterministic, and stopping, saving and resuming changes nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError, ParameterError, UsageError
from riverboat.holdem.abstraction.deals import Deals
from riverboat.holdem.blueprints._mccfr_kernels import (
    Batch,
    Desk,
    Pruning,
    TreeArrays,
    discount,
    play_out,
    walk,
)
from riverboat.holdem.blueprints.betting_tree import BettingTree
from riverboat.holdem.blueprints.blueprint import Blueprint, averages_as_weights
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig, read_config
from riverboat.runtime.compiled import stream
from riverboat.runtime.stopping import current_stop, stop_on_signals
from riverboat.solvers.run import Autosave, Limit, ProgressCallback, run
from riverboat.strategies.files import read_arrays, write_arrays

__all__ = [
    "Batch",
    "HoldemTrainer",
    "Pruning",
    "arrays_of",
    "desk_for",
    "play_out",
    "train_blueprint",
    "walk",
]


KIND = "holdem-checkpoint"
ALGORITHM = "external-mccfr"
BATCH = 1024  # Deals in one call of the kernel
MAX_THREADS = 1024
CEILING = 2.0**22
"""Averages above it are halved: further up, float32 begins to lose small additions."""


def arrays_of(tree: BettingTree, starts: NDArray[np.int64]) -> TreeArrays:
    """A tree as the kernels take it; `starts` as the tree gives them for its buckets."""
    return TreeArrays(tree.nodes, tree.children, tree.leaves, tree.dead, starts, tree.strides)


def desk_for(tree: BettingTree, generator: NDArray[np.uint64], counts: NDArray[np.int64]) -> Desk:
    """Room for one thread's walks on a tree."""
    depth = tree.depth + 1
    utilities, current = np.zeros((2, depth, tree.widest))
    frames = np.zeros((depth, 3), np.uint64)
    rows = np.zeros(len(tree.strides), np.uint64)
    return Desk(generator, frames, utilities, current, rows, counts)


class _Worker:
    """What one thread has for itself: cards, random numbers and scratch."""

    def __init__(self, abstract: AbstractGame, seed: int, number: int) -> None:
        tree = abstract.tree
        self.deals = Deals(tree.game, abstract.buckets, seed, number, BATCH)
        self.generator = np.array([stream(seed % 2**64, 2 * number + 1)], np.uint64)
        self.counts = np.zeros(2, np.int64)
        self.desk = desk_for(tree, self.generator, self.counts)


def finish(work: Sequence[Future[None]]) -> None:
    """Wait for threads, also after a second Ctrl-C: what they began is counted, and can be saved.

    They take a tenth of a second.
    """
    try:
        wait(work)
    except KeyboardInterrupt:
        wait(work)
        current_stop().request()
    for done in work:
        done.result()


class HoldemTrainer:
    """Trains one abstract game; the numbers are in `table` (float32)."""

    algorithm = ALGORITHM

    def __init__(self, abstract: AbstractGame, *, seed: int = 0, threads: int = 1) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise ParameterError(f"1 to {MAX_THREADS} threads can train, not {threads}.")
        self.abstract, self.seed, self.threads = abstract, seed, threads
        tree = abstract.tree
        self.starts = tree.starts(abstract.buckets.num_buckets)
        self.table = np.zeros(int(self.starts[-1]), np.float32)
        self.workers = [_Worker(abstract, seed, number) for number in range(threads)]
        self.deals, self.seconds = 0, 0.0
        self.stopped = False
        """Whether a stop ended the last run."""
        self._compiled = False
        game, training = tree.game, abstract.config.training
        self._unit = float(game.big_blind or game.ante or 1)
        # A period is whole batches, so that its end never falls inside one.
        self._period = max(1, -(-training.period // BATCH)) * BATCH
        self._num_buckets = np.tile(np.array(abstract.buckets.num_buckets), game.players)

    @property
    def iterations(self) -> int:
        """Walks: one for each player and deal."""
        return self.deals * self.abstract.tree.game.players

    def run(
        self,
        limit: Limit,
        progress: ProgressCallback | None = None,
        autosave: Autosave | None = None,
    ) -> None:
        """Train until the limit; its iterations are walks in all, rounded up to whole batches.

        What must be compiled is compiled before the clock starts. A stop ends the run early, leaves
        all intact and sets `stopped`.
        """
        if limit.target is not None:
            raise UsageError("How exploitable a blueprint is, is not known while it is trained.")
        self.compile()
        with stop_on_signals() as stop, ThreadPoolExecutor(self.threads) as self._pool:
            self.begin()
            stopped = run(self, limit, progress=progress, autosave=autosave, stop=stop)
        self.stopped = stopped or self.finished

    def begin(self) -> None:
        """What is done before the first walk of a run."""

    @property
    def finished(self) -> bool:
        """Whether no walk can follow."""
        return False

    def evaluate(self) -> float:
        """How exploitable a blueprint is can only be estimated (holdem/blueprints/measure.py)."""
        return math.nan

    def compile(self) -> None:
        """Compile what training needs, or read it from the cache; nothing else changes."""
        if self._compiled:
            return
        self._compiled = True
        worker = _Worker(self.abstract, self.seed, 0)
        self._walk(worker, 1, deals=0)
        nothing, none = np.zeros(0, np.float32), np.zeros(0, np.int64)
        infosets = np.zeros((0, 3), np.int32)
        discount(nothing, np.zeros(1, np.int64), none, none, infosets, 1.0, np.float32(CEILING))

    def advance(self, count: int) -> None:
        """Batches for that many walks by all threads, up to the end of the period; its discount."""
        since = time.perf_counter()
        remaining = (self._period - self.deals % self._period) // BATCH
        batches = min(remaining, -(-count // (BATCH * self.abstract.tree.game.players)))
        shares = [len(range(i, batches, self.threads)) for i in range(self.threads)]
        pairs = zip(self.workers, shares, strict=True)
        finish([self._pool.submit(self._walk, *pair) for pair in pairs])
        self.deals += batches * BATCH
        if self.deals % self._period == 0 and self.abstract.config.training.weighting == "linear":
            period = self.deals // self._period
            self.sweep(period / (period + 1))
        self.seconds += time.perf_counter() - since

    def _walk(self, worker: _Worker, batches: int, deals: int = BATCH) -> None:
        tree, training = self.abstract.tree, self.abstract.config.training
        prune = Pruning(
            np.float32(-training.prune_below * self._unit),
            training.prune_share if self.deals >= training.prune_after else 0.0,
            np.float32(-1.1 * training.prune_below * self._unit),
        )
        arrays, players = arrays_of(tree, self.starts), tree.game.players
        for _ in range(batches):
            batch = Batch(*worker.deals.next(deals))
            walk(arrays, self.table, batch, 0, players, True, prune, worker.desk)

    def sweep(self, factor: float = 1.0) -> int:
        """Multiply all numbers by `factor`; returns the number of infosets visited so far."""
        tree = self.abstract.tree
        return int(
            discount(
                self.table,
                self.starts,
                tree.strides,
                self._num_buckets,
                tree.infosets,
                factor,
                np.float32(CEILING),
            )
        )

    def blueprint(self) -> Blueprint:
        """The average strategy so far."""
        info = {"iterations": self.iterations, **self._facts()}
        return Blueprint(self.abstract, averages_as_weights(self.abstract, self.table), info)

    def save(self, path: str | Path) -> None:
        """A checkpoint from which `load` goes on as if nothing had happened."""
        arrays: dict[str, NDArray[Any]] = {
            "table": self.table,
            "generators": np.array([[w.deals.generator[0], w.generator[0]] for w in self.workers]),
            "decks": np.stack([w.deals.deck for w in self.workers]),
            "counts": np.stack([w.counts for w in self.workers]),
        }
        write_arrays(path, KIND, arrays, self.header())

    def header(self) -> dict[str, Any]:
        """What a checkpoint says of the run."""
        return {"config": self.abstract.config.as_table(), **self._facts()}

    def _facts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("deals", "seconds", "seed", "threads")}

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        memory_limit: int | None = None,
        progress: Callable[[str, float], None] | None = None,
    ) -> HoldemTrainer:
        """Go on from a checkpoint; card tables that are not in the cache are built first."""
        arrays, header = read_arrays(path, KIND)
        if "spread" in header:
            raise UsageError(
                f"{path} was trained by several workers; go on with --workers or --ray."
            )
        try:
            config = HoldemConfig.from_table(header["config"], str(path))
            abstract = AbstractGame.build(
                config, memory_limit=memory_limit, threads=header["threads"], progress=progress
            )
            trainer = cls(abstract, seed=header["seed"], threads=header["threads"])
            trainer.take_over(path, arrays, header)
            decks = np.stack([worker.deals.deck for worker in trainer.workers])
            kept = arrays["generators"], arrays["decks"], arrays["counts"]
            sizes = [(trainer.threads, 2), decks.shape, (trainer.threads, 2)]
            # A card that is none would make the kernels read and write elsewhere.
            if [array.shape for array in kept] != sizes or not (
                np.array_equal(np.sort(kept[1]), np.sort(decks)) and (kept[2] >= 0).all()
            ):
                raise FileFormatError(f"{path} is damaged: its cards are no deck.")
            for worker, generators, deck, counts in zip(trainer.workers, *kept, strict=True):
                worker.deals.generator[0], worker.generator[0] = generators
                worker.deals.deck[:], worker.counts[:] = deck, counts
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise FileFormatError(f"{path} is damaged: it lacks {error}.") from error
        return trainer

    def take_over(
        self, path: str | Path, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
    ) -> None:
        """Take the numbers, deals and seconds of a checkpoint, once they are found sound."""
        table, deals, seconds = arrays["table"], header["deals"], header["seconds"]
        if table.shape != self.table.shape or table.dtype != self.table.dtype:
            raise FileFormatError(f"{path} is damaged: its size does not fit its game.")
        sound = isinstance(deals, int) and deals >= 0 and 0 <= float(seconds) < math.inf
        if not (sound and np.isfinite(table).all()):
            raise FileFormatError(f"{path} is damaged: its numbers are not finite.")
        self.table[:] = table
        self.deals, self.seconds = deals, float(seconds)


def train_blueprint(
    config: str | Path | HoldemConfig = "headsup-small",
    *,
    minutes: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: ProgressCallback | None = None,
) -> Blueprint:
    """Train for `minutes`, or a number of walks of one player over one deal; Ctrl-C ends it early.

    `config` is a shipped one's name, a TOML file, or a HoldemConfig. Card tables that are not in
    the cache are built first.
    """
    if minutes is None and iterations is None:
        raise UsageError("Say how long to train: minutes=10, or iterations=1_000_000.")
    read = config if isinstance(config, HoldemConfig) else read_config(config)
    trainer = HoldemTrainer(AbstractGame.build(read, threads=threads), seed=seed, threads=threads)
    trainer.run(Limit(iterations, None, None if minutes is None else 60 * minutes), progress)
    if trainer.stopped and not trainer.deals:
        raise KeyboardInterrupt
    return trainer.blueprint()
