"""Reports: over cards to come and over flops, for two and three players, with locks, resumed."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import riverboat as rb
from commands import Command
from exact_three_way import TURN as TURN_OF_THREE
from riverboat.cards.card import parse_cards
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.flop_report import FlopLocks, report_rows
from riverboat.holdem.spots.flops import Flop, flop_table
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.node_groups import node_groups
from riverboat.holdem.spots.node_report import (
    NodeRows,
    file_digest,
    node_after,
    node_pattern,
    node_rows,
    node_table,
    read_rows,
    report_node,
    runouts,
)
from riverboat.holdem.spots.node_views import mean_mix, next_cards
from riverboat.holdem.spots.report_table import ReportTable
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.jobs.job_list import Here
from riverboat.runtime.stopping import Stop, use_stop
from spot_texts import FLOP, TURN

FLOPS = tuple(
    Flop((cards[0], cards[1], cards[2]), weight)
    for cards, weight in ((parse_cards("7c5c2c"), 3.0), (parse_cards("7c7d2h"), 1.0))
)
WIDER = """board = "Qs Jh 2h"
pot = 20
stack = 20
[ranges]
oop = "AA,QdJd,9s8s"
ip = "KK,9d8d,AcQc"
[sizes.turn]
oop = { bet = "50%" }
"""
"""On the flop everybody checks."""
THREE = """board = "Qs Jh 2h"
pot = 30
stack = 20
[ranges]
sb = "AsAh"
bb = "9d8d"
btn = "KsKh,QdJd"
[sizes.flop]
sb = { bet = "a" }
"""


@pytest.fixture(scope="module")
def turn() -> SolvedSpot:
    return Spot.from_toml(TURN).solve(target="1%")


@pytest.fixture(scope="module")
def flop() -> SolvedSpot:
    return Spot.from_toml(WIDER).solve(target=1.0)


def test_figures_are_those_of_the_cursor_and_of_the_next_cards(turn: SolvedSpot) -> None:
    report = report_node(turn, "r:0:c:c")
    cards = next_cards(turn.at("r:0:c:c"))
    assert [line.name for line in report.lines] == [row.card for row in cards]
    for line, row in zip(report.lines, cards, strict=True):
        assert tuple(line.figures.ev.values()) == pytest.approx(row.ev, abs=1e-6)
        assert tuple(line.figures.equity.values()) == pytest.approx(row.equity)
        assert line.figures.strategies["oop"] == pytest.approx(row.strategy)
        assert line.weight == pytest.approx(row.weight)
    means = report.means()
    for action, share in mean_mix(cards).items():
        assert means[f"oop {action}"] == pytest.approx(share)
    at = turn.at("r:0:c:c:Ah")
    ace = next(line for line in report.lines if line.name == "Ah")
    assert ace.figures.strategies["ip"] == pytest.approx(at.play("check").mean_strategy())
    held = {row.name: row.players[1].share for row in node_groups(at).groups("made")}
    assert {name: share for name, share in held.items() if share} == ace.figures.groups["ip"]


def test_any_stands_for_all_cards_at_its_place(flop: SolvedSpot) -> None:
    answers = report_node(flop, "r:0:c:c:any:c")
    assert len(answers) == 49
    ace = next(line for line in answers.lines if line.name == "Ad")
    assert ace.node == "r:0:c:c:Ad:c"
    assert ace.figures.strategies["ip"] == pytest.approx(flop.at("r:0:c:c:Ad:c").mean_strategy())
    assert node_pattern(flop, "r:0:c:c:any:c:c") == "r:0:c:c:any:c:c:any"
    assert len(runouts(flop, "r:0:c:c:any:c:c:any")) == 49 * 48
    assert len(runouts(flop, "r:0:c:c:any:c:c:Ad")) == 48
    river = report_node(flop, "r:0:c:c:Ad:c:c")
    assert len(river) == 48
    assert {line.board[:4] for line in river.lines} == {(*flop.spot.board, *parse_cards("Ad"))}


@pytest.mark.parametrize(
    ("node", "sentence"),
    [
        ("r:0", "no card to come"),
        ("r:0:any", "No card comes"),
        ("r:0:c:c:any:any", "No card comes"),
        ("x", "is no node"),
        ("r:0:c:c:Qs", "on the board"),
        ("r:0:b7", "no action"),
        ("", "is no node"),
    ],
)
def test_a_node_without_cards_to_come_is_refused(
    flop: SolvedSpot, node: str, sentence: str
) -> None:
    with pytest.raises(RiverboatError, match=sentence):
        report_node(flop, node)


def test_runouts_that_differ_by_suits_alone_are_the_same_and_right(flop: SolvedSpot) -> None:
    """Each row equals the cursor's figures on that runout, read alone."""
    for row in list(node_rows(flop, "r:0:c:c:any"))[::7]:
        at = flop.at(node_after("r:0:c:c:any", row.cards))
        assert row.figures.ev["oop"] == pytest.approx(at.summary(0).ev, abs=1e-5)
        assert row.weight == pytest.approx(float(at.weights(0) @ at.meetings(0)))


