"""CFR by sampling: chance-sampled CFR, external-sampling and outcome-sampling MCCFR; ISMCTS.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive
games" (NIPS 2009). An iteration touches only what was sampled, so it costs far less than a sweep,
and far more of them are needed: exploitability falls like 1 / √iterations.

| name | sampled | an iteration |
|---|---|---|
| cs-cfr | chance | one deal; all players walk all actions and update together |
| es-mccfr | chance and the others' actions | one walk for each player |
| os-mccfr | everything; the walking player explores (0.6) | one play for each player |

The random numbers are a counter-based stream of the seed that is part of the saved state, so a
resumed run equals an uninterrupted one bit for bit.

`search_game` is multiple-observer ISMCTS (Cowling, Powley & Whitehouse, "Information set Monte
Carlo tree search", 2012), a demonstration: every simulation deals the cards anew, each player picks
by UCB1 at the infoset, and the strategy is the share of visits. It does not converge to an
equilibrium: UCB1 looks for one best action, so where a mixed strategy is needed its visits cycle.
notes/mcts.md says how far off it ends; regret matching in place of UCB1 is the cure
(Lisý, Lanctot & Bowling, "Online Monte Carlo counterfactual regret minimization", 2015).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import ParameterError, UnknownNameError
from riverboat.games.base import CHANCE, Game
from riverboat.runtime.compiled import stream
from riverboat.solvers import _sampling_kernels as kernels
from riverboat.solvers.algorithms import OTHERS
from riverboat.solvers.solver import TreeSolver
from riverboat.strategies.strategy import Strategy, strategy_on
from riverboat.trees.game_tree import GameTree, build_tree
from riverboat.trees.sequence_form import SequenceForm

EXPLORE = 0.6  # Exploration of outcome sampling, the value of the paper's experiments


class SampledSolver(TreeSolver):
    """A sampling member of the family, by name."""

    sampled = True
    kept = ("clock", "gap", "regrets", "current", "average", "generator")
    pause = (1000, 16)

    def __init__(
        self, source: GameTree | SequenceForm, algorithm: str = "es-mccfr", *, seed: int = 0
    ) -> None:
        names = [name for name, line in OTHERS.items() if line.sampled]
        if algorithm not in names:
            raise UnknownNameError.among("sampling algorithm", algorithm, names)
        super().__init__(source, algorithm, seed=seed)
        tree = self.tree
        self.regrets, self.average = np.zeros(tree.num_slots), np.zeros(tree.num_slots)
        self.current = tree.uniform()
        self.generator = np.array([stream(seed % 2**64, 0)], np.uint64)
        self._nodes, self._cumulative = _node_lines(tree)
        depth, widest = len(tree.levels), int(np.diff(tree.offsets).max(initial=1))
        self._opened, self._tried = np.zeros((2, depth), np.uint32)
        self._values = np.zeros((depth, widest))
        self._utilities = np.zeros((depth, widest, tree.num_players))
        self._reach = np.zeros((depth + 1, tree.num_players))

    def probabilities(self) -> NDArray[np.float64]:
        count = np.diff(self.tree.offsets)
        total = np.repeat(np.add.reduceat(self.average, self.tree.offsets[:-1]), count)
        result = self.tree.uniform()
        np.divide(self.average, total, out=result, where=total > 0)
        return result

    def iterate(self, iterations: int) -> None:
        lines = kernels.Lines(self._nodes, self._cumulative, self.tree.returns)
        learned = kernels.Learned(
            self.regrets, self.current, self.average, self.generator, self.clock
        )
        stack = kernels.Stack(self._opened, self._tried)
        if self.algorithm == "es-mccfr":
            kernels.external_sampling(lines, learned, iterations, stack, self._values)
        elif self.algorithm == "cs-cfr":
            walk = (self._utilities, self._reach)
            kernels.chance_sampling(lines, learned, iterations, stack, *walk)
        else:
            reach = self._reach[0]
            kernels.outcome_sampling(lines, learned, iterations, EXPLORE, stack, reach)


def _node_lines(tree: GameTree) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """`nodes` (4N,) and `cumulative` (N,) as the kernels read them."""
    first, count = tree.child_offsets[:-1], np.diff(tree.child_offsets)
    nodes = np.zeros((tree.num_histories, int(kernels.WIDTH)), np.uint32)
    nodes[:, 1], nodes[:, 2] = first * int(kernels.WIDTH), count
    acting = np.flatnonzero(tree.actor >= 0)
    nodes[acting, 0] = tree.actor[acting]
    nodes[acting, 3] = tree.offsets[tree.infoset[acting]]
    nodes[tree.terminals, 0] = kernels.END
    nodes[tree.terminals, 3] = np.arange(len(tree.terminals))
    cumulative = np.zeros(tree.num_histories)
    for history in np.flatnonzero(tree.actor == CHANCE).tolist():
        dealt = slice(first[history], first[history] + count[history])
        cumulative[dealt] = np.cumsum(tree.chance[dealt])
        even = np.ptp(tree.chance[dealt]) < 1e-12
        nodes[history, 0] = kernels.EVEN if even else kernels.UNEVEN
    return nodes.ravel(), cumulative


def search_game(
    game: Game | GameTree, simulations: int, *, constant: float = 2.0, seed: int = 0
) -> Strategy:
    """The strategy after `simulations` simulations; infosets never reached are played uniformly."""
    if simulations < 1:
        raise ParameterError(f"simulations must be 1 or more, not {simulations}.")
    tree = game if isinstance(game, GameTree) else build_tree(game)
    visits, sums = np.zeros(tree.num_slots), np.zeros(tree.num_slots)
    line = np.full(tree.num_histories, -1, np.int64)
    line[tree.terminals] = np.arange(len(tree.terminals))
    scale = float(np.abs(tree.returns).max()) or 1.0
    arrays = kernels.SearchTree(
        tree.actor,
        tree.infoset,
        tree.child_offsets,
        tree.chance,
        tree.offsets,
        line,
        np.ascontiguousarray(tree.returns),
    )
    generator = np.array([stream(seed, 0)], np.uint64)
    path = np.zeros((len(tree.levels) + 1, 2), np.int64)
    kernels.search_infosets(
        arrays, simulations, constant * scale / 2, generator, visits, sums, path
    )
    count = np.diff(tree.offsets)
    totals = np.repeat(np.add.reduceat(visits, tree.offsets[:-1]), count)
    shares = np.where(totals > 0, visits / np.maximum(totals, 1), tree.uniform())
    info = {"algorithm": "ismcts", "iterations": simulations, "seed": seed}
    return strategy_on(tree, shares, info)
