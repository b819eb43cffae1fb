"""Numbers of hands of k cards against enumeration and the combos of hold'em."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.hands import (
    hand_cards,
    hand_masks,
    hand_number,
    hand_numbers,
    hand_text,
    num_hands,
    parse_hand,
)
from riverboat.errors import ParameterError


@pytest.mark.parametrize("hole_cards", [1, 2, 3, 4])
def test_hands_stand_in_the_order_of_combinations(hole_cards: int) -> None:
    hands = hand_cards(hole_cards)
    assert len(hands) == num_hands(hole_cards) == comb(52, hole_cards)
    assert hands.tolist() == [list(hand) for hand in combinations(range(52), hole_cards)]
    assert np.array_equal(hand_numbers(hands), np.arange(len(hands)))


def test_two_cards_have_the_numbers_of_combos() -> None:
    assert np.array_equal(hand_cards(2), COMBO_CARDS)


def test_five_cards_are_numbered_too() -> None:
    rows = np.sort(np.argsort(np.random.default_rng(3).random((1000, 52)), axis=1)[:, :5], axis=1)
    assert np.array_equal(hand_cards(5)[hand_numbers(rows)], rows)


def test_the_order_of_a_hand_s_cards_does_not_matter() -> None:
    assert hand_number([51, 3, 20, 7]) == hand_number([3, 7, 20, 51])


def test_text_and_cards_round_trip() -> None:
    assert hand_text(parse_hand("QhAsJhKs")) == "AsKsQhJh"
    for number in (0, 1234, 270_724):
        cards = hand_cards(4)[number].tolist()
        assert parse_hand(hand_text(cards)) == cards


def test_masks_have_a_bit_for_each_card() -> None:
    masks = hand_masks(hand_cards(4)[:100])
    assert [int(mask) for mask in masks] == [
        sum(1 << int(card) for card in hand) for hand in hand_cards(4)[:100]
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("AsKsQhJhTd", "has 5 cards; a hand here has 4"), ("AsAsKdKh", "appears twice")],
)
def test_what_is_no_hand_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ParameterError, match=complaint):
        parse_hand(text)


def test_hands_of_six_are_not_numbered() -> None:
    with pytest.raises(ParameterError, match="1 to 5 cards"):
        num_hands(6)
