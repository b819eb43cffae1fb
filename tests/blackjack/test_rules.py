"""The rules of a table: presets, options as text, contradictions."""

from typing import Any

import pytest

from riverboat.blackjack.rules import PRESETS, BlackjackRules, rules_from
from riverboat.errors import ParameterError, UnknownNameError


def test_options_are_read_from_text() -> None:
    changes = ["decks=infinite", "h17=True", "bj_pays=6:5", "max_split_hands=unlimited", "das=0"]
    rules = rules_from("vegas-6d-s17", changes)
    assert (rules.decks, rules.h17, rules.bj_pays) == ("infinite", True, 1.2)
    assert (rules.max_split_hands, rules.das) == (0, False)


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"decks": 0}, "decks"),
        ({"decks": 9}, "decks"),
        ({"decks": 2.5}, "decks"),
        ({"bj_pays": 3}, "bj_pays"),
        ({"bj_pays": "1:0"}, "bj_pays"),
        ({"double_on": "8-11"}, "double_on"),
        ({"max_split_hands": 5}, "max_split_hands"),
        ({"max_split_hands_aces": -1}, "max_split_hands_aces"),
        ({"max_split_hands": 1}, "max_split_hands_aces"),
        ({"charlie": 4}, "charlie"),
        ({"dealer_charlie": True}, "dealer_charlie"),
        ({"hole_card": "none"}, "hole_card"),
        ({"wheels": 4}, "wheels"),
    ],
)
def test_a_bad_option_is_named(changes: dict[str, object], option: str) -> None:
    with pytest.raises(ParameterError, match=option):
        rules_from("vegas-6d-s17", changes)


def test_an_unknown_preset_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="vegas-6d-s17"):
        rules_from("vegas-6d-s71")


def test_what_may_be_doubled() -> None:
    some = BlackjackRules(double_on="9-11")
    assert [t for t in range(4, 22) if some.can_double(t, False)] == [9, 10, 11]
    assert not some.can_double(10, True)
    assert BlackjackRules().can_double(19, True)
    assert not BlackjackRules(double_on="none").can_double(11, False)


def test_a_table_in_words() -> None:
    assert BlackjackRules().summary == "6 decks, S17, 3:2, DAS, split to 4, peek"
    assert "Charlie" in PRESETS["combo-charlie"].summary
    assert len({rules.summary for rules in PRESETS.values()}) == len(PRESETS)


@pytest.mark.parametrize(
    ("rules", "phrases"),
    [
        (BlackjackRules(decks=1), ["1 deck", "dealer stands on soft 17", "no surrender"]),
        (rules_from("vegas-6d-65"), ["dealer hits soft 17", "blackjack pays 6 to 5"]),
        (rules_from("european"), ["no hole card", "double 9–11 only"]),
        (
            rules_from("combo-charlie"),
            ["split without limit", "aces may hit", "5-card Charlie for the dealer too"],
        ),
        (
            BlackjackRules(max_split_hands=1, max_split_hands_aces=1, decks="infinite"),
            ["Infinite deck", "no splitting"],
        ),
    ],
)
def test_a_table_as_its_sign_puts_it(rules: BlackjackRules, phrases: list[str]) -> None:
    assert set(phrases) <= set(rules.phrases)


CHANGES: list[dict[str, Any]] = [
    {"decks": 2},
    {"decks": "infinite"},
    {"h17": True},
    {"bj_pays": 1.2},
    {"bj_pays": 1.0},
    {"double_on": "10-11"},
    {"double_on": "none"},
    {"das": False},
    {"max_split_hands": 3},
    {"max_split_hands": 0},
    {"max_split_hands": 1, "max_split_hands_aces": 1},
    {"max_split_hands_aces": 1},
    {"max_split_hands_aces": 4},
    {"max_split_hands_aces": 0},
    {"hit_split_aces": True},
    {"surrender": "late"},
    {"surrender": "early"},
    {"hole_card": "enhc"},
    {"insurance": False},
    {"charlie": 6},
    {"charlie": 6, "dealer_charlie": True},
    {"combo": True},
    {"split_by": "rank"},
]


def test_no_rule_is_lost_in_words() -> None:
    assert {option for change in CHANGES for option in change} == set(
        BlackjackRules.__dataclass_fields__
    )
    tables = [BlackjackRules(), *(BlackjackRules(**change) for change in CHANGES)]
    assert len({rules.summary for rules in tables}) == len(tables)
    assert len({rules.phrases for rules in tables}) == len(tables)
