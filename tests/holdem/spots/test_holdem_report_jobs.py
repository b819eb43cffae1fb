"""Flop reports: a data set that goes on, questions to it, and its page."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands import Command
from emulated_device import EmulatedDevice
from riverboat.cards.card import parse_cards
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.cuda.launches import device_bytes
from riverboat.holdem.spots.flop_report import (
    FlopLocks,
    FlopWork,
    GpuFlopWork,
    ReportFolder,
    flop_facts,
    in_turn,
    report_rows,
    shared_out,
)
from riverboat.holdem.spots.flop_report_reading import (
    Answer,
    page_of,
    query,
    read_flops,
    report_page,
)
from riverboat.holdem.spots.flops import Flop, FlopRow, all_flops, averages
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.spot import Spot
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import Here, JobProgress
from riverboat.runtime.stopping import Stop, use_stop
from spot_texts import FLOP

pytest.importorskip("duckdb")
FLOPS = tuple(
    Flop((cards[0], cards[1], cards[2]), weight)
    for cards, weight in (
        (parse_cards("7c5c2c"), 3.0),
        (parse_cards("7c7d2h"), 1.0),
        (parse_cards("Tc6d3h"), 2.0),
    )
)


def rows_of(
    folder: Path, flops: tuple[Flop, ...] = FLOPS, told: list[JobProgress] | None = None
) -> list[FlopRow]:
    spot = Spot.from_toml(FLOP)
    tell = None if told is None else told.append
    return list(report_rows(spot, flops, folder, Here(), target=2.0, progress=tell))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[FlopRow]]:
    folder = tmp_path_factory.mktemp("report") / "3bet-flops"
    return folder, rows_of(folder)


def test_every_flop_knows_its_texture_and_how_many_it_stands_for() -> None:
    facts = [flop_facts(flop.cards) for flop in all_flops()]
    assert [fact["count"] for fact in facts] == [flop.weight for flop in all_flops()]
    counts = {
        kind: sum(fact["count"] for fact in facts if kind in fact.values())
        for kind in ("monotone", "two-tone", "rainbow", "trips", "paired", "unpaired")
    }
    # 4·C(13,3); 12·C(13,2)·13; 4·13³; 13·4; 13·12·C(4,2)·4; C(13,3)·4³.
    assert counts == {
        "monotone": 1144,
        "two-tone": 12168,
        "rainbow": 8788,
        "trips": 52,
        "paired": 3744,
        "unpaired": 18304,
    }


def test_a_report_goes_on_with_what_is_missing_or_damaged(
    report: tuple[Path, list[FlopRow]], tmp_path: Path
) -> None:
    folder, rows = report
    kept = ReportFolder(folder)
    paths = [kept.path(flop) for flop in FLOPS]
    assert [str(path.relative_to(folder)) for path in paths] == [
        "suits=monotone/pairing=unpaired/7c5c2c.parquet",
        "suits=rainbow/pairing=paired/7c7d2h.parquet",
        "suits=rainbow/pairing=unpaired/Tc6d3h.parquet",
    ]
    told: list[JobProgress] = []
    assert rows_of(folder, told=told) == rows
    assert [(now.done, now.known) for now in told] == [(3, 3)]
    whole = paths[1].read_bytes()
    for damaged in (b"", whole[:100], b"x" * 500, whole[:-4] + b"ABCD"):
        paths[1].write_bytes(damaged)
        assert kept.find(FLOPS[1]) is None
    told.clear()
    again = rows_of(folder, told=told)
    assert [(now.done, now.known) for now in told] == [(2, 2), (3, 2)]
    assert [row.figures for row in again] == [row.figures for row in rows]
    with pytest.raises(UsageError, match="another spot or target"):
        list(report_rows(Spot.from_toml(FLOP), FLOPS, folder, Here(), target=1.0))
    assert not [path for path in folder.rglob(".*") if path.is_file()]


def as_before(row: FlopRow) -> dict[str, Any]:
    """A row as versions before groups and three players wrote it."""
    names = (
        "flop", "weight", "iterations", "seconds", "exploitability_pct",
        "ev_oop", "ev_ip", "equity_oop", "root", "answer",
    )  # fmt: skip
    facts = row.as_dict()
    return {name: facts[name] for name in names}


def test_rows_of_earlier_versions_become_parquet(
    report: tuple[Path, list[FlopRow]], tmp_path: Path
) -> None:
    _, rows = report
    folder = ReportFolder(tmp_path)
    (tmp_path / "7c5c2c.json").write_text(json.dumps(as_before(rows[0])))
    found = folder.find(FLOPS[0])
    assert found is not None
    assert found == replace(rows[0], figures=replace(rows[0].figures, groups={}))
    assert folder.path(FLOPS[0]).is_file()
    assert not (tmp_path / "7c5c2c.json").exists()
    heavier = Flop(FLOPS[0].cards, 30.0)
    assert folder.find(heavier).weight == 30.0  # type: ignore[union-attr]
    folder.parquet = False  # as without pyarrow
    folder.keep(FLOPS[1], rows[1])
    assert folder.find(FLOPS[1]) == rows[1]
    assert (tmp_path / "7c7d2h.json").is_file()


class AfterLooks:
    """A flag that is set once it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def set(self) -> None:
        self.looks = 0

    def is_set(self) -> bool:
        self.looks -= 1
        return self.looks < 0


