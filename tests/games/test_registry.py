"""Names and parameters of games."""

import pytest

from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.games.base import parameters_of
from riverboat.games.kuhn import Kuhn
from riverboat.games.registry import GAMES, make_game, parse_assignments, register_game


def test_parameters_are_read_by_their_type() -> None:
    assert parameters_of(make_game("kuhn", {"players": "3"})) == {"players": 3}


@pytest.mark.parametrize(
    "parameters", [{"players": "three"}, {"players": "1"}, {"plyers": "2"}, {"players": "2.5"}]
)
def test_a_bad_parameter_is_refused_by_name(parameters: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="kuhn"):
        make_game("kuhn", parameters)


def test_an_unknown_game_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'kuhn'"):
        make_game("khun")


@pytest.mark.parametrize("written", ["leduc?rank=3", "leduc(ranks=4)", "ledoc:ranks=4"])
def test_a_game_with_something_behind_its_name_gets_a_suggestion(written: str) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'leduc'"):
        make_game(written)


@pytest.mark.parametrize(
    ("game", "parameter", "hint"),
    [
        ("leduc", "rank", "did you mean 'ranks'?"),
        ("leduc", "colour", "known: ranks, suits."),
        ("kuhn", "plyers", "did you mean 'players'?"),
        ("twentyone", "decks", "there are none."),
    ],
)
def test_an_unknown_parameter_gets_a_suggestion(game: str, parameter: str, hint: str) -> None:
    with pytest.raises(ParameterError) as refused:
        make_game(game, {parameter: "3"})
    assert str(refused.value) == f"{game} has no parameter {parameter!r}; {hint}"


def test_an_assignment_without_equals_is_refused() -> None:
    with pytest.raises(ParameterError, match="name=value"):
        parse_assignments(["players"])


@pytest.mark.parametrize(
    ("written", "name"),
    [("Kuhn", "kuhn"), ("liars-dice", "liars_dice"), ("rock-paper-scissors", "rps")],
)
def test_other_spellings_of_a_name_find_the_game(written: str, name: str) -> None:
    assert make_game(written).name == name


def test_a_class_from_a_notebook_is_registered_and_made() -> None:
    cell = """
from dataclasses import dataclass
from typing import ClassVar
from riverboat.games.registry import register_game
from riverboat.games.rock_paper_scissors import RockPaperScissors

@register_game
@dataclass(frozen=True)
class Paper(RockPaperScissors):
    name: ClassVar[str] = "paper-only"
    title: ClassVar[str] = "Rock-paper-scissors again"
"""
    try:
        for _ in range(2):  # a cell may be run again
            exec(compile(cell, "<cell>", "exec"), {"__name__": "__main__"})
        assert parameters_of(make_game("paper-only", {"rock_stake": "2"})) == {"rock_stake": 2.0}
    finally:
        GAMES.pop("paper-only", None)


def test_a_taken_name_and_half_a_game_are_refused() -> None:
    with pytest.raises(UsageError, match="There is a game 'kuhn' already"):
        register_game(type("Kuhn", (Kuhn,), {}))

    class Nothing:
        name = "nothing"

    with pytest.raises(UsageError, match="lacks title"):
        register_game(Nothing)  # type: ignore[type-var]
