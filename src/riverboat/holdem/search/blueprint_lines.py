"""Every betting line by which a blueprint playing itself comes to a street, with both ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_COMBOS
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.abstraction.abstract_infosets import action_text
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.search.match_walk import Point

__all__ = ["BlueprintLines"]

Doubles = NDArray[np.float64]


class BlueprintLines:
    """Lines to a street of any board; those before the flop are followed once for all boards."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        start = blueprint.rules.with_hands([[], []])
        self._to_the_flop = self._street_ends([(Point(start, _all_hands()), 0)])

    def to(self, street: int, board: tuple[int, ...]) -> list[Point]:
        """Where `street` begins on a board: hands that come there, none that ended before."""
        here, dealt = self._to_the_flop, 0
        for count in self.blueprint.rules.board_cards[1 : street + 1]:
            cards = board[dealt : dealt + count]
            dealt += count
            here = [(point.dealt(cards), node) for point, node in here]
            if dealt < len(board):
                here = self._street_ends(here)
        return [point for point, _ in here if point.worth > 0]

    def _street_ends(self, points: list[tuple[Point, int]]) -> list[tuple[Point, int]]:
        """The points, with their nodes in the blueprint's tree, at which the street is over."""
        tree, found, waiting = self.blueprint.abstract.tree, [], list(reversed(points))
        while waiting:
            point, node = waiting.pop()
            state = point.state
            if state.actor == TERMINAL or not state.betting.queue or point.worth <= 0:
                continue
            if state.actor == CHANCE:
                found.append((point, node))
                continue
            buckets = self.blueprint.whole_board(state.board, state.betting.street)
            chances = self.blueprint.at(node, buckets)
            for number, amount in enumerate(tree.actions(node).tolist()):
                after = point.after(action_text(amount), chances[:, number])
                waiting.append((after, tree.child(node, number)))
        return found


def _all_hands() -> tuple[Doubles, Doubles]:
    return np.ones(NUM_COMBOS), np.ones(NUM_COMBOS)
