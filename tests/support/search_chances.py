"""What a search knows of the next card and of standing, before it has simulated anything."""

from __future__ import annotations

import numpy as np

from riverboat.blackjack.search import _node_kernels as nodes
from riverboat.blackjack.search.mcts import Search
from riverboat.blackjack.search.problem import Situation
from riverboat.runtime.array_types import F64


def card_chances(search: Search, situation: Situation) -> F64:
    """(10,) how likely each card comes next."""
    chance = search.tree.chance[_root(search, situation), :10]
    return np.asarray(chance / chance.sum())


def stand_chances(search: Search, situation: Situation) -> tuple[float, float]:
    """How likely standing wins and draws."""
    node = _root(search, situation)
    nodes.settle(search.problem, search.tree, node)
    win, not_lost = search.tree.outcome[node, nodes.WIN : nodes.NOT_LOST + 1].tolist()
    return win, not_lost - win


def _root(search: Search, situation: Situation) -> int:
    search.open(situation)
    return int(nodes.touch(search.problem, search.tree, 0, search.problem.root))
