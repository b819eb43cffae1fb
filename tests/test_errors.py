"""What is suggested for an unknown name."""

from __future__ import annotations

import pytest

from riverboat.blackjack.rules import PRESETS
from riverboat.errors import did_you_mean
from riverboat.games.registry import GAMES


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("vegas-6d", "vegas-6d-s17"),  # the usual table, not the one that pays 6:5
        ("vegas", "vegas-6d-s17"),
        ("Vegas-6D", "vegas-6d-s17"),
        ("vegas-6d-", "vegas-6d-s17"),
        ("vegas-6d-17", "vegas-6d-s17"),
        ("vegas_6d_s17", "vegas-6d-s17"),
        ("vegas-6d-h", "vegas-6d-h17"),
        ("vegas-6d-h1", "vegas-6d-h17"),
        ("vegas-8d", "vegas-8d-s17"),
        ("vegas65", "vegas-6d-65"),
        ("6d-65", "vegas-6d-65"),
        ("single", "single-deck"),
        ("double", "double-deck"),
        ("atlantic", "atlantic-city"),
        ("europe", "european"),
    ],
)
def test_a_beginning_of_a_rule_set_suggests_the_usual_one(name: str, meant: str) -> None:
    assert did_you_mean(name, PRESETS) == f"did you mean {meant!r}?"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_rule_set_with_a_letter_more_fewer_or_other_suggests_itself(preset: str) -> None:
    assert did_you_mean(f"{preset}x", PRESETS) == f"did you mean {preset!r}?"
    assert did_you_mean(preset.upper(), PRESETS) == f"did you mean {preset!r}?"
    assert did_you_mean(preset[1:], PRESETS) == f"did you mean {preset!r}?"


@pytest.mark.parametrize(
    ("name", "meant"), [("khun", "kuhn"), ("Leduc", "leduc"), ("leduc?rank=3", "leduc")]
)
def test_games(name: str, meant: str) -> None:
    assert did_you_mean(name, GAMES) == f"did you mean {meant!r}?"


def test_without_a_similar_name_all_are_listed() -> None:
    assert did_you_mean("zzz", ["b", "a"]) == "known: a, b."
    assert did_you_mean("", {"b", "a"}) == "known: a, b."
    assert did_you_mean("a", []) == "there are none."


def test_a_set_has_no_order_of_its_own() -> None:
    assert did_you_mean("abc", {"abc-2", "abc-1", "abc-3"}) == "did you mean 'abc-1'?"
