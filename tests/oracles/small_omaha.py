"""Spots of Omaha on decks so small that every pair of hands can be looked at."""

from __future__ import annotations

import numpy as np

from riverboat.cards.card import parse_cards
from riverboat.cards.hands import num_hands
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.holdem.spots.spot import Spot, make_spot

SIZES = {
    "turn": {"oop": {"bet": "100%"}, "ip": {"bet": "50%"}},
    "river": {"oop": {"bet": "100%"}, "ip": {"bet": "100%", "raise": "a"}},
}
DECKS = {2: 12, 3: 11, 4: 11, 5: 12}
"""The number of cards of a hand → cards that are neither on the board nor dead."""


def small_spot(board: str, hole_cards: int, seed: int, *, share: float = 0.7) -> Spot:
    """A spot on a small deck, with random ranges of different hands, and rake."""
    rng = np.random.default_rng(seed)
    there = parse_cards(board)
    others = [card for card in rng.permutation(52).tolist() if card not in there]
    ranges = []
    for _ in range(2):
        weights = rng.random(num_hands(hole_cards)) * (rng.random(num_hands(hole_cards)) < share)
        ranges.append(OmahaRange(weights))
    return make_spot(
        game="omaha", board=board, pot=20, stack=50, ranges=ranges, sizes=SIZES,
        rake={"rate": 0.05, "cap": 2}, dead=others[DECKS[hole_cards] :],
    )  # fmt: skip
