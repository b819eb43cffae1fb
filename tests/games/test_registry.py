"""Names and parameters of games."""

import pytest

from riverboat.errors import ParameterError, UnknownNameError
from riverboat.games.base import parameters_of
from riverboat.games.registry import make_game, parse_assignments


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


def test_an_assignment_without_equals_is_refused() -> None:
    with pytest.raises(ParameterError, match="name=value"):
        parse_assignments(["players"])


@pytest.mark.parametrize(
    ("written", "name"),
    [("Kuhn", "kuhn"), ("liars-dice", "liars_dice"), ("rock-paper-scissors", "rps")],
)
def test_other_spellings_of_a_name_find_the_game(written: str, name: str) -> None:
    assert make_game(written).name == name
