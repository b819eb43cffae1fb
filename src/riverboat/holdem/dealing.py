"""Chance at a hold'em table: hands and streets dealt at once, at random or from a known deck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from riverboat.arena.hand import Deal
from riverboat.cards.card import CARDS
from riverboat.games.base import Action, State
from riverboat.holdem.rules.state import HoldemState

__all__ = ["deal_from_deck", "deal_streets"]


def deal_streets(rng: np.random.Generator) -> Deal:
    """A dealer who shuffles before every hand and street, as good as once."""

    def deal(state: State) -> tuple[Sequence[Action], State]:
        table = cast(HoldemState, state)
        free = sorted(table.unseen())
        cards = [int(card) for card in rng.permutation(free)[: table.pending]]
        return tuple(CARDS[card] for card in cards), table.deal(cards)

    return deal


def deal_from_deck(deck: Sequence[int]) -> Deal:
    """A dealer with a deck in this order, for one hand: first all hands, then the board."""
    left = list(reversed(deck))

    def deal(state: State) -> tuple[Sequence[Action], State]:
        table = cast(HoldemState, state)
        cards = [left.pop() for _ in range(table.pending)]
        return tuple(CARDS[card] for card in cards), table.deal(cards)

    return deal
