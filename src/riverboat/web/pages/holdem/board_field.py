"""A board as a field of a form: text, and the deck, whose cards are buttons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.equity import parse_board
from riverboat.errors import RiverboatError
from riverboat.web.app.card_pictures import NAMES

RANKS, SUITS = "AKQJT98765432", "shdc"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
_WORDS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
MAX_CARDS = 5


def card_words(text: str) -> str:
    """As → ace of spades."""
    return f"{_WORDS.get(text[0], text[0])} of {NAMES[text[1]]}"


@dataclass(frozen=True)
class BoardField:
    """What a form says about a board. `name` begins the names of its fields."""

    name: str
    label: str
    text: str
    cards: tuple[str, ...]
    problem: str
    painted: bool  # Whether a card was pressed: then the form's address is not the one to keep

    @classmethod
    def read(cls, form: Mapping[str, str], name: str, label: str, otherwise: str) -> BoardField:
        """Read the field from a form's values; `otherwise` is its text where none is given."""
        text = form.get(name, otherwise)[:60]
        try:
            cards = [card_text(c) for c in parse_cards(text)]
        except RiverboatError as error:
            return cls(name, label, text, (), str(error), False)
        pressed = form.get(f"{name}_card", "")
        if pressed in cards:
            cards.remove(pressed)
        elif pressed in DECK and len(cards) < MAX_CARDS:
            cards.append(pressed)
        text, problem = " ".join(cards), ""
        try:
            parse_board(text)
        except RiverboatError as error:
            problem = str(error)
        return cls(name, label, text, tuple(cards), problem, bool(pressed))

    @property
    def deck(self) -> tuple[str, ...]:
        """All cards, one row per suit."""
        return DECK

    @property
    def full(self) -> bool:
        return len(self.cards) >= MAX_CARDS

    @property
    def num_free(self) -> int:
        """Places of the board without a card."""
        return MAX_CARDS - len(self.cards)
