"""The CFR family on a public tree: all hands of a node at once, as lanes of a vector.

The members are those of solvers.config and the arithmetic is that of CFR on a game tree, in
another order: an iteration visits every public node once a player, and at each does for all hands
what CFR does for one. Vectors and the sharing of terminals are after Johanson, Waugh, Bowling and
Zinkevich, "Accelerating best response calculation in large extensive games" (IJCAI 2011).

With `sampled` an iteration deals one hand to each player, and what nobody sees too, and goes
through the public tree for those alone (chance-sampled CFR): far cheaper, and noisy. Discounts
then apply to the rows that an iteration visits.

In a two-player game whose payoffs add up to a constant the average strategy's NashConv goes to
zero. Otherwise, as in the duel, where the dealer takes the rest, nothing is promised but that each
player's average regret does; NashConv says what was reached (docs/duel.md).

Cost: an iteration reads the regrets twice and writes regrets and average once; a terminal costs
one product of a lane vector and a table.
"""

from __future__ import annotations

import itertools
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import FileFormatError, UsageError
from riverboat.games.base import Game, parameters_of
from riverboat.solvers.algorithms import config_text, parse_algorithm
from riverboat.solvers.config import CFRConfig
from riverboat.solvers.iterative import CHUNK_SECONDS, PREFIX, Origin, read_origin
from riverboat.solvers.limits import Limit, Progress, ProgressCallback
from riverboat.strategies.files import read_arrays
from riverboat.strategies.profile import check_same_game
from riverboat.strategies.public_strategy import (
    PUBLIC_KIND,
    PublicStrategy,
    public_strategy_from_arrays,
    save_public_strategy,
)
from riverboat.trees.best_response import Evaluation
from riverboat.trees.public_games import PublicGame
from riverboat.trees.public_tree import MEMORY_LIMIT, PublicTree, build_public_tree
from riverboat.trees.public_values import evaluate_public, tree_arrays

if TYPE_CHECKING:
    from riverboat.solvers.public_cfr_kernels import Family

__all__ = ["SAMPLED_PREFIX", "PublicCFRSolver"]

SAMPLED_PREFIX = "sampled-"
TELLING = 0.1
"""The part of the time that may go into saying where it stands: NashConv costs an iteration."""
CHECKS = 8
"""With a target, NashConv is looked at when the iterations have grown by one part of so many."""
PARTS = 64
"""A tree is split for threads into subtrees of at most one of so many parts of its nodes."""
SMALL = 10_000
"""Nodes below which threads would cost more than they bring."""

TOP = (np.zeros(1, np.int64), 0, 1)
WHOLE = (*TOP, 0, False)
"""What `iterate` takes to sweep from the root: the roots, the first and last of them, no cut."""


