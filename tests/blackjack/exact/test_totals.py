"""A hand may be named by its total: a hard one is a mean over hands, a soft one an ace and a card.

The means are worked out here once more from the counts of the shoe.
"""

from __future__ import annotations

import pytest

from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import parse_cards, parse_total, rules_from
from riverboat.blackjack.search.problem import Situation, Table
from riverboat.errors import ParameterError

UPS = "A23456789T"


def dealt(total: int, decks: int, up: str) -> dict[str, float]:
    """Two cards without an ace and no pair → in how many ways they are dealt next to `up`."""
    left = {rank: (16 if rank == "T" else 4) * decks - (rank == up) for rank in UPS}
    return {
        f"{UPS[high - 1]},{UPS[low - 1]}": left[UPS[high - 1]] * left[UPS[low - 1]]
        for low in range(2, 11)
        for high in range(low + 1, 11)
        if low + high == total
    }


@pytest.mark.parametrize("preset", ["vegas-6d-s17", "single-deck", "european"])
@pytest.mark.parametrize("up", ["T", "6", "A", "9"])
@pytest.mark.parametrize("total", [5, 9, 11, 12, 16, 19])
def test_a_hard_total_is_the_mean_of_its_hands_as_they_are_dealt(
    preset: str, up: str, total: int
) -> None:
    rules = rules_from(preset, ())
    analysis = analyse(rules, compiled=False)
    assert isinstance(rules.decks, int)
    ways = dealt(total, rules.decks, up)
    # After a peek there is no natural, which a hand with a ten makes likelier against an ace.
    for cards in ways:
        if rules.hole_card == "peek" and up in "AT":
            outcomes = analysis.dealer(up, cards)
            ways[cards] *= 1 - outcomes["blackjack"]
    whole = sum(ways.values())
    wanted: dict[str, float] = {}
    for cards, number in ways.items():
        for action, value in analysis.action_values(cards, up).items():
            wanted[action] = wanted.get(action, 0.0) + number / whole * value
    answer = analysis.hand(str(total), up)
    assert answer.values == pytest.approx(wanted, abs=1e-12)
    assert list(answer.values.values()) == sorted(answer.values.values(), reverse=True)
    assert set(answer.by_cards) == set(ways)
    assert (answer.name, answer.total, answer.cards) == (f"hard {total}", total, "")
    assert analysis.best(f"hard {total}", up) == answer.best


def test_basic_strategy_plays_hard_totals_as_every_published_chart_does() -> None:
    analysis = analyse(rules_from("vegas-6d-s17", ()), compiled=False)
    for total, up, best in [
        ("16", "10", "hit"),
        ("16", "6", "stand"),
        ("12", "2", "hit"),
        ("12", "4", "stand"),
        ("11", "6", "double"),
        ("20", "10", "stand"),
        ("8", "5", "hit"),
        ("17", "A", "stand"),
    ]:
        assert analysis.best(total, up) == best, (total, up)


@pytest.mark.parametrize(("total", "cards"), [("20", "T,T"), ("4", "2,2")])
def test_a_total_that_only_a_pair_makes_is_that_pair_without_the_split(
    total: str, cards: str
) -> None:
    analysis = analyse(rules_from("vegas-6d-s17", ()), compiled=False)
    pair = analysis.action_values(cards, "6")
    assert "split" in pair
    del pair["split"]
    assert analysis.action_values(total, "6") == pytest.approx(pair, abs=1e-12)


@pytest.mark.parametrize(
    ("total", "cards"),
    [("soft 18", "A,7"), ("Soft 12", "A,A"), ("soft20", "A,9"), ("soft 21", "A,T")],
)
def test_a_soft_total_is_an_ace_and_one_card(total: str, cards: str) -> None:
    analysis = analyse(rules_from("vegas-6d-s17", ()), compiled=False)
    assert analysis.hand(total, "9") == analysis.hand(cards, "9")


@pytest.mark.parametrize("text", ["3", "1", "hard 3", "soft 11", "soft 22", "hard 22", "21"])
def test_totals_that_no_two_cards_make_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="21"):
        analyse(rules_from("vegas-6d-s17", ()), compiled=False).hand(text, "9")


def test_a_total_after_a_split_is_refused() -> None:
    with pytest.raises(ParameterError, match="write the cards"):
        analyse(rules_from("vegas-6d-s17", ()), compiled=False).hand("16", "9", hands=2)


@pytest.mark.parametrize("text", ["16", "11", "12", "116", "A16", "8,17", "21"])
def test_a_one_next_to_another_digit_is_never_taken_for_an_ace(text: str) -> None:
    with pytest.raises(ParameterError, match="an ace as A"):
        parse_cards(text)
    with pytest.raises(ParameterError, match="an ace as A"):
        Situation.of(Table(rules_from("vegas-6d-s17", ())), text, "9")


def test_cards_without_an_ace_need_no_separators() -> None:
    texts = ("88", "T6", "106", "610", "1010", "1,6", "1", "22", "a7", "2 10")
    wanted = ["88", "T6", "T6", "6T", "TT", "A6", "A", "22", "A7", "2T"]
    assert [parse_cards(text) for text in texts] == wanted
    assert [parse_total(text) for text in ("88", "22", "106", "T", "A7", "")] == [None] * 6


def test_numbers_are_read_as_texts() -> None:
    analysis = analyse(rules_from("vegas-6d-s17", ()), compiled=False)
    assert analysis.action_values(16, 10) == analysis.action_values("16", "T")  # type: ignore[arg-type]
