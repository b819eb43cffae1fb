"""What both players may hold where a street begins, followed by Bayes from a blueprint.

    played by the blueprint:   weight of a hand ×= its probability of what was done with it
    solved by the search:      the same with what it found (searcher.py)
    known to a book:           before the flop the book's own mixture, which has no buckets

A bet that the blueprint does not know counts as the one that its translation takes it for. A
thousandth of every decision is taken at random, so that no hand is ever ruled out for good.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.games.base import Action
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.range_following import BlueprintReader, follow_hand
from riverboat.holdem.blueprints.translation import Trail
from riverboat.holdem.preflop.following import BookRanges
from riverboat.holdem.rules.betting import parse_betting
from riverboat.holdem.rules.state import HoldemState
from riverboat.runtime.array_types import F64

NOISE = 1e-3


@dataclass(frozen=True)
class StreetStart:
    """Where a street begins, and what OOP (player 0) and IP may hold there."""

    street: int  # 1 the flop, 2 the turn, 3 the river
    board: tuple[int, ...]
    pot: int
    stack: int  # What the shorter stack has behind: more cannot be won or lost
    weights: tuple[F64, F64]  # (1326,) each, the likeliest hand at 1
    dead: tuple[int, ...] = ()  # Cards that a smaller deck lacks


def actions_on_street(state: HoldemState, street: int) -> tuple[Action, ...]:
    """What was done on a street so far."""
    parts = state.history.split("/")
    return tuple(parse_betting(parts[street])) if street < len(parts) else ()


def blueprint_start(
    blueprint: Blueprint,
    state: HoldemState,
    street: int,
    salt: str = "",
    book: BookRanges | None = None,
) -> tuple[StreetStart, Trail]:
    """Where `street` began in `state`, ranges by the blueprint, and its trail to that point.

    Decisions before the flop that a `book` knows count as the book takes them.
    """
    game = state.game
    first = game.with_hands([()] * game.players)
    places = [] if book is None else book.places(game, actions_on_street(state, 0))
    reader = BlueprintReader(
        blueprint, first, salt=salt, known=[book_place.chances for book_place in places]
    )
    actions = [action for s in range(street) for action in actions_on_street(state, s)]
    *_, last = follow_hand(first, actions, state.board, reader.chances, noise=NOISE)
    trail, weights = reader.trail, last.ranges
    board = state.board[: sum(game.board_cards[: street + 1])]
    stacks = trail.real.stacks
    start = StreetStart(
        street,
        board,
        trail.real.pot,
        min(stacks),
        (normalise_max(weights[0]), normalise_max(weights[1])),
        tuple(sorted(set(range(NUM_CARDS)) - set(game.deck))),
    )
    return start, trail


def normalise_max(weights: F64) -> F64:
    """The weights so that the largest is 1."""
    top = float(weights.max())
    return weights / top if top > 0 else np.ones_like(weights)
