"""A played hand, decision by decision: where it stands in a blueprint, and who may hold what.

Ranges are followed by Bayes' rule: each action multiplies a player's weights by the blueprint's
probability of it, hand by hand. Nobody is the blueprint, so a little of every hand is always kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.games.base import CHANCE, Action
from riverboat.holdem.abstraction.action_chances import action_chances
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.abstraction.translation import Trail, next_trail
from riverboat.holdem.rules.actions import FOLD, parse_betting
from riverboat.holdem.rules.state import HoldemState

__all__ = ["Moment", "followed"]

DOUBT = 0.02
"""The part of a decision that follows no blueprint: any hand may do anything with it."""
Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moment:
    """A decision that was taken."""

    state: HoldemState
    action: Action
    trail: Trail
    ranges: Doubles
    """(P, 1326) before the action."""
    street_ranges: Doubles
    """(P, 1326) at the beginning of the street."""
    street_state: HoldemState
    street_actions: tuple[Action, ...]
    """What was done on this street before."""
    later: tuple[Action, ...] = ()
    """What is done on this street from here on, this action first."""

    @property
    def player(self) -> int:
        return self.state.actor

    @property
    def opponents(self) -> list[int]:
        """The others who are still in the hand."""
        in_hand = self.state.betting.in_hand
        return [p for p, here in enumerate(in_hand) if here and p != self.player]


def followed(end: HoldemState, blueprint: Blueprint | None, player: int) -> Iterator[Moment]:
    """The decisions of a player in a hand that ended in `end`.

    Without a blueprint nobody's range is known: every hand is as likely as any other.
    """
    game, tree = end.game, None if blueprint is None else blueprint.abstract.tree
    state = game.with_hands(end.holes)
    board = list(end.board)
    ranges = np.ones((game.players, len(COMBO_CARDS)))
    trail = Trail(state.betting, state.betting, 0, True)
    if tree is not None:
        trail = Trail.start(tree, game)
    tokens = [token for token in parse_betting(end.history) if token != "/"]
    street_ranges, street_state, done = ranges.copy(), state, list[Action]()
    for place, token in enumerate(tokens):
        while state.actor == CHANCE and len(board) >= state.pending:
            cards, board = board[: state.pending], board[state.pending :]
            state = state.deal(cards)
            ranges[:, np.isin(COMBO_CARDS, state.board).any(axis=1)] = 0.0
            street_ranges, street_state, done = ranges.copy(), state, []
        if state.actor < 0 or (token == FOLD and not state.betting.to_call):
            return  # a fold where checking is free: no blueprint knows it
        if state.actor == player:
            rest = tuple(_same_street(state, tokens[place:]))
            yield Moment(
                *(state, token, trail, ranges.copy(), street_ranges, street_state),
                *(tuple(done), rest),
            )
        if blueprint is not None and tree is not None and not trail.over:
            chances = action_chances(blueprint, state, trail, token)
            if chances is not None:
                ranges[state.actor] *= (1 - DOUBT) * chances + DOUBT
            trail = next_trail(tree, trail, token, state.history, state.board)
        done.append(token)
        state = state.after(token)


def _same_street(state: HoldemState, tokens: list[Action]) -> Iterator[Action]:
    """The actions up to the end of the street."""
    for token in tokens:
        yield token
        if token == FOLD and not state.betting.to_call:
            return
        state = state.after(token)
        if state.actor < 0:
            return
