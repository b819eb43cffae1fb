"""The forms in which the exact analysis is computed: what hands, shoe and dealer are as arrays.

_hand_kernels (compiled) and _hand_plain (NumPy) work on the same ones, and so does the search.
"""

from __future__ import annotations

from typing import NamedTuple

from riverboat.runtime.array_types import F64, I64, Bools

CATEGORIES = 6
"""Dealer outcomes kept apart: 17, 18, 19, 20, 21 and Charlie; bust and natural follow."""
CHARLIE, NATURAL = 5, 6  # Ranks of hands above 21 points
STAND, HIT, DOUBLE, SPLIT, SURRENDER = 0, 1, 2, 3, 4
"""Codes of what a hand does, in the order of rules.ACTIONS."""
OBEY, OPTIMISE, OBEY_AND_PRICE = 0, 1, 2
"""Modes of play_hands: follow the given actions, choose them, or follow but price all of them."""
DEPTH, CARD, USED, CATEGORY = 0, 1, 2, 3
"""Rows of Trie.nodes: cards drawn, the last of them, how many of that card were drawn before, and
how the dealer ends here, or -1 at inner nodes."""


class Hands(NamedTuple):
    """What every hand is; see HandTable."""

    child: I64  # (H, 10) the hand after one more card, -1 for a bust
    counts: I64  # (H, 10) cards A, 2, …, T
    rank: I64  # (H,) -1 below 17, 0…4 for 17…21, 5 Charlie, 6 natural
    final: Bools  # (H,) whether the hand takes no card
    doublable: Bools  # (H,)


class Unseen(NamedTuple):
    """The cards that hands and dealer draw from, and what a natural does."""

    base: F64
    """(10,) the shoe less the up card and whatever else is gone, but for the hand's own cards."""
    unit: float
    """What a card of the hand takes off `base`: 1, or 0 for the infinite deck's probabilities."""
    hole: int  # The card 0…9 that makes the dealer's natural, or -1
    natural_pays: float
    natural_costs: float  # What a bet lost to a dealer's natural counts: 0 with peek, -1 without


class Trie(NamedTuple):
    """The dealer's finished hands from one up card as a trie in preorder."""

    nodes: I64  # (4, T) rows DEPTH … CATEGORY
    orders: F64
    """(T,) in how many orders the dealer can draw the multiset that ends here; 0 at inner nodes."""
