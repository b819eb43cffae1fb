"""Discounted CFR over vectors of hands, in NumPy: for small trees whose ends are costly.

Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization" (AAAI
2019). The game before the flop and the depth-limited flop are solved with it; what their ends are
worth is theirs to say. A pass gives one player's values against what the other plays:

1. Downwards, a point's reach is the product of the opponent's probabilities on the way.
2. The ends return the learner's values: sums over the opponent's hands, weighted by their reach.
3. Upwards, the opponent's actions are added up and the learner's are averaged (or the best one is
   taken). In a learning pass each of the learner's decisions then updates its regrets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riverboat.solvers.algorithms import BEST, LEARN

Array = NDArray[Any]


class Decision(NamedTuple):
    """A point where a player acts, and the number of the point after each action."""

    player: int
    children: Sequence[int]


class PassValues(NamedTuple):
    """What a pass returns for every point: (H,) the learner's values, the opponent's reach."""

    values: dict[int, Array]
    reaches: dict[int, Array]


def matched(numbers: Array) -> Array:
    """(A, H) regret matching: each hand's positive numbers as parts of one, or equal parts."""
    positive = np.maximum(numbers, 0)
    total = positive.sum(axis=0)
    shares = positive / np.where(total > 0, total, 1)
    shares[:, total <= 0] = 1.0 / len(numbers)
    return np.asarray(shares)


class VectorCFR:
    """Regrets and averages (A, H) of decisions, and the passes that update them.

    Args:
        decisions: By number, parents first; the root is 0.
        num_hands: The length H of all vectors.
        dtype: The type of all numbers.
        by_reach: Whether an average weighs an iteration by the learner's own reach.
    """

    def __init__(
        self,
        decisions: Mapping[int, Decision],
        num_hands: int,
        dtype: type[np.floating[Any]],
        *,
        by_reach: bool = False,
    ) -> None:
        self.decisions, self.num_hands, self.dtype = dict(decisions), num_hands, dtype
        self.by_reach = by_reach
        self.regrets: dict[int, Array] = {}
        self.averages: dict[int, Array] = {}
        self.locked: dict[int, Array] = {}
        """Strategies (A, H) that are given and learn nothing."""
        for index, decision in decisions.items():
            self.add(index, len(decision.children))

    def add(self, index: int, num_actions: int) -> None:
        """Keep numbers for a decision; an end may have one of its own, too."""
        self.regrets[index] = np.zeros((num_actions, self.num_hands), self.dtype)
        self.averages[index] = np.zeros((num_actions, self.num_hands), self.dtype)

    def current(self) -> dict[int, Array]:
        """The strategies of the next iteration."""
        return {
            index: self.locked[index] if index in self.locked else matched(regrets)
            for index, regrets in self.regrets.items()
        }

    def average(self) -> dict[int, Array]:
        """The average strategies: the solution."""
        return {index: matched(numbers) for index, numbers in self.averages.items()}

    def run_pass(
        self,
        learner: int,
        mode: int,
        reach: Array,
        strategies: Mapping[int, Array],
        ends: Callable[[Mapping[int, Array]], Mapping[int, Array]],
        factors: Sequence[float] = (),
    ) -> PassValues:
        """A player's values when both play `strategies`, or in the mode BEST only the opponent.

        Args:
            learner: The player.
            mode: LEARN, BEST or AVERAGE.
            reach: (H,) what the opponent begins with.
            strategies: (A, H) of every decision; in the mode BEST the opponent's are enough.
            ends: From the reaches of all points, the learner's values (H,) of all ends.
            factors: The discounts of positive regrets, of negative ones and of averages.
        """
        reaches, own = {0: reach}, {0: np.ones_like(reach)}
        for index, (player, children) in self.decisions.items():
            mine = player == learner
            for action, child in enumerate(children):
                reaches[child] = reaches[index]
                if not mine:
                    reaches[child] = reaches[index] * strategies[index][action]
                if self.by_reach:
                    own[child] = own[index] * strategies[index][action] if mine else own[index]
        values = dict(ends(reaches))
        for index, (player, children) in reversed(self.decisions.items()):
            by_action = np.stack([values[child] for child in children])
            if player != learner:
                values[index] = by_action.sum(axis=0)
            else:
                values[index] = self.decide(
                    index, by_action, strategies, mode, factors, own.get(index)
                )
        return PassValues(values, reaches)

    def decide(
        self,
        index: int,
        by_action: Array,
        strategies: Mapping[int, Array],
        mode: int,
        factors: Sequence[float] = (),
        reach: Array | None = None,
    ) -> Array:
        """(H,) the learner's value of a decision from those `by_action` (A, H).

        Learning updates its regrets, and its average, weighted by the learner's `reach` (H,).
        """
        free = index not in self.locked
        if mode == BEST and free:
            return np.asarray(by_action.max(axis=0))
        strategy = strategies[index]
        value = np.asarray((strategy * by_action).sum(axis=0))
        if mode == LEARN and free:
            above, below, keep = (self.dtype(factor) for factor in factors)
            regrets, average = self.regrets[index], self.averages[index]
            regrets *= np.where(regrets > 0, above, below)
            regrets += by_action - value
            average *= keep
            average += reach * strategy if self.by_reach and reach is not None else strategy
        return value
