"""Hints against plain arithmetic: standing by counting, and laws that hints must obey."""

from fractions import Fraction

import pytest

from riverboat.twentyone.game import DECK, dealer_draws, result
from riverboat.twentyone.learning.optimum import hint_for


def stand_value(hand: list[str], dealer: list[str], deck: list[str]) -> Fraction:
    """The worth of standing by walking every dealer's hand, values merged."""
    if len(dealer) > 1 and not dealer_draws(dealer):
        return Fraction({"WIN": 1, "PUSH": 0}.get(result(hand, dealer).value, -1))
    total = Fraction(0)
    values: dict[str, list[str]] = {}
    for card in deck:
        values.setdefault("T" if card[0] in "TJQK" else card[0], []).append(card)
    for cards in values.values():
        rest = [card for card in deck if card != cards[0]]
        total += Fraction(len(cards), len(deck)) * stand_value(hand, [*dealer, cards[0]], rest)
    return total


@pytest.mark.parametrize(
    ("hand", "up"), [(["Tc", "8d"], "Th"), (["Ac", "Kd"], "As"), (["8c", "4d", "8h"], "5s")]
)
def test_standing_is_worth_what_counting_says(hand: list[str], up: str) -> None:
    deck = [card for card in DECK if card not in (*hand, up)]
    assert hint_for(hand, up).stand == pytest.approx(float(stand_value(hand, [up], deck)), abs=1e-9)


def test_hints_say_what_everybody_knows() -> None:
    assert hint_for(["Tc", "Td"], "6h").action == "stand"
    assert hint_for(["5c", "6d"], "Th").action == "hit"
    assert hint_for(["Tc", "6d"], "Th").action == "hit"
    assert str(hint_for(["Tc", "Td"], "6h")).startswith("stand (hit -")
