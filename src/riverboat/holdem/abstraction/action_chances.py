"""How likely a blueprint takes a real action with each hand: Bayes' rule for ranges needs it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS
from riverboat.games.base import Action
from riverboat.holdem.abstraction.blueprint import Blueprint
from riverboat.holdem.abstraction.translation import Trail, abstract_actions
from riverboat.holdem.rules.state import HoldemState

__all__ = ["action_chances", "shares"]

Doubles = NDArray[np.float64]


def action_chances(
    blueprint: Blueprint, state: HoldemState, trail: Trail, token: Action
) -> Doubles | None:
    """(1326,) how likely the blueprint takes a real action with each hand; None off its tree."""
    tree = blueprint.abstract.tree
    place = trail.position(tree)
    if not place.on_tree:
        return None
    board = state.board[: sum(blueprint.rules.board_cards[: place.betting.street + 1])]
    chances = blueprint.at(place.node, blueprint.whole_board(board, place.betting.street))
    found = np.zeros(len(COMBO_CARDS))
    for share, number in shares(blueprint, trail, token):
        found += share * chances[:, number]
    return found


def shares(blueprint: Blueprint, trail: Trail, token: Action) -> list[tuple[float, int]]:
    """The abstract actions that a real one counts as, each with its share."""
    tree = blueprint.abstract.tree
    readings = abstract_actions(tree, trail, trail.real.after(token), token)
    below, found = 0.0, []
    for bound, number in readings:
        found.append((bound - below, number))
        below = bound
    return found
