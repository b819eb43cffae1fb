"""The readable hand evaluator: counts by closed form, orders by an independent package."""

import itertools
import random
from collections import Counter
from math import comb

import pytest

from riverboat.cards.card import cards_text, parse_cards
from riverboat.cards.plain_strength import CATEGORY_NAMES, category, strength


def test_the_twenty_highest_cards_make_as_many_hands_of_each_kind_as_combinatorics_says() -> None:
    counts = Counter(category(strength(h)) for h in itertools.combinations(range(32, 52), 5))
    assert counts == {
        "straight flush": 4,
        "four of a kind": 5 * 16,
        "full house": 5 * 4 * 4 * 6,
        "straight": 4**5 - 4,
        "three of a kind": 5 * 4 * 6 * 16,
        "two pair": 10 * 36 * 12,
        "pair": 5 * 6 * 4 * 64,
    }


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("As2s3s4s5s", "AcAdAhAsKc"),
        ("6c5d4h3s2c", "Ac2d3h4s5c"),
        ("Ac2d3h4s5c", "AcAdAh2s3c"),
        ("KcKdKhAsAc", "QcQdQhAsAc"),
        ("AcAdKcKdQs2c3d", "AcAdKcKdJs2c3d"),
        ("AsQsTs8s6s2c3d", "AsQsTs8s5s2c3d"),
        ("AcAdAhKcKdQsQh", "AcAdAhQsQhJdJc"),
        ("AcAd", "AcKd"),
        ("Ks", "Qs"),
        ("KsKd", "AsQs"),
    ],
)
def test_the_better_hand_wins(better: str, worse: str) -> None:
    assert strength(parse_cards(better)) > strength(parse_cards(worse))


def test_seven_cards_are_as_good_as_their_best_five() -> None:
    rng = random.Random(3)
    for _ in range(200):
        cards = rng.sample(range(52), 7)
        assert strength(cards) == max(strength(c) for c in itertools.combinations(cards, 5))


def test_hands_order_as_in_pokerkit() -> None:
    hands = pytest.importorskip("pokerkit").StandardHighHand
    rng = random.Random(4)
    for _ in range(300):
        cards = rng.sample(range(52), 9)
        ours = [strength(cards[i : i + 7]) for i in (0, 2)]
        peer = [hands.from_game(cards_text(cards[i : i + 7])) for i in (0, 2)]
        assert (ours[0] > ours[1]) == (peer[0] > peer[1])
        assert (ours[0] == ours[1]) == (peer[0] == peer[1])


@pytest.mark.slow
def test_every_five_card_hand_is_counted_as_combinatorics_says() -> None:
    strengths = Counter(strength(hand) for hand in itertools.combinations(range(52), 5))
    counts, distinct = Counter[int](), Counter[int]()
    for value, hands in strengths.items():
        counts[value[0]] += hands
        distinct[value[0]] += 1
    flushes, straights = 4 * comb(13, 5), 10 * 4**5
    assert [counts[i] for i in range(9)] == [
        (comb(13, 5) - 10) * (4**5 - 4),
        13 * 6 * comb(12, 3) * 64,
        comb(13, 2) * 36 * 44,
        13 * 4 * comb(12, 2) * 16,
        straights - 40,
        flushes - 40,
        13 * 4 * 12 * 6,
        13 * 48,
        40,
    ]
    assert sum(distinct.values()) == 7462
    assert len(CATEGORY_NAMES) == 9
