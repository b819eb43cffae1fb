"""The duel through the commands that every game shares."""

from pathlib import Path

import pytest

from commands import Command

REFERENCE = (0.544146, 0.589950, 1.865904)
"""Equilibrium payoffs of 6,6,2 with one hit (players and dealer), computed independently."""


@pytest.fixture
def solved(command: Command, tmp_path: Path) -> Path:
    path = tmp_path / "duel.rb"
    cards = ("-p", "cards=6,6,2", "-p", "max_hits=1")
    facts = command("solve", "duel", *cards, "--target", 1e-6, "--out", path, "--json").json
    assert facts["payoffs"] == pytest.approx(REFERENCE, abs=1e-4)
    assert facts["value"] == pytest.approx(REFERENCE[:2], abs=1e-4)
    assert sum(facts["payoffs"]) == pytest.approx(3)
    assert facts["nodes"] == 133
    assert facts["nash_conv"] < 1e-4
    return path


def test_a_duel_is_evaluated_shown_and_played_from_its_file(command: Command, solved: Path) -> None:
    again = command("evaluate", solved, "--json").json
    assert again["value"] == pytest.approx(REFERENCE[:2], abs=1e-4)
    assert "At h7 player 2 acts" in command("show", solved, "--path", "h7").out
    spec = f"strategy:{solved}"
    facts = command("match", "duel", spec, "random", "--hands", 500, "--json").json
    assert facts["mean"][0] > facts["mean"][1]


def test_a_path_that_leads_nowhere_is_refused(command: Command, solved: Path) -> None:
    assert "h11" in command.refused("show", solved, "--path", "h11")
