"""The blueprint that comes with the package, at the command line."""

import io
from pathlib import Path

import pytest

from commands import Command


def test_one_sits_down_without_arguments(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("?\nf\nq\n"))
    answer = command("play", "holdem", "--seed", 3, "--seat", 2, "--hands", 1)
    assert answer.code == 0, answer.err
    assert "stacks 100, against blueprint:shipped" in answer.out.replace("\n", " ")
    assert "pot odds: 1 to win 3, so a call pays" in answer.out
    assert "1 hand, score -1" in answer.out


def test_other_stacks_or_more_players_are_played_by_the_rules_player(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for more in (["--set", "stacks=300"], ["--players", "3"]):
        monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
        assert "against holdem:rules" in command("play", "holdem", *more).out.replace("\n", " ")


def test_show_walks_and_draws(command: Command, tmp_path: Path) -> None:
    flop = command("holdem", "show", "--path", "r6c", "--board", "Qs Js 2d", "--json").json
    assert (flop["street"], flop["seat"], flop["pot"]) == ("flop", "big blind", 12)
    assert sum(flop["totals"].values()) == pytest.approx(1)
    assert flop["next"]["c"] == "r6cc"
    one = command("holdem", "show", "--path", "r6", "--hand", "AsAh", "--json").json
    assert one["actions"]["f"] == 0
    assert sum(one["actions"].values()) == pytest.approx(1)
    picture = tmp_path / "grid.svg"
    assert "saved" in command("holdem", "show", "--out", picture).out
    assert picture.read_text().startswith("<svg")
    refused = command.refused("holdem", "show", "--out", tmp_path / "grid.gif")
    assert ".svg" in refused
    assert ".html" in refused
    assert "board of 3 cards" in command.refused("holdem", "show", "--path", "r6c")
    shown = command("holdem", "show")
    assert "button to act" in shown.out
    assert "--path r6" in shown.out


def test_a_match_takes_the_blueprints_game(command: Command) -> None:
    """Each fold of the button costs the small blind, 1 chip of the blueprint's game."""
    found = command(
        "match", "holdem", "blueprint", "holdem:fold", "--hands", 40, "--seed", 1, "--json"
    )
    assert found.code == 0, found.err
    assert found.json["players"] == ["blueprint", "holdem:fold"]
    assert -2 <= found.json["mean"][1] < 0
    other = command.refused("match", "holdem", "blueprint", "holdem:fold", "--set", "stacks=50")
    assert "trained for 2 players with stacks 100" in other
