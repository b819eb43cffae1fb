"""Follow a real hand action by action, with what every player may hold, by Bayes.

    for step in follow_hand(state, actions, board, reader.chances, noise=0.02): ...
    step.ranges                       # (P, 1326) before step.action

Each action multiplies its player's weights by its probability with each hand. With a `noise` that
part of every decision is taken at random, so that no hand is ruled out for good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS
from riverboat.games.base import CHANCE, Action
from riverboat.holdem.blueprints.translation import Trail, abstract_actions, next_trail
from riverboat.holdem.rules.betting import FOLD
from riverboat.holdem.rules.state import HoldemState
from riverboat.runtime.array_types import F64

if TYPE_CHECKING:
    from riverboat.holdem.blueprints.blueprint import Blueprint

ActionChances = Callable[[HoldemState, Action], F64 | None]
"""(1326,) how likely the acting player takes an action with each hand; None where unknown."""


class FollowedAction(NamedTuple):
    """A point of a hand, and what was done there."""

    state: HoldemState
    action: Action | None  # None at the end
    ranges: F64  # (P, 1326) before the action, those of hands that the board blocks included
    chances: F64 | None  # (1326,) how likely the action was with each hand

    @property
    def possible_ranges(self) -> F64:
        """(P, 1326) the ranges without hands that share a card with the board."""
        blocked = np.isin(COMBO_CARDS, self.state.board).any(axis=1)
        return np.where(blocked, 0.0, self.ranges)


def follow_hand(
    state: HoldemState,
    actions: Iterable[Action],
    board: Sequence[int],
    action_chances: ActionChances,
    *,
    noise: float = 0.0,
) -> Iterator[FollowedAction]:
    """Every action of a hand, and a last step without one.

    Args:
        state: Where the hand begins: dealt, and nothing done.
        actions: What was done, without the ends of streets.
        board: The cards of all streets, as far as they are known.
        action_chances: The probabilities of each action; it is asked in order.
        noise: The part of every decision that may be anything.
    """
    cards, ranges = list(board), np.ones((state.game.players, NUM_COMBOS))
    for action in (*actions, None):
        while state.actor == CHANCE and 0 < state.pending <= len(cards):
            dealt, cards = cards[: state.pending], cards[state.pending :]
            state = state.deal(dealt)
        acts = action is not None and state.actor >= 0
        chances = action_chances(state, action) if action is not None and acts else None
        yield FollowedAction(state, action, ranges, chances)
        if action is None or not acts:
            return
        if chances is not None:
            ranges = ranges.copy()
            ranges[state.actor] *= (1 - noise) * chances + noise
        state = state.after(action)


class BlueprintReader:
    """A blueprint as the source of action probabilities; `trail` is how it understands the hand.

    The first actions may be `known` otherwise, from a book; without a blueprint all others are not.
    """

    def __init__(
        self,
        blueprint: Blueprint | None,
        start: HoldemState,
        *,
        salt: str = "",
        known: Sequence[F64 | None] = (),
    ) -> None:
        self.blueprint, self.salt = blueprint, salt
        self.trail = Trail(start.betting, start.betting, 0, lost=True)
        if blueprint is not None:
            self.trail = Trail.start(blueprint.abstract.tree, start.game)
        self._known = list(reversed(known))

    def chances(self, state: HoldemState, action: Action) -> F64 | None:
        """(1326,) how likely an action is with each hand; the trail goes on after it."""
        chances = self._known.pop() if self._known else None
        if action == FOLD and not state.betting.to_call:
            return None  # No blueprint folds where checking is free
        if self.blueprint is not None and not self.trail.over:
            if chances is None:
                chances = blueprint_chances(self.blueprint, state, self.trail, action)
            tree = self.blueprint.abstract.tree
            self.trail = next_trail(tree, self.trail, action, state.history, state.board, self.salt)
        return chances


def blueprint_chances(
    blueprint: Blueprint, state: HoldemState, trail: Trail, action: Action
) -> F64 | None:
    """(1326,) how likely the blueprint takes a real action with each hand; None off its tree."""
    position = trail.position(blueprint.abstract.tree)
    if not position.on_tree:
        return None
    street = position.betting.street
    board = state.board[: sum(blueprint.rules.board_cards[: street + 1])]
    chances = blueprint.at(position.node, blueprint.whole_board(board, street))
    taken = np.zeros(NUM_COMBOS)
    for share, number in abstract_shares(blueprint, trail, action):
        taken += share * chances[:, number]
    return taken


def abstract_shares(blueprint: Blueprint, trail: Trail, action: Action) -> list[tuple[float, int]]:
    """The abstract actions that a real one counts as, each with its share."""
    tree = blueprint.abstract.tree
    below, shares = 0.0, []
    for bound, number in abstract_actions(tree, trail, trail.real.after(action), action):
        shares.append((bound - below, number))
        below = bound
    return shares