class AfterLooks:
    """A flag that is set once it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def set(self) -> None:
        self.looks = 0

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_all_turns_stopped_cut_by_a_crash_and_gone_on_with_are_the_same(
    flop: SolvedSpot, tmp_path: Path
) -> None:
    whole = list(node_rows(flop, "r:0:c:c:any"))
    kept = NodeRows(tmp_path, "a digest", "r:0:c:c:any")
    # It is looked at before each of 49 runouts that may be kept, and before each that is read.
    with use_stop(Stop(AfterLooks(49 + 20))), pytest.raises(KeyboardInterrupt):
        list(node_rows(flop, "r:0:c:c:any", kept=kept))
    file = tmp_path / "rows.jsonl"
    assert len(file.read_text().splitlines()) == 20
    file.write_bytes(file.read_bytes()[:-100])  # killed in the middle of a write
    kept = NodeRows(tmp_path, "a digest", "r:0:c:c:any")
    assert len(kept.rows) == 19
    assert list(node_rows(flop, "r:0:c:c:any", kept=kept)) == whole
    assert read_rows(tmp_path, "r:0:c:c:any") == {row.cards: row for row in whole}
    for digest, node in (("another", "r:0:c:c:any"), ("a digest", "r:0:c:c:any:c")):
        with pytest.raises(UsageError, match="another spot or node"):
            NodeRows(tmp_path, digest, node)


@pytest.fixture(scope="module")
def rows_file(flop: SolvedSpot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    list(node_rows(flop, "r:0:c:c:any", kept=NodeRows(folder, "x", "r:0:c:c:any")))
    return folder / "rows.jsonl"


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(junk=st.binary(max_size=200), place=st.integers(0, 5000))
def test_damaged_rows_count_as_missing(
    rows_file: Path, tmp_path: Path, junk: bytes, place: int
) -> None:
    data, copy = rows_file.read_bytes(), tmp_path / "rows.jsonl"
    whole = read_rows(rows_file.parent, "r:0:c:c:any")
    copy.write_bytes(data[:place] + junk + data[place:])
    found = read_rows(tmp_path, "r:0:c:c:any")
    assert len(found) >= 49 - 2
    assert all(row.node == node_after("r:0:c:c:any", cards) for cards, row in found.items())
    copy.write_bytes(junk)
    assert not read_rows(tmp_path, "r:0:c:c:any").keys() & whole.keys()


def test_the_command_has_the_same_numbers_and_a_table(
    turn: SolvedSpot, tmp_path: Path, command: Command
) -> None:
    path = tmp_path / "turn.rb"
    turn.save(path)
    words = ("holdem", "report", "node", str(path), "r:0:c:c")
    said = json.loads(command(*words, "--json").out)
    report = rb.report_node(path, "r:0:c:c")
    assert said["node"] == "r:0:c:c:any"
    assert said["wanted"] == len(said["rows"]) == 48
    assert said["rows"][0]["ev"] == report.lines[0].figures.ev
    assert said["averages"] == pytest.approx(report.means())
    out = tmp_path / "cards.csv"
    shown = command(*words, "--sort", "oop check", "--groups", "--out", str(out)).out
    best = report.sorted("oop check").lines[0]
    assert shown.splitlines()[2].startswith(best.name) or best.name in shown.splitlines()[1]
    assert "top pair" in shown
    lines = out.read_text().splitlines()
    assert len(lines) == 49
    assert lines[0].startswith("cards,weight,ev_oop,ev_ip,equity_oop,equity_ip,oop check")
    frame = pytest.importorskip("pandas")
    assert list(report.to_frame(library="pandas").columns) == lines[0].split(",")
    assert frame.read_csv(out)["ev_oop"].tolist() == pytest.approx(
        report.sorted("oop check").columns["ev_oop"]
    )
    folder = tmp_path / "kept"
    for _ in range(2):
        assert command(*words, "--folder", str(folder), "--json").code == 0
    assert len(NodeRows(folder, file_digest(path), "r:0:c:c:any").rows) == 48
    for bad in (("r:0",), ("r:0:c:c", "--sort", "x"), ("r:0:c:c:any", "--folder", str(path))):
        answer = command("holdem", "report", "node", str(path), *bad)
        assert answer.code == 2
        assert answer.err.count("\n") == 1
    assert "report node" in command("holdem", "report", str(path)).err


def test_three_players_have_a_report_of_all_rivers() -> None:
    solved = rb.solve(rb.spot(TURN_OF_THREE), iterations=30)
    node = next(n for n in ("r:0:c:c:c", "r:0:c:c") if solved.at(n).kind.name == "CHANCE")
    report = report_node(solved, node)
    assert report.players == solved.spot.names
    for line in report.lines[::11]:
        at = solved.at(line.node)
        for player, name in enumerate(solved.spot.names):
            assert line.figures.ev[name] == pytest.approx(at.summary(player).ev, rel=1e-4, abs=1e-3)
            assert sum(
                share for group, share in line.figures.groups[name].items()
            ) == pytest.approx(1)


def test_three_players_have_a_report_of_flops(tmp_path: Path) -> None:
    """The pot is shared without rake: the EVs of all add up to it."""
    spot = Spot.from_toml(THREE)
    rows = list(report_rows(spot, FLOPS, tmp_path / "r", Here(), target=3.0))
    for row in rows:
        assert sum(row.figures.ev.values()) == pytest.approx(30, abs=0.01)
        assert row.exploitability_pct <= 10
        assert set(row.figures.strategies) <= {"sb", "bb", "btn"}
    again = rb.report_flops(spot, ["7c5c2c 3", "7c7d2h"], target=3.0, folder=tmp_path / "r")
    assert again.lines == flop_table(rows).lines


def test_locks_hold_on_every_flop_where_their_hands_are(tmp_path: Path) -> None:
    spot, lock = Spot.from_toml(FLOP), parse_lock("r:0=check:1")
    row = next(report_rows(spot, FLOPS, tmp_path / "a", Here(), target=2.0, locks=[lock]))
    assert row.figures.strategies["oop"] == {"check": 1.0, "all-in 20": 0.0}
    with pytest.raises(UsageError, match="other locks"):
        next(report_rows(spot, FLOPS, tmp_path / "a", Here(), target=2.0))
    aces = parse_lock("r:0@AsAh=check:1")
    flops = FlopLocks(spot, [aces])
    ace = Flop((parse_cards("As")[0], *parse_cards("7d2h")), 1.0)  # type: ignore[arg-type]
    assert flops.on(FLOPS[0])[1] == [aces]
    assert flops.on(ace)[1] == []
    for bad, sentence in (
        ("r:0:c:c:Ah=check:1", "names a card"),
        ("r:0@77=check:1", "no hand"),
        ("r:0=dance:1", "dance"),
        ("r:0:c:c=check:1", "Nobody acts"),
    ):
        with pytest.raises(RiverboatError, match=sentence):
            next(
                report_rows(
                    spot, FLOPS, tmp_path / "b", Here(), target=2.0, locks=[parse_lock(bad)]
                )
            )
    assert not (tmp_path / "b").exists()


@pytest.fixture(scope="module")
def table(turn: SolvedSpot) -> ReportTable:
    return report_node(turn, "r:0:c:c")


def test_a_table_is_sorted_narrowed_and_put_together(table: ReportTable) -> None:
    evs = table.sorted("ev_oop").columns["ev_oop"]
    assert evs == sorted(evs, reverse=True)
    assert table.sorted("ev_oop", ascending=True).columns["ev_oop"] == sorted(evs)
    paired = table.where({"pairing": "paired"})
    assert {line.name[0] for line in paired.lines} == {"Q", "J", "7", "2"}
    assert len(paired) == 12
    some = table.where(column="oop check", low=0.5)
    assert min(some.columns["oop check"]) >= 0.5
    parts = table.by("pairing")
    assert [(part.name, part.num) for part in parts] == [("paired", 12), ("unpaired", 36)]
    assert sum(part.weight for part in parts) == pytest.approx(1)
    whole = sum(part.weight * part.means["ev_oop"] for part in parts)
    assert whole == pytest.approx(table.means()["ev_oop"])
    weights, values = table.columns["weight"], table.columns["ev_oop"]
    assert table.means()["ev_oop"] == pytest.approx(np.average(values, weights=weights))
    for bad in (
        lambda: table.sorted("x"),
        lambda: table.where({"x": "y"}),
        lambda: table.where({"suits": "y"}),
        lambda: table.where(column="suits"),
        lambda: table.by("x"),
    ):
        with pytest.raises(RiverboatError):
            bad()


def test_lines_without_a_number_are_last_and_do_not_count(table: ReportTable) -> None:
    first = table.lines[0]
    figures = replace(first.figures, ev=dict.fromkeys(table.players, float("nan")))
    odd = replace(table, lines=(replace(first, figures=figures), *table.lines[1:]))
    assert odd.sorted("ev_oop").lines[-1].name == first.name
    assert odd.sorted("ev_oop", ascending=True).lines[-1].name == first.name
    rest = replace(table, lines=table.lines[1:])
    assert odd.means()["ev_oop"] == pytest.approx(rest.means()["ev_oop"])


def test_no_row_is_an_empty_table(turn: SolvedSpot) -> None:
    empty = node_table(turn, [])
    assert len(empty) == 0
    assert empty.by("suits") == []
    assert "cards" in empty.to_csv()
