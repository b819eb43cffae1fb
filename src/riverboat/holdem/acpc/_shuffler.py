"""The cards of the reference dealer: a seed deals the same ones here.

A seed deals the same cards as there. The generator is the Mersenne twister MT19937, seeded with one
number; every card costs one draw of 32 bits, taken modulo the cards that are left, and the last
card of the deck fills the gap. Hands are dealt one after the other in order of position, then the
boards of all rounds, also when the hand ends before them.
"""

from __future__ import annotations

import numpy as np

from riverboat.holdem.rules.state import Holdem


class Shuffler:
    """Deals hand after hand of a match."""

    def __init__(self, game: Holdem, seed: int) -> None:
        # A fresh deck lies suit by suit, the lowest card first.
        self._fresh = sorted(game.deck, key=lambda card: (card % 4, card))
        self._cards = game.players * game.hole_cards + sum(game.board_cards)
        self._twister = np.random.RandomState(seed % 2**32)

    def deal(self) -> list[int]:
        """The cards of the next hand in the order in which they are dealt."""
        deck, dealt = list(self._fresh), []
        for draw in self._twister.randint(0, 2**32, size=self._cards, dtype=np.uint32):
            number = int(draw) % len(deck)
            dealt.append(deck[number])
            deck[number] = deck[-1]
            deck.pop()
        return dealt
