"""The texture of a board of three to five cards: suits, pairs, its highest card, its straights.

    >>> from riverboat.cards.card import parse_cards
    >>> board_texture(parse_cards("Qs Jh 2h"))
    Texture(suits='two-tone', pairing='unpaired', high='Q', connected='two to a straight')

A flop is monotone, two-tone or rainbow; later the largest suit names the board. `connected` counts
the ranks of the board that one straight can have, with an ace as high and as low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from riverboat.cards.card import RANKS
from riverboat.errors import ParameterError

SUITS = (
    "monotone",
    "five of a suit",
    "four of a suit",
    "three of a suit",
    "double two-tone",
    "two-tone",
    "rainbow",
    "no flush",
)
PAIRING = ("quads", "full house", "trips", "two pair", "paired", "unpaired")
HIGH = tuple(RANKS[::-1])
CONNECTED = (
    "five to a straight",
    "four to a straight",
    "three to a straight",
    "two to a straight",
    "disconnected",
)
KINDS = {"suits": SUITS, "pairing": PAIRING, "high": HIGH, "connected": CONNECTED}
"""The kinds of textures, and what each can be."""
_LATER_SUITS = {5: "five of a suit", 4: "four of a suit", 3: "three of a suit"}
_PAIRS = {(4,): "quads", (3, 2): "full house", (3,): "trips", (2, 2): "two pair", (2,): "paired"}
_WINDOWS = tuple({(top - back) % 13 for back in range(5)} for top in range(3, 13))
"""The ranks of each straight; the ace, 12, is below the two as well."""


class Texture(NamedTuple):
    """What a board is like."""

    suits: str
    pairing: str
    high: str
    connected: str


def board_texture(cards: Sequence[int]) -> Texture:
    """Return the texture of a board of three to five cards."""
    if not 3 <= len(cards) <= 5:
        raise ParameterError(f"A board has three to five cards, not {len(cards)}.")
    ranks = Counter(card // 4 for card in cards)
    pairs = tuple(sorted((count for count in ranks.values() if count > 1), reverse=True))
    most = max(len(window & ranks.keys()) for window in _WINDOWS)
    return Texture(
        _suits(cards), _PAIRS.get(pairs, "unpaired"), RANKS[max(ranks)], CONNECTED[5 - most]
    )


def _suits(cards: Sequence[int]) -> str:
    counts = sorted(Counter(card % 4 for card in cards).values(), reverse=True)
    if len(cards) == 3:
        return ("monotone", "two-tone", "rainbow")[len(counts) - 1]
    if counts[0] >= 3:
        return _LATER_SUITS[counts[0]]
    if len(cards) == 5:
        return "no flush"
    return "double two-tone" if counts == [2, 2] else "rainbow" if counts[0] == 1 else "two-tone"
