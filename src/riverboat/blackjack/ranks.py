"""The cards of blackjack: ranks as letters, their points, and the shoe they come from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from riverboat.errors import IllegalActionError, ParameterError

__all__ = ["RANKS", "Shoe", "fresh_cards", "is_natural", "parse_cards", "points", "value"]

RANKS = "A23456789TJQK"


def value(card: str) -> int:
    """1 for an ace, 10 for T, J, Q, K."""
    return min(RANKS.index(card) + 1, 10)


def parse_cards(text: str) -> str:
    """Ranks from a text such as "T,6", "10 6", "ak" or "A-7"."""
    cards = text.upper().replace("10", "T").replace("1", "A")
    cards = "".join(card for card in cards if card not in ", -/|")
    if not cards or any(card not in RANKS for card in cards):
        raise ParameterError(f"Cards are written as in 'T,6' or 'A,7', not {text!r}.")
    return cards


def points(cards: str) -> tuple[int, bool]:
    """The best total and whether an ace counts 11 in it."""
    hard = sum(value(card) for card in cards)
    soft = "A" in cards and hard <= 11
    return hard + 10 * soft, soft


def is_natural(cards: str) -> bool:
    """Whether it is an ace and a ten."""
    return len(cards) == 2 and points(cards)[0] == 21


def fresh_cards(decks: int) -> str:
    """The ranks of that many packs, in order."""
    return RANKS * (4 * decks)


@dataclass(frozen=True)
class Shoe:
    """Cards in the order they come; shuffling is the caller's. Past the cut, shuffle anew."""

    cards: str
    dealt: int = 0
    cut: int = 0
    """How many cards are dealt before the cut card shows."""

    @property
    def cut_reached(self) -> bool:
        return self.dealt >= self.cut

    def draw(self) -> tuple[str, Shoe]:
        if self.dealt >= len(self.cards):
            raise IllegalActionError("blackjack: the shoe is empty; place the cut card earlier.")
        return self.cards[self.dealt], replace(self, dealt=self.dealt + 1)
