"""riverboat holdem view, drill and report."""

from pathlib import Path

import pytest

from commands import Command
from riverboat.arena.memory import Memory
from spot_texts import POLAR


@pytest.fixture
def solved(command: Command, tmp_path: Path) -> Path:
    spot, out = tmp_path / "polar.toml", tmp_path / "polar.rb"
    spot.write_text(POLAR)
    command("holdem", "solve", spot, "--target", "0.1%", "--out", out, "--json")
    return out


def test_view_tells_every_hand_as_json(command: Command, solved: Path) -> None:
    facts = command("holdem", "view", solved, "--json").json
    assert (facts["node"], facts["acts"], facts["pot"]) == ("r:0", "oop", 100)
    assert len(facts["hands"]) == 12
    aces = facts["hands"]["AhAd"] if "AhAd" in facts["hands"] else facts["hands"]["AdAh"]
    assert {"strategy", "ev", "equity", "weight"} <= aces.keys()
    assert aces["ev"] == pytest.approx(150, abs=1)
    after = command("holdem", "view", solved, "--node", "r:0:b100", "--json").json
    assert (after["acts"], after["strategy"]["call"]) == ("ip", pytest.approx(0.5, abs=0.02))


def test_view_draws_the_grid_without_colours_too(
    command: Command, solved: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "grid.svg"
    shown = command("holdem", "view", solved, "--hands", "QQ", "--svg", picture).out
    assert "AA  A" in shown  # aces, all-in nearly always
    assert "OOP acts" in shown
    assert shown.count("Q") > 6  # the six queens are listed
    assert picture.read_text().startswith("<svg")
    assert "is no node" in command.refused("holdem", "view", solved, "--node", "x")
    assert "oop or ip" in command.refused("holdem", "view", solved, "--player", "utg")
    assert "--sort takes" in command.refused("holdem", "view", solved, "--sort", "luck")


def test_drill_prices_each_decision(
    command: Command, solved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["?", "nonsense", "1", "all-in", "2", "q"])
    monkeypatch.setattr("rich.console.Console.input", lambda *_, **__: next(answers))
    shown = command("holdem", "drill", solved, "--hands", 9).out
    # The first one was looked up before it was answered, so it does not count.
    assert "3 hands, 2 decisions" in shown
    assert "the opponent" in shown
    answers = iter(["1"] * 50)
    facts = command("holdem", "drill", solved, "--side", "ip", "--hands", 4, "--json").json
    assert facts["hands"] == 4
    assert facts["decisions"] <= 4
    assert "oop or ip" in command.refused("holdem", "drill", solved, "--side", "left")


def test_report_solves_each_flop_once(command: Command, tmp_path: Path) -> None:
    spot, table = tmp_path / "spot.toml", tmp_path / "table.csv"
    spot.write_text(
        'board = "Qs Jh 2h"\npot = 20\nstack = 20\n[ranges]\noop = "AsAh,QdJd"\nip = "KsKh,9d8d"\n'
        '[sizes.flop]\noop = { bet = "a" }\n'
    )
    options = ("--flops", "subset:2", "--target", "5%")
    facts = command("holdem", "report", spot, *options, "--out", table, "--json").json
    assert (facts["flops"], facts["wanted"]) == (2, 2)
    assert len(table.read_text().splitlines()) == 3
    folder = tmp_path / "spot-flops"
    marks = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert sum(path.suffix == ".parquet" for path in marks) == 2
    again = command("holdem", "report", spot, *options, "--json").json
    assert [row["seconds"] for row in again["rows"]] == [row["seconds"] for row in facts["rows"]]
    assert marks == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "mean" in command("holdem", "report", spot, *options).out
    assert "no target" in command.refused("holdem", "report", spot, "--target", "soon")


def test_show_puts_hands_into_groups_and_finds_some(
    command: Command, solved: Path, tmp_path: Path
) -> None:
    shown = command("show", solved, "r:0", "--groups").out
    assert "made hand" in shown
    assert "full house" in shown
    facts = command("show", solved, "--find", "A", "--groups", "--json").json
    assert facts["total"]["oop"]["share"] == pytest.approx(0.5)
    assert facts["range"] == "AA"
    assert len(facts["hands"]) == facts["num_hands"] == 6
    assert {row["made"] for row in facts["hands"]} == {"full house"}
    listed = command("holdem", "view", solved, "--find", "QQ", "--limit", 2).out
    assert "as a range: QQ" in listed
    assert "4 more" in listed
    table = tmp_path / "hands.csv"
    command("holdem", "view", solved, "--player", "ip", "--find", "K", "--out", table)
    assert len(table.read_text().splitlines()) == 7
    assert "fits 'A'" in command.refused("holdem", "view", solved, "--player", "ip", "--find", "A")
    assert "neither a group" in command.refused("show", solved, "--find", "monsters")
    assert "order" in command.refused("show", solved, "--groups", "--sort", "luck")
    assert "--sort is for" in command.refused("show", solved, "--sort", "ev")
    assert "--find" in command.refused("holdem", "view", solved, "--groups", "--hands", "all")
    assert "--out writes" in command.refused("show", solved, "--groups", "--out", "a.svg")


def test_groups_are_for_spots_only(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "kuhn.rb"
    command("solve", "kuhn", "--out", file)
    assert "for solved spots" in command.refused("show", file, "--groups")


def test_show_compares_two_solutions_and_two_nodes(
    command: Command, solved: Path, tmp_path: Path
) -> None:
    locked, table = tmp_path / "locked.rb", tmp_path / "table.csv"
    spot = tmp_path / "polar.toml"
    lock = ("--lock", "r:0:b100=call:1")
    command("holdem", "solve", spot, "--target", "0.1%", "--out", locked, "--json", *lock)
    facts = command("show", solved, "--compare", locked, "--json").json
    assert facts["totals"]["oop"]["difference"]["ev"] == pytest.approx(25, abs=1)
    assert [row["name"] for row in facts["classes"]] == ["AA", "QQ"]
    shown = command("show", solved, "--compare", locked, "--out", table).out
    assert "the second less the first" in shown
    assert table.read_text().startswith("class,weight 1,weight 2,weight change")
    hands = command("show", solved, "--compare", locked, "--find", "all", "--limit", 3).out
    assert "9 more" in hands
    after = ("--node", "r:0", "--compare-node", "r:0:b100", "--player", "ip")
    nodes = command("holdem", "view", solved, *after, "--groups").out
    assert "r:0:b100" in nodes
    assert "made hand" in nodes
    assert "is not a riverboat file" in command.refused("show", solved, "--compare", spot)
    assert "no node" in command.refused("show", solved, "--compare-node", "x")
    assert "order" in command.refused("show", solved, "--compare", locked, "--sort", "luck")


def test_a_drill_of_a_person_is_remembered(
    command: Command, solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("rich.console.Console.input", lambda *_, **__: "1")
    drill = ("holdem", "drill", solved, "--side", "ip", "--hands", 3, "--person", "Ada")
    shown = command(*drill, "--only", "facing=bet").out
    memory = Memory.of("ada", tmp_path / "data")
    assert [answer.question.groups["facing"] for answer in memory.answers] == ["bet"] * 3
    assert f"Ada has {'nothing' if not memory.missed else len(memory.missed)}" in shown
    assert "no decision in this group" in command.refused(*drill, "--only", "street=flop")
    assert "KIND=GROUP" in command.refused(*drill, "--only", "turn")
    assert "letters, digits" in command.refused(*drill[:-1], "../Ada")
