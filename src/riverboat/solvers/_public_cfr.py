"""The CFR family on a public tree: all hands of a node at once, as lanes of a vector.

The members are those of solvers.config and the arithmetic is that of CFR on a game tree, in
another order: an iteration visits every public node once a player, and at each does for all hands
what CFR does for one. Vectors and the sharing of terminals are after Johanson, Waugh, Bowling and
Zinkevich, "Accelerating best response calculation in large extensive games" (IJCAI 2011).

With `sampled` an iteration deals one hand to each player and all hidden cards, and goes
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
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import parameters_of
from riverboat.solvers.algorithms import SAMPLED_PREFIX, CFRConfig, config_text, parse_algorithm
from riverboat.solvers.run import Limit
from riverboat.solvers.solver import Solver, read_checkpoint
from riverboat.strategies.public_strategy import PublicStrategy
from riverboat.trees.best_response import Evaluation, evaluate_public, load_evaluation, tree_arrays
from riverboat.trees.public_games import PublicGame, public_game
from riverboat.trees.public_tree import MEMORY_LIMIT, PublicTree, build_public_tree

if TYPE_CHECKING:
    from riverboat.solvers._cfr_kernels import Family


PARTS = 64  # A tree is split for threads into subtrees of at most 1/64 of its nodes
SMALL = 10_000  # Nodes below which threads would cost more than they bring

ROOTS = np.zeros(1, np.int64)


class PublicCFRSolver(Solver):
    """CFR, CFR+, linear CFR, DCFR and the predictive ones in the middle of their work."""

    kept = ("regrets", "last", "weights")

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
        super().__init__(public.game, SAMPLED_PREFIX * sampled + config_text(self.config), seed)
        self.sampled = sampled
        predictive = self.config.prediction != 0
        self.tree: PublicTree = build_public_tree(
            public.shapes, num_arrays=3 if predictive else 2, memory_limit=memory_limit
        )
        self.arrays = tree_arrays(self.tree, fixed=not sampled)
        size = self.tree.num_slots * public.shapes.num_lanes
        self.regrets, self.weights = np.zeros(size), np.zeros(size)
        self.last = np.zeros(size if predictive else 0)
        self.threads = threads
        self._worlds = public.worlds() if sampled else None
        self._parts = self._split() if threads > 1 and not sampled else None

    @classmethod
    def load(
        cls, path: str | Path, *, threads: int = 1, memory_limit: int = MEMORY_LIMIT
    ) -> PublicCFRSolver:
        """The solver that a file was saved from, ready to go on."""
        saved = read_checkpoint(path)
        spec = parse_algorithm(saved.algorithm, public=True)
        solver = cls(
            public_game(saved.game()),
            spec.config,
            sampled=spec.sampled,
            threads=threads,
            memory_limit=memory_limit,
        )
        solver.restore(saved)
        return solver

    def state(self) -> dict[str, NDArray[Any]]:
        return {"clock": self.clock[:1], **super().state()}

    def prepare(self, limit: Limit) -> None:
        self.iterate(0)
        load_evaluation(self.tree)  # on a large tree an evaluation costs more than an iteration

    def iterate(self, iterations: int) -> None:
        from riverboat.solvers._cfr_kernels import family_of
        from riverboat.solvers._public_cfr_kernels import Job, LaneState, iterate, sample_iterate

        family = family_of(self.config)
        run = LaneState(self.clock, self.regrets, self.last, self.weights)
        if self._worlds is not None:
            deal = self.public.shapes.deal
            sample_iterate(self.arrays, family, run, iterations, self.seed, deal, *self._worlds)
        elif self._parts is None or iterations == 0:
            whole = Job(0, ROOTS, 0, 1, 0, False, np.empty(0))
            iterate(self.arrays, family, run, iterations, whole)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                for _ in range(iterations):
                    for players in (1, 2) if self.config.alternating else (3,):
                        self._sweep_in_parts(pool, family, players, *self._parts)
                    self.clock[0] += 1

    def _sweep_in_parts(
        self,
        pool: ThreadPoolExecutor,
        family: Family,
        players: int,
        nodes: NDArray[np.int64],
        max_part: int,
    ) -> None:
        """The sweep of `iterate` with its subtrees handed to threads; the same bits."""
        from riverboat.solvers._public_cfr_kernels import Job, LaneState, iterate

        parts = np.empty(nodes.size * 2 * self.arrays.num_lanes)
        run = LaneState(self.clock, self.regrets, self.last, self.weights)
        sweep = partial(iterate, self.arrays, family, run, 1)
        sweep(Job(players, ROOTS, 0, 1, max_part, True, parts))
        edges = np.linspace(0, nodes.size, self.threads + 1).astype(np.int64).tolist()
        tasks = [
            pool.submit(sweep, Job(players, nodes, begin, stop, 0, False, parts))
            for begin, stop in itertools.pairwise(edges)
        ]
        for task in tasks:
            task.result()
        sweep(Job(players, ROOTS, 0, 1, max_part, False, parts))

    def _split(self) -> tuple[NDArray[np.int64], int] | None:
        """The roots of the subtrees that threads share, and the size up to which they are such."""
        from riverboat.solvers._public_cfr_kernels import find_parts

        if self.tree.num_nodes < SMALL:
            return None
        max_part = self.tree.num_nodes // PARTS
        nodes = np.empty(self.tree.num_nodes, np.int64)
        return nodes[: find_parts(self.arrays, max_part, nodes)].copy(), max_part

    def evaluation(self) -> Evaluation:
        """The average strategy's values and exact best responses."""
        return evaluate_public(self.tree, self.weights)

    def strategy(self, info: Mapping[str, Any] | None = None) -> PublicStrategy:
        rows = self.weights.reshape(-1, self.public.shapes.num_lanes).copy()
        facts = {**self.facts(), **(info or {})}
        return PublicStrategy(self.game.name, parameters_of(self.game), rows, facts)
