"""The compiled ranks of short deck against PokerKit's and the rule in plain words."""

from itertools import pairwise

import numpy as np
import pytest

from riverboat.cards._strength_kernels import strength_of_cards
from riverboat.cards.card import CARDS
from riverboat.cards.short_deck import short_deck_strength, short_deck_tables

DECK = np.arange(16, 52, dtype=np.uint8)  # Sixes to aces


def random_hands(seed: int, num: int, size: int, deck: np.ndarray = DECK) -> np.ndarray:
    """(num, size) different cards a row."""
    rng = np.random.default_rng(seed)
    return deck[np.argsort(rng.random((num, len(deck))), axis=1)[:, :size]]


def deals(size: int) -> np.ndarray:
    """Hands of all cards, and of two suits and of few ranks, where flushes and pairs are many."""
    two_suits, few_ranks = DECK[DECK % 4 < 2], DECK[DECK // 4 > 8]
    decks = (DECK, two_suits, few_ranks)
    return np.concatenate([random_hands(i, 200, size, deck) for i, deck in enumerate(decks)])


@pytest.mark.parametrize("size", [5, 6, 7])
def test_kernels_order_short_deck_as_pokerkit(size: int) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    hands, tables = deals(size), short_deck_tables()
    values = np.array([int(strength_of_cards(hand, *tables)) for hand in hands])
    others = [
        pokerkit.ShortDeckHoldemHand.from_game("".join(CARDS[card] for card in hand))
        for hand in hands.tolist()
    ]
    for first, second in pairwise(np.argsort(values, kind="stable")):
        same = values[first] == values[second]
        assert others[first] == others[second] if same else others[first] < others[second]


@pytest.mark.parametrize("trips_beat_straights", [False, True])
def test_kernels_order_short_deck_as_the_rule(trips_beat_straights: bool) -> None:
    hands, tables = deals(7), short_deck_tables(trips_beat_straights)
    values = [int(strength_of_cards(hand, *tables)) for hand in hands]
    plain = [short_deck_strength(hand, trips_beat_straights) for hand in hands.tolist()]
    order = dict(zip(values, plain, strict=True))
    assert [order[value] for value in values] == plain
    ranked = [order[value] for value in sorted(order)]
    assert ranked == sorted(set(plain))