def test_a_flop_that_a_stop_left_unfinished_is_not_kept(tmp_path: Path) -> None:
    """It ends after a few iterations of a flop that is never finished."""
    spot = Spot.from_toml(FLOP)
    with use_stop(Stop(AfterLooks(20))), pytest.raises(KeyboardInterrupt):
        list(report_rows(spot, FLOPS, tmp_path / "never", Here(), target=1e-12))
    assert not list((tmp_path / "never").rglob("*.parquet"))


def test_rows_that_earlier_versions_left_unfinished_are_removed(tmp_path: Path) -> None:
    rows = rows_of(tmp_path)
    bad = replace(rows[1], iterations=9, exploitability_pct=44.0)
    folder = ReportFolder(tmp_path)
    folder.keep(FLOPS[1], bad)
    (tmp_path / "AsAhAd.json").write_text(json.dumps({**as_before(bad), "flop": "AsAhAd"}))
    assert len(query(tmp_path, "select flop from flops").rows) == 2
    told: list[JobProgress] = []
    assert [row.figures for row in rows_of(tmp_path, told=told)] == [row.figures for row in rows]
    assert [(now.done, now.known) for now in told] == [(2, 2), (3, 2)]
    assert not (tmp_path / "AsAhAd.json").exists()
    assert ReportFolder(tmp_path, most_pct=10.0).removed == []


def test_questions_are_answered(report: tuple[Path, list[FlopRow]]) -> None:
    folder, rows = report
    means = averages(rows)
    asked = "select sum(weight * ev_oop) / sum(weight), sum(weight * oop_check) / sum(weight)"
    answer = query(folder, f"{asked}, sum(count) from flops")
    assert answer.rows[0][:2] == pytest.approx((means["ev_oop"], means["oop check"]))
    assert answer.rows[0][2] == 4 + 12 + 24
    whole = read_flops(folder)
    assert whole.columns[:6] == ("flop", "suits", "pairing", "high", "count", "weight")
    assert [row[:4] for row in whole.rows] == [
        ("7c5c2c", "monotone", "unpaired", "7"),
        ("7c7d2h", "rainbow", "paired", "7"),
        ("Tc6d3h", "rainbow", "unpaired", "T"),
    ]


@pytest.mark.parametrize(
    "question",
    [
        "drop table flops",
        "select 1; select 2",
        "",
        "selec",
        "select nothing from flops",
        "select * from read_csv('/etc/passwd')",
        "select * from 'report.json'",
        "copy flops to 'stolen.csv'",
        "set enable_external_access = true",
        "attach 'x.db'",
        "select '\0",
        "💰",
    ],
)
def test_a_bad_question_is_one_sentence(
    report: tuple[Path, list[FlopRow]], question: str, command: Command
) -> None:
    answer = command("holdem", "report", "query", str(report[0]), question)
    assert answer.code == 2
    assert answer.err.startswith("riverboat: ")
    assert answer.err.count("\n") == 1


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(question=st.text(max_size=40))
def test_no_text_is_more_than_a_bad_question(
    report: tuple[Path, list[FlopRow]], question: str
) -> None:
    try:
        said = str(query(report[0], question).columns)
    except RiverboatError as error:
        said = str(error)
    assert "\n" not in said


