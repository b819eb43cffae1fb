"""`riverboat duel` and the viewer of public trees, as a person or a program meets them."""

import csv
import io
import json
from pathlib import Path

import pytest

from commands import Command
from riverboat.cli.public_view import show_public
from riverboat.errors import UsageError
from riverboat.games.duel import Duel
from riverboat.solvers.solve import solve
from riverboat.strategies.public_strategy import (
    PublicCursor,
    PublicStrategy,
    dump_public_strategy,
    load_public_strategy,
    save_public_strategy,
)


def test_the_old_programs_face(command: Command, tmp_path: Path) -> None:
    answer = command("duel", "6, 6, 2", 1, 1000, tmp_path / "dump")
    assert answer.code == 0
    lines = dict(line.split(":", 1) for line in answer.out.splitlines())
    assert lines["Up cards"].strip().startswith("6, 6, 2")
    assert lines["Number of nodes"].strip() == "133"
    assert [float(text) for text in lines["Root payoffs"].split()] == pytest.approx(
        [0.544146, 0.589950, 1.865904], abs=1e-4
    )
    assert (tmp_path / "dump" / "strategy.txt").read_text().startswith("player 0 acts")
    assert (tmp_path / "dump" / "h7" / "strategy.txt").exists()


def test_json_holds_the_same_facts(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "duel.rb"
    facts = command("duel", "10,10,10", 1, 500, "--out", out, "--random-path", "--json").json
    assert facts["parameters"] == {"cards": [10, 10, 10], "max_hits": 1, "limit": ">20"}
    assert facts["payoffs"] == pytest.approx([0.910041, 0.910041, 1.179918], abs=1e-4)
    assert facts["nash_conv"] < 1e-4
    assert (facts["nodes"], facts["infosets"], facts["iterations"]) == (133, 120, 500)
    assert facts["random_path"]
    assert load_public_strategy(out).info["value"] == facts["value"]


def test_random_cards_and_paths_follow_the_seed(command: Command) -> None:
    first = command("duel", "random", 1, 10, "--random-path", "--seed", 4)
    assert first.code == 0
    assert "player 1 with" in first.out
    assert "payoffs" in first.out
    again = command("duel", "random", 1, 10, "--random-path", "--seed", 4)
    assert first.out.splitlines()[0] == again.out.splitlines()[0]
    assert first.out.splitlines()[-4:] == again.out.splitlines()[-4:]
    drawn = {command("duel", "", 1, 1, "--seed", k).out.splitlines()[0] for k in range(6)}
    assert len(drawn) > 1


def test_random_cards_differ_without_a_seed(command: Command) -> None:
    drawn = {tuple(command("duel", "--json").json["parameters"]["cards"]) for _ in range(12)}
    # Twelve triples alike have a probability below (4/13)^33.
    assert len(drawn) > 1


def test_an_unknown_algorithm_names_those_of_the_public_tree(command: Command) -> None:
    answer = command("duel", "6,6,2", 1, 10, "--algorithm", "foo")
    assert answer.code == 2
    assert "'foo'" in answer.err
    assert "sampled-cfr+" in answer.err
    assert " lp," not in answer.err


def test_the_help_tells_what_to_expect(command: Command) -> None:
    out = command("duel", "--help").out
    for word in ("MAX_HITS", "ITERATIONS", "NashConv", "memory", "133"):
        assert word in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["6, 6"], "three up cards"),
        (["6, 6, 11"], "1 (the ace) to 10"),
        (["6, 6, x"], "whole numbers"),
        (["6, 6, 2", "0"], "max_hits"),
        (["6, 6, 2", "9", "10", "--memory", "1"], "GiB"),
        (["6, 6, 2", "1", "0"], "iterations"),
        (["6, 6, 2", "1", "5", "--limit", ">21"], "limit"),
        (["6, 6, 2", "1", "5", "--algorithm", "lp"], "public tree"),
    ],
)
def test_bad_input_is_one_sentence(
    command: Command, arguments: list[str], words: str, tmp_path: Path
) -> None:
    sentence = command.refused("duel", *arguments, "--out", tmp_path / "out.rb")
    assert words in sentence
    assert list(tmp_path.iterdir()) == []


