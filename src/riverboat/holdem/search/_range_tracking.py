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

from riverboat.cards.combos import NUM_COMBOS
from riverboat.games.base import Action
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.translation import Trail, next_trail
from riverboat.holdem.blueprints.walk import action_chances
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
    tree, game = blueprint.abstract.tree, state.game
    trail, past, at = Trail.start(tree, game), "", 0
    weights = [np.ones(NUM_COMBOS), np.ones(NUM_COMBOS)]
    places = [] if book is None else book.places(game, actions_on_street(state, 0))
    for place, token in enumerate(parse_betting(state.history)):
        if token == "/":
            at += 1
            past += token
            if at == street:
                break
            continue
        if place < len(places):
            chances: F64 | None = places[place].chances
        else:
            chances = action_chances(blueprint, state, trail, token)
        if chances is not None:
            weights[trail.real.queue[0]] *= (1 - NOISE) * chances + NOISE
        board = state.board[: sum(game.board_cards[: at + 1])]
        trail = next_trail(tree, trail, token, past, board, salt)
        past += token
    board = state.board[: sum(game.board_cards[: street + 1])]
    stacks = trail.real.stacks
    start = StreetStart(
        street,
        board,
        trail.real.pot,
        min(stacks),
        (normalise_max(weights[0]), normalise_max(weights[1])),
        tuple(sorted(set(range(52)) - set(game.deck))),
    )
    return start, trail


def normalise_max(weights: F64) -> F64:
    """The weights so that the largest is 1."""
    top = float(weights.max())
    return weights / top if top > 0 else np.ones_like(weights)