def test_a_folder_without_a_report_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the folder of a report"):
        query(tmp_path, "select 1")
    (tmp_path / "report.json").write_text("{}")
    with pytest.raises(UsageError, match="no solved flop"):
        query(tmp_path, "select 1")
    place = tmp_path / "suits=rainbow" / "pairing=paired"
    place.mkdir(parents=True)
    (place / "7c7d2h.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(RiverboatError, match="solves damaged flops again"):
        query(tmp_path, "select 1")


def test_the_commands_show_and_write(
    report: tuple[Path, list[FlopRow]], tmp_path: Path, command: Command
) -> None:
    folder = str(report[0])
    question = "select flop, weight from flops order by weight"
    answer = command("holdem", "report", "query", folder, question)
    assert [line.split() for line in answer.out.splitlines()] == [
        ["flop", "weight"],
        ["7c7d2h", "1.0"],
        ["Tc6d3h", "2.0"],
        ["7c5c2c", "3.0"],
    ]
    facts = json.loads(command("holdem", "report", "query", folder, question, "--json").out)
    assert facts["rows"] == [["7c7d2h", 1.0], ["Tc6d3h", 2.0], ["7c5c2c", 3.0]]
    for name in ("a.csv", "a.parquet"):
        out = tmp_path / name
        assert command("holdem", "report", "query", folder, question, "--out", str(out)).code == 0
    assert (tmp_path / "a.csv").read_text() == "flop,weight\n7c7d2h,1.0\nTc6d3h,2.0\n7c5c2c,3.0\n"
    page = tmp_path / "page.html"
    assert command("holdem", "report", "page", folder, "--out", str(page)).code == 0
    assert "7c7d2h" in page.read_text()


def test_a_page_lets_no_text_out_of_its_place(report: tuple[Path, list[FlopRow]]) -> None:
    text = report_page(report[0], "<b>&@data@")
    assert "<title>&lt;b&gt;&amp;@data@</title>" in text
    evil = Answer(("flop", "weight"), (("</script><script>alert(1)", 1.0),))
    page = page_of(evil, "x", {"spot": "<i>", "target": 1.0})
    assert "</script><script>alert" not in page
    assert "<i>" not in page


@pytest.mark.slow
def test_processes_give_the_rows_of_one_process(
    report: tuple[Path, list[FlopRow]], tmp_path: Path
) -> None:
    spot = Spot.from_toml(FLOP)
    with open_crew(workers=2) as crew:
        rows = list(report_rows(spot, FLOPS, tmp_path / "r", crew, target=2.0))
    for mine, theirs in zip(rows, report[1], strict=True):
        assert {**mine.as_dict(), "seconds": 0} == {**theirs.as_dict(), "seconds": 0}


def test_as_many_flops_share_a_gpu_as_its_memory_holds() -> None:
    spot = Spot.from_toml(FLOP).with_board(tuple(parse_cards("2c7dQh")))
    each = device_bytes(open_layout(spot, chunk_bytes=0), int16=False)
    work = FlopWork(FLOP, 0.02, 1, None, "cuda")
    assert shared_out(work, 3, 100 * each) == (3, 100 * each // 3)
    assert shared_out(work, 3, 2 * each) == (2, each)
    assert shared_out(work, 3, each // 2) == (1, each // 2)  # solved with less, or refused
    limited = FlopWork(FLOP, 0.02, 1, each, "cuda")
    assert shared_out(limited, 3, 100 * each) == (1, each)


def test_processes_take_turns_with_a_gpu(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "turn"
    with in_turn(str(path)), path.open("ab") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with in_turn(""):
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_a_flop_on_a_gpu_is_a_row_like_the_cpus(tmp_path: Path) -> None:
    work = GpuFlopWork(FLOP, 0.02, None)
    tools = (FlopLocks(Spot.from_toml(work.spot), ()), EmulatedDevice(tmp_path))
    row, other = work.do(tools, FLOPS[0]), FlopWork(FLOP, 0.02, 1, None).do(tools[0], FLOPS[0])
    mine, theirs = row.figures, other.figures
    assert (row.flop, row.weight, mine.equity) == (other.flop, other.weight, theirs.equity)
    assert mine.groups == theirs.groups
    assert row.exploitability_pct <= 0.1
    assert mine.ev["oop"] == pytest.approx(theirs.ev["oop"], abs=0.04)  # twice the exploitability
    assert sum(mine.ev.values()) == pytest.approx(20, abs=1e-3)
    assert list(mine.strategies["oop"]) == list(theirs.strategies["oop"])


@pytest.mark.slow
def test_the_page_sorts_filters_and_averages(
    report: tuple[Path, list[FlopRow]], tmp_path: Path
) -> None:
    """In a real browser, without a network."""
    sync_api = pytest.importorskip("playwright.sync_api")
    page_file = tmp_path / "page.html"
    page_file.write_text(report_page(report[0]))
    rows = report[1]
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(page_file.as_uri())
        first = "#body tr td:first-child"
        assert page.locator(first).all_inner_texts() == ["Tc6d3h", "7c7d2h", "7c5c2c"]
        page.get_by_role("button", name="weight").click()
        assert page.locator(first).all_inner_texts() == ["7c5c2c", "Tc6d3h", "7c7d2h"]
        page.select_option("#suits", "rainbow")
        assert page.locator(first).all_inner_texts() == ["Tc6d3h", "7c7d2h"]
        mean = np.average([row.figures.ev["oop"] for row in (rows[2], rows[1])], weights=[2, 1])
        names = page.locator("#head th").evaluate_all("all => all.map(th => th.dataset.name)")
        cells = page.locator("#mean td").all_inner_texts()
        assert float(cells[names.index("ev_oop")]) == pytest.approx(mean, abs=6e-4)
        page.fill("#cards", "7c")
        assert page.locator(first).all_inner_texts() == ["7c7d2h"]
        assert page.inner_text("#shown") == "1 of 3 flops"
        browser.close()
    assert faults == []
