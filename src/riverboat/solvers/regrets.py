"""Regrets of a saved solve: how much more each action would have won, as the solver counts it.

    regrets = read_regrets("leduc.rb")      # None where the file holds no iterating solver
    regrets.lookup(0, "Kh|")                # {"c": 0.0, "r": 12.3}
    regrets.iterations

Regrets are counterfactual: summed over the iterations, weighted by how often chance and the other
players bring the infoset about. Discounting members of the family let old ones fade, and the plus
variants hold no negative ones. Regret divided by the iterations goes to zero at an equilibrium.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from riverboat.games.base import Action
from riverboat.solvers.algorithms import parse_algorithm
from riverboat.solvers.checkpoints import read_checkpoint
from riverboat.strategies.files import read_header
from riverboat.strategies.public_strategy import PUBLIC_KIND, PublicStrategy
from riverboat.strategies.strategy import KIND, Strategy
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import sequence_form

__all__ = ["Regrets", "read_regrets"]


@dataclass(frozen=True, eq=False)
class Regrets:
    """The regrets of a solver at the end of its work."""

    strategy: Strategy | PublicStrategy
    values: NDArray[np.float64]
    """(A,) by slot of the strategy, or (S, L) on a public tree."""
    iterations: int

    def lookup(self, player: int, infoset: str) -> dict[Action, float]:
        """The cumulative regret of each action; empty where the infoset is not known."""
        if isinstance(self.strategy, PublicStrategy):
            found = self.strategy.public.locate(player, infoset)
            if found is None:
                return {}
            place, lane = found
            actions = self.strategy.public.shapes.actions(place.shape)
            rows = self.values[place.slot : place.slot + len(actions), lane]
            return dict(zip(actions, rows.tolist(), strict=True))
        i = self.strategy.index.get((player, infoset))
        if i is None:
            return {}
        first, last = int(self.strategy.offsets[i]), int(self.strategy.offsets[i + 1])
        here = self.values[first:last].tolist()
        return dict(zip(self.strategy.actions[first:last], here, strict=True))


def read_regrets(path: str | Path) -> Regrets | None:
    """The regrets in a file; None where an exact algorithm made it, or only its strategy is left.

    A solver that keeps no array `regrets` in its state has none to show either.
    """
    if "solver" not in read_header(path, KIND, PUBLIC_KIND):
        return None
    saved = read_checkpoint(path)
    values = saved.arrays.get("regrets")
    if values is None or "clock" not in saved.arrays:
        return None
    strategy = saved.strategy
    if isinstance(strategy, PublicStrategy):
        values = values.reshape(strategy.weights.shape)
    elif parse_algorithm(saved.algorithm).family is not None:
        values = sequence_form(build_tree(saved.game())).to_slots(values)
    return Regrets(strategy, values, int(saved.arrays["clock"][0]))
