"""The order of combos and classes."""

from collections import Counter

import numpy as np
import pytest

from riverboat.cards.card import parse_card
from riverboat.cards.combos import (
    CLASS_NAMES,
    COMBO_CARDS,
    class_of_combos,
    combo_index,
    combo_text,
    parse_combo,
    suit_permutations,
)
from riverboat.errors import ParameterError


def test_order_is_lexicographic_and_indexed() -> None:
    assert COMBO_CARDS.tolist() == [[a, b] for a in range(52) for b in range(a + 1, 52)]
    for combo, (low, high) in enumerate(COMBO_CARDS.tolist()):
        assert combo_index(low, high) == combo_index(high, low) == combo
        assert parse_combo(combo_text(combo)) == combo


def test_classes_have_6_4_and_12_combos() -> None:
    sizes = Counter(class_of_combos().tolist())
    for number, name in enumerate(CLASS_NAMES):
        assert sizes[number] == {"s": 4, "o": 12}.get(name[2:], 6)
    assert CLASS_NAMES[0] == "AA"
    assert CLASS_NAMES[1] == "AKs"
    assert CLASS_NAMES[13] == "AKo"
    assert CLASS_NAMES[class_of_combos()[parse_combo("7h2c")]] == "72o"


def test_renaming_suits_keeps_classes() -> None:
    cards, combos = suit_permutations()
    assert len({tuple(row) for row in cards.tolist()}) == 24
    assert (class_of_combos()[combos] == class_of_combos()).all()
    assert (np.sort(combos, axis=1) == np.arange(1326)).all()


def test_no_hand_of_two_equal_cards() -> None:
    with pytest.raises(ParameterError):
        combo_index(parse_card("As"), 51)
    with pytest.raises(ParameterError, match="two cards"):
        parse_combo("AsKsQs")