class PublicCFRSolver:
    """CFR, CFR+, linear CFR, DCFR and the predictive ones in the middle of their work."""

    def __init__(
        self,
        public: PublicGame,
        config: CFRConfig | str = "cfr+",
        *,
        sampled: bool = False,
        seed: int = 0,
        threads: int = 1,
        memory_limit: int = MEMORY_LIMIT,
    ) -> None:
        if threads < 1:
            raise UsageError(f"The number of threads must be at least 1, not {threads}.")
        self.public = public
        self.config = parse_algorithm(config).config if isinstance(config, str) else config
        self.sampled = sampled
        self.algorithm = SAMPLED_PREFIX * sampled + config_text(self.config)
        predictive = self.config.prediction != 0
        self.tree: PublicTree = build_public_tree(
            public.shapes, num_arrays=3 if predictive else 2, memory_limit=memory_limit
        )
        self.arrays = tree_arrays(self.tree, fixed=not sampled)
        size = self.tree.num_slots * public.shapes.num_lanes
        self.regrets, self.weights = np.zeros(size), np.zeros(size)
        self.last = np.zeros(size if predictive else 0)
        self.clock = np.zeros(1, np.int64)
        self.seconds, self.seed, self.stopped = 0.0, seed, False
        self.threads = threads
        self._worlds = public.worlds() if sampled else None
        self._parts = self._split() if threads > 1 and not sampled else None

    @property
    def iterations(self) -> int:
        return int(self.clock[0])

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that changes from iteration to iteration, by name; live arrays."""
        return {
            "clock": self.clock,
            "regrets": self.regrets,
            "last": self.last,
            "weights": self.weights,
        }

    def step(self) -> None:
        """One iteration."""
        self.advance(1)

    def advance(self, iterations: int) -> None:
        """So many iterations."""
        from riverboat.solvers.public_cfr_kernels import Family, iterate
        from riverboat.solvers.public_sampling_kernels import sample_iterate

        config = self.config
        family = Family(
            float(config.alpha), float(config.beta), float(config.gamma), config.plus,
            float(config.prediction), config.alternating,
        )  # fmt: skip
        state = (self.clock, self.regrets, self.last, self.weights)
        if self._worlds is not None:
            deal = self.public.shapes.deal
            sample_iterate(self.arrays, family, *state, iterations, self.seed, deal, *self._worlds)
        elif self._parts is None:
            iterate(self.arrays, family, *state, iterations, 0, *WHOLE, np.empty(0))
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                for _ in range(iterations):
                    for players in (1, 2) if config.alternating else (3,):
                        self._sweep_in_parts(pool, family, players, *self._parts)
                    self.clock[0] += 1

    def _sweep_in_parts(
        self,
        pool: ThreadPoolExecutor,
        family: Family,
        players: int,
        nodes: NDArray[np.int64],
        cut: int,
    ) -> None:
        """The sweep of `iterate` with its subtrees handed to threads; the same bits."""
        from riverboat.solvers.public_cfr_kernels import iterate

        parts = np.empty(nodes.size * 2 * self.arrays.num_lanes)
        state = (self.clock, self.regrets, self.last, self.weights)
        job = (self.arrays, family, *state, 1, players)
        iterate(*job, *TOP, cut, True, parts)
        edges = np.linspace(0, nodes.size, self.threads + 1).astype(np.int64).tolist()
        tasks = [
            pool.submit(iterate, *job, nodes, begin, stop, 0, False, parts)
            for begin, stop in itertools.pairwise(edges)
        ]
        for task in tasks:
            task.result()
        iterate(*job, *TOP, cut, False, parts)

    def _split(self) -> tuple[NDArray[np.int64], int] | None:
        """The roots of the subtrees that threads share, and the size up to which they are such."""
        from riverboat.solvers.public_cfr_kernels import find_parts

        if self.tree.num_nodes < SMALL:
            return None
        cut = self.tree.num_nodes // PARTS
        nodes = np.empty(self.tree.num_nodes, np.int64)
        return nodes[: find_parts(self.arrays, cut, nodes)].copy(), cut

    def run(self, limit: Limit, progress: ProgressCallback | None = None) -> None:
        """Iterate until the limit; Ctrl-C ends the run early, leaves all intact, sets `stopped`."""
        self.stopped = False
        self.advance(0)  # compiles, so that no limit of time is spent on that
        start, before, chunk, check = time.perf_counter(), self.seconds, 1, self.iterations
        quiet_until = start
        with _held_interrupt() as interrupted:
            while not self._reached(limit, time.perf_counter() - start):
                if limit.target is not None and self.iterations >= max(check, 1):
                    if self.evaluation().exploitability <= limit.target:
                        break
                    check = self.iterations + 1 + self.iterations // CHECKS
                if limit.target is not None:
                    chunk = min(chunk, max(check - self.iterations, 1))
                if limit.iterations is not None:
                    chunk = min(chunk, limit.iterations - self.iterations)
                since = time.perf_counter()
                self.advance(chunk)
                now = time.perf_counter()
                self.seconds = before + now - start
                chunk = max(1, min(4 * chunk, int(chunk * CHUNK_SECONDS / max(now - since, 1e-9))))
                if progress is not None and now >= quiet_until:
                    self._tell(progress, interrupted)
                    spent = time.perf_counter() - now
                    quiet_until = now + spent / TELLING
                if interrupted:
                    self.stopped = True
                    break

    def _tell(self, progress: ProgressCallback, interrupted: list[bool]) -> None:
        try:
            progress(self.progress())
        except KeyboardInterrupt:
            interrupted.append(True)

    def _reached(self, limit: Limit, elapsed: float) -> bool:
        return (limit.iterations is not None and self.iterations >= limit.iterations) or (
            limit.seconds is not None and elapsed >= limit.seconds
        )

    def progress(self) -> Progress:
        """Where the solver stands."""
        return Progress(
            self.algorithm, self.iterations, self.seconds, self.evaluation().exploitability
        )

    def evaluation(self) -> Evaluation:
        """The average strategy's values and exact best responses."""
        return evaluate_public(self.tree, self.weights)

    def strategy(self, info: Mapping[str, Any] | None = None) -> PublicStrategy:
        """The average strategy."""
        game = self.public.game
        facts = {"algorithm": self.algorithm, "iterations": self.iterations, "seed": self.seed}
        rows = self.weights.reshape(-1, self.public.shapes.num_lanes).copy()
        return PublicStrategy(game.name, parameters_of(game), rows, {**facts, **(info or {})})

    def save(self, path: str | Path, info: Mapping[str, Any] | None = None) -> None:
        """Write the average strategy and the state; load reads it back."""
        facts = {"seconds": self.seconds, **(info or {})}
        extra = {PREFIX + name: a for name, a in self.state().items() if name != "weights"}
        header = {"solver": Origin.of(self, facts)._asdict()}
        save_public_strategy(path, self.strategy(facts), extra, header)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        game: Game | None = None,
        threads: int = 1,
        memory_limit: int = MEMORY_LIMIT,
    ) -> PublicCFRSolver:
        """The solver that a file was saved from, ready to go on; refused unless for `game`."""
        arrays, header = read_arrays(path, PUBLIC_KIND)
        strategy = public_strategy_from_arrays(path, arrays, header)
        if game is not None:
            check_same_game(game, strategy, str(path))
        algorithm, seed, seconds, _ = read_origin(path, header)
        solver = cls(
            strategy.public,
            algorithm.removeprefix(SAMPLED_PREFIX),
            sampled=algorithm.startswith(SAMPLED_PREFIX),
            seed=seed,
            threads=threads,
            memory_limit=memory_limit,
        )
        found = {
            name: strategy.weights.ravel() if name == "weights" else arrays.get(PREFIX + name)
            for name in solver.state()
        }
        for name, array in solver.state().items():
            kept = found[name]
            if kept is None or kept.shape != array.shape or kept.dtype != array.dtype:
                raise FileFormatError(f"{path} is damaged: the solver's {name} cannot be read.")
            array[...] = kept
        solver.seconds = seconds
        return solver


@contextmanager
def _held_interrupt() -> Iterator[list[bool]]:
    """Collect Ctrl-C in the list it yields, so that an iteration is always finished."""
    pressed: list[bool] = []
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    previous = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, previous)
