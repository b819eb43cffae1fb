"""match, bots and play as a person or a program meets them."""

import io

import pytest

from commands import Command
from riverboat.cli.terminal_table import in_columns
from riverboat.games.registry import make_game
from riverboat.players.player import move_keys


def test_match_json_contract(command: Command) -> None:
    facts = command("match", "kuhn", "random", "uniform", "--hands", 400, "--json").json
    assert facts["players"] == ["random", "uniform"]
    assert facts["hands"] == 400
    assert sum(facts["mean"]) == pytest.approx(0)
    assert len(facts["ci95"]) == 2
    again = command("match", "kuhn", "random", "uniform", "--hands", 400, "--json").json
    assert again == facts


def test_showdown_bots_are_what_the_exact_values_say(command: Command) -> None:
    facts = command("bots", "--hands", 200_000, "--json").json
    assert facts["players"] == ["Rand", "CFR(100)", "CFR(10k)", "CFR(1M)"]
    for row in range(4):
        for column in range(4):
            width = facts["ci95"][row][column]
            error = facts["mean"][row][column] - facts["exact"][row][column]
            assert abs(error) < 2.5 * width
    assert facts["exact"][3][0] == pytest.approx(0.24, abs=0.01)
    assert facts["exact"][3][3] == pytest.approx(-2487353 / 76854960, abs=1e-3)
    assert facts["exploitability"]["CFR(1M)"] <= 0.003
    assert "CFR(1M)" in command("bots", "--hands", 1000, "--training", "100,1000000").out


def type_keys(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_play_with_hints_and_a_score(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    type_keys(monkeypatch, "?\nx\n" + "b\n" * 20)
    answer = command("play", "kuhn", "--hands", 2, "--seed", 1, "--hint")
    assert answer.code == 0
    assert "equilibrium: " in answer.out
    assert "is not one of p, b" in answer.out
    assert "that costs" in answer.out
    assert "2 hands, score" in answer.out


def test_leaving_the_table_is_fine_at_any_point(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for keys in ("", "q\n", "p\n"):
        type_keys(monkeypatch, keys)
        assert command("play", "leduc", "--seed", 2).code == 0


def test_seat_and_opponent_are_chosen(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    type_keys(monkeypatch, "p\n" * 20)
    answer = command("play", "kuhn", "--seat", 2, "--against", "random", "--hands", 3)
    assert answer.out.count("You are player 2.") == 3


def test_a_human_may_sit_in_a_match(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    type_keys(monkeypatch, "r\np\n")
    answer = command("match", "rps", "human", "random", "--hands", 2, "--json")
    assert answer.code == 0
    assert answer.json["hands"] == 2
    assert "[r] rock" in answer.err


def test_a_human_may_leave_a_match(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for keys in ("", "q\n"):
        type_keys(monkeypatch, keys)
        answer = command("match", "rps", "human", "random", "--hands", 2)
        assert answer.code == 2
        assert "The match was left" in answer.err


def test_one_player_games_come_with_exact_advice(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand of 21 is never hit, and hitting a hard 20 costs more than the whole stake."""
    type_keys(monkeypatch, "s\n" * 20)
    answer = command("play", "twentyone", "--hands", 3, "--seed", 4, "--hint")
    assert "best: hit" in answer.out
    assert "3 hands, score" in answer.out
    type_keys(monkeypatch, "\n?\ns\ns\ns\nq\n")
    answer = command("play", "blackjack", "--rules", "european", "--seed", 3, "--hint")
    assert "no hole card" in answer.out


@pytest.mark.parametrize(
    ("game", "option", "value"),
    [
        ("kuhn", "--rules", "european"),
        ("kuhn", "--phh", "hands.phhs"),
        ("kuhn", "--players", 3),
        ("blackjack", "--against", "random"),
        ("blackjack", "--seat", 1),
        ("blackjack", "--phh", "hands.phhs"),
        ("twentyone", "--against", "random"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    command: Command, game: str, option: str, value: object
) -> None:
    message = command.refused("play", game, option, value)
    assert f"{option} does nothing in {game}" in message


def test_set_is_the_one_spelling_for_rules_and_parameters(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_keys(monkeypatch, "")
    settings = ("--set", "rules=european", "--set", "h17=true")
    assert "dealer hits soft 17" in command("play", "blackjack", *settings).out
    assert "player 3" in command("play", "kuhn", "--set", "players=3", "--seat", 3).out
    assert "no parameter 'decks'" in command.refused("play", "kuhn", "--set", "decks=3")


def test_digits_as_keys_are_the_digits_of_the_moves() -> None:
    dice = make_game("liars_dice")
    start = dice.start().after("5").after("2")
    keys = move_keys(start.after("1-5").actions())
    assert keys["16"] == "1-6"
    assert keys["21"] == "2-1"
    assert keys["l"] == "liar"
    assert move_keys(("10", "1", "2")) == {"10": "10", "1": "1", "2": "2"}
    assert move_keys(("p", "b")) == {"p": "p", "b": "b"}
    assert move_keys(("raise", "resign")) == {"1": "raise", "2": "resign"}


def test_many_moves_stand_in_columns() -> None:
    items = [f"[{i}] move {i}" for i in range(10, 30)]
    lines = in_columns(items, 60)
    assert all(len(line) <= 60 for line in lines)
    assert {line.index("[", 3) for line in lines} == {lines[0].index("[", 3)}
    told = "".join(lines).replace(" ", "").split("[")
    assert sorted(told) == sorted("".join(items).replace(" ", "").split("["))
    assert in_columns(["a", "b"], 60) == ["  a  b"]