def test_a_bad_dump_directory_is_refused_before_the_work(command: Command, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    assert "not empty" in command.refused("duel", "6,6,2", 1, 10, tmp_path / "full")
    assert "not exist" in command.refused("duel", "6,6,2", 1, 10, tmp_path / "no" / "dump")
    assert "is a file" in command.refused("duel", "6,6,2", 1, 10, tmp_path / "full" / "x")
    assert [p.name for p in tmp_path.iterdir()] == ["full"]


@pytest.fixture(scope="module")
def strategy() -> PublicStrategy:
    return solve(Duel((6, 6, 2), 2), iterations=30).strategy


def test_threads_give_the_same_strategy(command: Command, tmp_path: Path) -> None:
    """Three hits make a tree large enough to be shared out."""
    found = []
    for threads in (1, 2):
        out = tmp_path / f"{threads}.rb"
        options = ("-p", "cards=6,6,2", "-p", "max_hits=3", "-a", "cfr+", "--iterations", 2)
        assert command("solve", "duel", *options, "--threads", threads, "--out", out).code == 0
        found.append(load_public_strategy(out).weights.tobytes())
    assert found[0] == found[1]


def test_export_writes_every_form(
    command: Command, strategy: PublicStrategy, tmp_path: Path
) -> None:
    path = tmp_path / "duel.rb"
    save_public_strategy(path, strategy)
    rows = list(csv.DictReader(io.StringIO(command("export", path, "--format", "csv").out)))
    assert len(rows) == 2 * strategy.public.shapes.num_infosets
    found = json.loads(command("export", path).out)
    assert found["parameters"]["cards"] == [6, 6, 2]
    known = strategy.lookup(1, "10|s,h7")
    assert found["strategy"]["1"]["10|s,h7"] == known
    assert {(r["action"], float(r["probability"])) for r in rows if r["infoset"] == "10|s,h7"} == (
        set((known or {}).items())
    )
    assert command("export", path, "--format", "dump", "--out", tmp_path / "dump").code == 0
    dump_public_strategy(strategy, tmp_path / "same")
    for file in (tmp_path / "same").rglob("strategy.txt"):
        other = tmp_path / "dump" / file.relative_to(tmp_path / "same")
        assert other.read_text() == file.read_text()


def test_what_cannot_be_dumped_is_refused(
    command: Command, strategy: PublicStrategy, tmp_path: Path
) -> None:
    path, kuhn = tmp_path / "duel.rb", tmp_path / "kuhn.rb"
    save_public_strategy(path, strategy)
    command("solve", "kuhn", "--out", kuhn)
    assert "--out" in command.refused("export", path, "--format", "dump")
    assert "json or csv" in command.refused("export", kuhn, "--format", "dump", "--out", "x")
    assert "xml" in command.refused("export", kuhn, "--format", "xml")
    assert "not empty" in command.refused("export", path, "--format", "dump", "--out", tmp_path)


def test_the_cursor_walks_the_tree(strategy: PublicStrategy) -> None:
    root = PublicCursor(strategy)
    assert root.player == 0
    assert list(root.moves()) == ["s", *(f"h{card}" for card in range(1, 11))]
    held = root.held()
    assert held is not None
    assert held[9] == pytest.approx(4 / 13)
    below = root.after("h7").after("s")
    assert strategy.walk("h7, s") == below
    assert "At h7,s player 1 acts" in repr(below)
    assert below._repr_html_().count("<tr>") == 1 + 10
    assert (below.player, below.path) == (0, ("h7", "s"))
    assert below.back().back().place == root.place == root.back().place
    assert below.moves()["s"] is None
    known = strategy.lookup(0, "5|h7,s")
    assert below.as_dict()["hands"]["5"] == pytest.approx(known)
    later = below.held()
    hit = strategy.lookup(0, "10|")
    assert later is not None
    assert hit is not None
    assert later.sum() == pytest.approx(1)
    assert later[9] < held[9] or hit["h"] > 0.5
    with pytest.raises(UsageError, match="no decision at 'h7,s,s'"):
        below.after("s")


def test_a_node_is_shown_as_a_table(
    strategy: PublicStrategy, capsys: pytest.CaptureFixture[str]
) -> None:
    show_public(strategy, path="s, h7")
    out = capsys.readouterr().out
    assert "At s,h7 player 2 acts" in out
    assert "stand" in out
    assert "next:" in out
    known = strategy.lookup(1, "10|s,h7")
    assert known is not None
    row = next(line for line in out.splitlines() if line.strip().startswith("10 "))
    assert f"{known['s']:.1%}" in row
    show_public(strategy, path="s,h7", as_json=True)
    assert '"player": 1' in capsys.readouterr().out


def test_walking_by_keys(
    strategy: PublicStrategy, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("s\nh7\nnonsense\nb\nt\nh1,h2\nq\n"))
    show_public(strategy, interactive=True)
    out = capsys.readouterr().out
    for words in ("At s player 2", "At s,h7 player 2", "no decision at", "At h1,h2 player 1"):
        assert words in out
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    show_public(strategy, interactive=True)
