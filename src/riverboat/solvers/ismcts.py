"""Information-set search for small games between players, as a demonstration.

Multiple-observer ISMCTS (Cowling, Powley & Whitehouse, "Information set Monte Carlo tree search",
2012): every simulation deals the cards anew from the start, each player picks by UCB1 at his
infoset, and the result is counted there. What is played is the share of visits at each infoset.

It does not converge to an equilibrium: UCB1 looks for one best action, so where a mixed strategy is
needed its visits cycle instead of settling. How far off it ends is in docs/mcts.md; the CFR family
of solvers/ is the right tool, and regret matching in place of UCB1 the cure (Lisý, Lanctot &
Bowling, "Online Monte Carlo counterfactual regret minimization", 2015).
"""

from __future__ import annotations

import numpy as np

from riverboat.errors import ParameterError
from riverboat.games.base import Game
from riverboat.random_kernels import stream
from riverboat.solvers.ismcts_kernels import SearchTree, search_infosets
from riverboat.strategies.profile import strategy_on
from riverboat.strategies.strategy import Strategy
from riverboat.trees.game_tree import GameTree, build_tree

__all__ = ["search_game"]


def search_game(
    game: Game | GameTree, simulations: int, *, constant: float = 2.0, seed: int = 0
) -> Strategy:
    """The strategy of so many simulations; infosets never reached are played uniformly."""
    if simulations < 1:
        raise ParameterError(f"simulations must be 1 or more, not {simulations}.")
    tree = game if isinstance(game, GameTree) else build_tree(game)
    visits, sums = np.zeros(tree.num_slots), np.zeros(tree.num_slots)
    line = np.full(tree.num_histories, -1, np.int64)
    line[tree.terminals] = np.arange(len(tree.terminals))
    scale = float(np.abs(tree.returns).max()) or 1.0
    arrays = SearchTree(
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
    search_infosets(arrays, simulations, constant * scale / 2, generator, visits, sums, path)
    count = np.diff(tree.offsets)
    totals = np.repeat(np.add.reduceat(visits, tree.offsets[:-1]), count)
    shares = np.where(totals > 0, visits / np.maximum(totals, 1), tree.uniform())
    info = {"algorithm": "ismcts", "iterations": simulations, "seed": seed}
    return strategy_on(tree, shares, info)
