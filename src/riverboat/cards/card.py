"""A card is an int 0…51: 4 · rank + suit, ranks '2' (0) to 'A' (12), suits in the order 'cdhs'.

Text is rank then suit, "As". Reading also takes lower-case ranks, upper-case suits, "10s" for
"Ts", the suit symbols ♣♦♥♠, and any mix of blanks and commas between cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from riverboat.errors import ParameterError

RANKS = "23456789TJQKA"
RANKS_DOWN = RANKS[::-1]  # As grids of hands show them
ACE_LOW_RANKS = "A23456789TJQK"  # Where an ace counts one
SUITS = "cdhs"
SUITS_DOWN = SUITS[::-1]
SUIT_SYMBOLS = "♣♦♥♠"
RANK_NAMES = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
NUM_CARDS = 52
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The text of every card, by its number."""

_NUMBER = {text: card for card, text in enumerate(CARDS)}
SUIT_OF_SYMBOL = str.maketrans(SUIT_SYMBOLS, SUITS)  # For str.translate


class Card(int):
    """A card that shows its name: Card("As"), Card("T♥") and Card(51) are read.

    It is its number, so every function that takes a number takes it.
    """

    __slots__ = ()

    def __new__(cls, card: str | int) -> Card:
        number = parse_card(card) if isinstance(card, str) else int(card)
        card_text(number)  # refuses what is no card
        return super().__new__(cls, number)

    @property
    def rank(self) -> str:
        """The rank's letter, "2" to "A"."""
        return RANKS[rank_of(self)]

    @property
    def suit(self) -> str:
        """The suit's letter: c, d, h or s."""
        return SUITS[suit_of(self)]

    @property
    def symbol(self) -> str:
        """Rank and suit as "A♠"."""
        return self.rank + SUIT_SYMBOLS[suit_of(self)]

    def __str__(self) -> str:
        return CARDS[self]

    def __repr__(self) -> str:
        return f"Card({CARDS[self]!r})"

    def _repr_html_(self) -> str:
        colour = "#c1121f" if self.suit in "dh" else "inherit"
        return f"<b style='color:{colour}'>{self.symbol}</b>"


def rank_of(card: int) -> int:
    """0 for a two … 12 for an ace."""
    return card >> 2


def suit_of(card: int) -> int:
    """0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card & 3


def card_text(card: int) -> str:
    """The text of a card, e.g. "As"."""
    if not 0 <= card < NUM_CARDS:
        raise ParameterError(f"A card is a number from 0 to 51, not {card}.")
    return CARDS[card]


def cards_text(cards: Iterable[int]) -> str:
    """The cards written one after the other, e.g. "AsKd"."""
    return "".join(card_text(card) for card in cards)


def parse_card(text: str) -> int:
    """The number of one card: "As", "as", "10h" and "T♥" are all read."""
    cards = _read(text)
    if len(cards) != 1:
        raise ParameterError(f"{text!r} is not one card; write rank and suit, as in As or Td.")
    return cards[0]


def parse_cards(text: str, *, distinct: bool = True) -> list[int]:
    """The numbers of the cards in a text such as "As Kd", "AsKd" or "10s,9c", in its order."""
    cards = _read(text)
    if distinct:
        check_distinct(cards)
    return cards


def check_distinct(cards: Sequence[int]) -> None:
    """Refuse cards of which one appears twice."""
    seen: set[int] = set()
    for card in cards:
        if card in seen:
            raise ParameterError(f"The card {card_text(card)} appears twice; a deck has one.")
        seen.add(card)


def _read(text: str) -> list[int]:
    plain = text.translate(SUIT_OF_SYMBOL).replace("10", "T")
    plain = "".join(plain.replace(",", " ").split())
    cards = []
    for start in range(0, len(plain), 2):
        piece = plain[start : start + 2]
        card = _NUMBER.get(piece[:1].upper() + piece[1:].lower())
        if card is None:
            raise ParameterError(
                f"{piece!r} in {text!r} is not a card; write rank and suit, as in As or Td."
            )
        cards.append(card)
    return cards
