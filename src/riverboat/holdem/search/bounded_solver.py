"""A spot solved so that the opponent gets no more than before: the re-solving gadget.

Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (AAAI 2014):
before the street the opponent looks at his hand and either takes what he had, `bound`, or plays
on. A strategy that keeps every hand at or below its bound then gives nothing away, whatever he
really holds. Where that is all that is asked for, any such strategy will do, and the range he is
thought to have is not used. So, as a departure, he must play on with a small part of that range:

    weight of his hand = forced · range + (1 − forced) · even · P(plays on)

`even` gives all hands the same weight, with the range's sum. By what the bound is broken is then at
most forced / (1 − forced) of what is gained against the range. With forced = 1 nothing is bounded:
that is unsafe solving.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot_arena import SpotArena
from riverboat.holdem.spots.spot_locks import PlacedLock
from riverboat.holdem.spots.spot_solver import LEARN, SpotSolver, discounts
from riverboat.holdem.spots.spot_tree import TreeNode

__all__ = ["FORCED", "BoundedSolver", "gadget_weights", "held_nodes"]

FORCED = 0.05
Doubles = NDArray[np.float64]


class BoundedSolver(SpotSolver):
    """A solver in which `opponent` may take `bound` (1326,), in chips of the pot, instead.

    Without a bound it is the plain solver. Nodes in `held` play as they are told.
    """

    def __init__(
        self,
        arena: SpotArena,
        opponent: int,
        bound: Doubles | None,
        *,
        forced: float = FORCED,
        held: Sequence[PlacedLock] = (),
        threads: int = 1,
    ) -> None:
        super().__init__(arena, threads=threads)
        self._placed = list(held)
        for player in (0, 1):
            self._enforce(player)
        self.bounded = bound is not None
        if bound is None:
            return
        self.opponent = opponent
        self._stop, self._forced, self._free = gadget_weights(arena, opponent, bound, forced)
        self._choice = np.zeros((2, len(self._stop)))

    @property
    def choice(self) -> Doubles | None:
        """(2, H) the opponent's regrets for playing on and for stopping; None without a bound."""
        return self._choice if self.bounded else None

    def begin_at(self, iterations: int, choice: Doubles | None) -> None:
        """Go on as after so many iterations, with regrets that were learned elsewhere."""
        self.iterations = iterations
        for player in (0, 1):
            self._enforce(player)
        if self.bounded and choice is not None:
            self._choice = choice.copy()

    def step(self, num: int = 1, pool: ThreadPoolExecutor | None = None) -> None:
        """So many iterations; the opponent's choice at the start is learned along."""
        if not self.bounded:
            super().step(num, pool)
            return
        hands = self.arena.runouts.hands[self.opponent]
        before = hands.weights.copy()
        for _ in range(num):
            weights = np.array(discounts(self.iterations), np.float32)
            for learner in (0, 1):
                if learner != self.opponent:
                    reach = self._forced + self._free * self._goes_on()
                    hands.weights[: len(reach)] = reach
                values = self._pass(learner, LEARN, weights, pool)
                self._enforce(learner)
                if learner == self.opponent:
                    self._learn(values[: self._choice.shape[1]].astype(np.float64), weights)
            self.iterations += 1
        hands.weights[...] = before

    def _goes_on(self) -> Doubles:
        """(H,) with which probability the opponent plays on with each hand."""
        positive = np.maximum(self._choice, 0)
        total = positive.sum(axis=0)
        return np.asarray(
            np.divide(positive[0], total, where=total > 0, out=np.full(len(total), 0.5))
        )

    def _learn(self, values: Doubles, weights: NDArray[np.float32]) -> None:
        on = self._goes_on()
        mean = on * values + (1 - on) * self._stop
        old = np.where(self._choice > 0, weights[0], weights[1])
        self._choice = self._choice * old + np.stack([values, self._stop]) - mean


def gadget_weights(
    arena: SpotArena, opponent: int, bound: Doubles, forced: float
) -> tuple[Doubles, Doubles, Doubles]:
    """(H,) what each hand takes in chips times meetings, and its weights: forced on, and free."""
    hands, meetings = arena.runouts.unranked[opponent], arena.meetings[opponent]
    own = hands.weights[: len(hands.combos)].astype(np.float64)
    playable = meetings > 0
    even = playable * (own.sum() / max(1, int(playable.sum())))
    ours = np.nan_to_num(bound[hands.combos] - arena.spot.pot / 2)
    return ours * meetings, forced * own, (1 - forced) * even


def held_nodes(
    arena: SpotArena, before: SolvedSpot, player: int, lines: Iterable[str]
) -> list[PlacedLock]:
    """A player's decisions after some lines of the first street, as an earlier solve has them.

    Both trees begin at the same point with the same ranges and have these lines in common.
    """
    found = []
    width, num = arena.plan.widths[player], len(arena.runouts.unranked[player].combos)
    mask = np.zeros(width, np.float32)
    mask[:num] = 1.0
    for line in lines:
        old, new = before.tree.nodes[0], arena.tree.nodes[0]
        for word in filter(None, line.split("-")):
            old = before.tree.nodes[old.children[_labels(old).index(word)]]
            new = arena.tree.nodes[new.children[_labels(new).index(word)]]
        rows = np.zeros((len(new.actions), width), np.float32)
        places = [_labels(new).index(label) for label in _labels(old)]
        rows[places, :num] = before.strategy(old, 0)
        start = int(arena.layout[0, player, 0]) + arena.plan.node_rows[new.index] * width
        found.append(PlacedLock(player, start, len(new.actions), mask, rows))
    return found


def _labels(node: TreeNode) -> list[str]:
    return [action.label for action in node.actions]
