"""The decks of hold'em: which cards are dealt, and how strong hands of them are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from riverboat.cards.short_deck import LOW_CARDS, short_deck_tables

if TYPE_CHECKING:
    from riverboat.cards._strength_kernels import Tables


@dataclass(frozen=True)
class Deck:
    """A deck and its order of hands."""

    absent: tuple[int, ...]
    """Cards of the 52 that it does not have."""
    tables: Callable[[], Tables]
    """Makes what kernels rank hands with."""

    @cached_property
    def cards(self) -> list[int]:
        return [card for card in range(52) if card not in self.absent]


def standard_tables() -> Tables:
    """Tables of strengths for 52 cards."""
    from riverboat.cards.strength import strength_tables

    return strength_tables().arrays


STANDARD = Deck((), standard_tables)
SHORT_DECK = Deck(LOW_CARDS, short_deck_tables)
