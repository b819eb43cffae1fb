"""Logs: what a dealer wrote verifies from its seed, and what was changed does not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.errors import FileFormatError, StorageError
from riverboat.twentyone.events import Opened
from riverboat.twentyone.log import LogWriter, link, read_log, seed_path, unlinked, verify_log
from riverboat.twentyone.table import Table, shuffled_decks


def write(
    path: Path, seed: int = 11, *, finish: bool = True, games: int = 30, stop_in: int = 0
) -> None:
    """A log of two players who act at random; one of them leaves in round 20.

    The dealer is killed at the end unless it may `finish`, or stopped in a round.
    """
    log = LogWriter(path, seed)
    log.write(Opened(["ada", "bob"], games), 0)
    rng = np.random.default_rng(0)
    table = Table(["ada", "bob"], games, shuffled_decks(seed), lambda event: log.write(event, 0))
    table.start()
    while not table.finished and table.round != stop_in:
        if table.round == 20:
            table.fold(1, "left")
        table.answer(bool(rng.random() < 0.4))
    if stop_in:
        log.close("stopped")
    elif finish:
        log.close()
    else:
        assert log._stream is not None
        log._stream.close()


def edit(path: Path, number: int, change: Any, *, relink: bool = False) -> None:
    """Change a line, with `relink` as somebody would who knows how lines are chained."""
    lines = path.read_text().splitlines()
    event = json.loads(lines[number])
    change(event)
    lines[number] = json.dumps(event, separators=(",", ":"))
    rewrite(path, lines, relink=relink)


def rewrite(path: Path, lines: list[str], *, relink: bool) -> None:
    before = ""
    for number, line in enumerate(lines):
        if relink:
            body = unlinked(line)
            before = link(before, body)
            lines[number] = f'{body[:-1]},"h":"{before}"}}'
    path.write_text("\n".join(lines) + "\n")


def find(path: Path, kind: str, index: int = 0) -> int:
    numbers = [n for n, event in enumerate(read_log(path)) if event[1]["event"] == kind]
    return numbers[index]


def test_a_true_log_verifies(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    report = verify_log(path)
    assert report.verified
    assert report.complete
    assert (report.seed, report.tables, report.rounds) == (11, 1, 30)
    assert report.folded == ["bob: left"]


def test_a_killed_dealers_log_is_true_as_far_as_it_goes(tmp_path: Path) -> None:
    """The seed is not in the log, but beside it, for its owner's eyes only."""
    path = tmp_path / "log.jsonl"
    write(path, finish=False)
    assert "seed" not in next(read_log(path))[1]
    assert seed_path(path).stat().st_mode & 0o777 == 0o600
    report = verify_log(path)
    assert report.true
    assert not report.verified
    assert (report.ended, report.seed, report.rounds) == ("", 11, 30)
    assert report.verdict == "True as far as it goes"
    seed_path(path).unlink()
    unknown = verify_log(path)
    assert not unknown.true
    assert "must be given" in unknown.problems[-1]
    assert verify_log(path, seed=11).true


def test_a_stopped_dealers_log_is_true_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path, stop_in=7)
    report = verify_log(path)
    assert report.true
    assert not report.verified
    assert (report.ended, report.rounds) == ("stopped", 6)
    assert report.unfinished == ["table 1: stopped in round 7 of 30"]
    assert not seed_path(path).exists()


@pytest.mark.parametrize("gone", ["round", "scores"])
@pytest.mark.parametrize("relink", [False, True])
def test_a_missing_end_is_noticed(tmp_path: Path, gone: str, relink: bool) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    lines = path.read_text().splitlines()
    del lines[find(path, gone, -1) : -1]
    rewrite(path, lines, relink=relink)
    report = verify_log(path)
    assert not report.true
    if relink:
        assert report.problems == [
            f"table 1: its last {gone} is missing, though the log has its end"
        ]


def test_lines_are_timed_and_chained(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    before, times = "", []
    for line, entry in read_log(path):
        before = link(before, unlinked(line))
        assert entry["h"] == before
        times.append(entry["t"])
    assert times == sorted(times)
    lines = path.read_text().splitlines()
    edit(path, 1, lambda e: e.__setitem__("t", 9.0))
    assert verify_log(path).problems[0] == (
        "line 2 or one before it was changed, or lines are gone"
    )
    path.write_text("\n".join(lines) + "\n")
    assert verify_log(path).verified


def test_a_log_of_version_1_still_verifies(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    lines = []
    for _, entry in read_log(path):
        del entry["t"], entry["h"]
        if entry["event"] == "log":
            entry["version"] = 1
        lines.append(json.dumps(entry))
    path.write_text("\n".join(lines) + "\n")
    assert verify_log(path).verified


def test_an_existing_log_is_replaced_with_force_only(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    with pytest.raises(StorageError, match="force its replacement"):
        LogWriter(path, 12)
    assert verify_log(path).seed == 11
    LogWriter(path, 12, force=True).close()
    assert verify_log(path).seed == 12


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_reported_once_and_stops_nothing() -> None:
    told: list[str] = []
    log = LogWriter("/dev/full", 1, warn=told.append)
    for _ in range(1000):
        log.write(Opened(["x" * 40] * 6, 1), 0)
    log.close()
    assert len(told) == 1
    assert "no space left" in told[0]


@pytest.mark.parametrize(
    ("kind", "index", "change"),
    [
        ("deal", 3, lambda e: e["hands"].__setitem__(0, ["As", "Ks"])),
        ("deal", 3, lambda e: e.__setitem__("up", "2c")),
        ("act", 5, lambda e: e.__setitem__("action", "HIT" if e["action"] == "STAND" else "STAND")),
        ("act", 5, lambda e: e.__setitem__("seat", 1 - e["seat"])),
        ("round", 2, lambda e: e["results"].__setitem__(0, "WINS")),
        ("round", 2, lambda e: e["dealer"].append("2c")),
        ("fold", 0, lambda e: e.__setitem__("seat", 0)),
        ("scores", 0, lambda e: e["scores"][0].__setitem__("wins", 29)),
        ("end", 0, lambda e: e.__setitem__("seed", 12)),
        ("table", 0, lambda e: e.__setitem__("names", 3)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("relink", [False, True])
def test_a_changed_log_does_not(
    tmp_path: Path, kind: str, index: int, change: Any, relink: bool
) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    edit(path, find(path, kind, index), change, relink=relink)
    assert not verify_log(path).true


@pytest.mark.parametrize("relink", [False, True])
def test_a_log_with_a_line_missing_does_not_verify(tmp_path: Path, relink: bool) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    lines = path.read_text().splitlines()
    del lines[find(path, "act", 4)]
    rewrite(path, lines, relink=relink)
    assert not verify_log(path).true


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(StorageError, match="There is no file"):
        verify_log(path)
    for text in ("", "hello\n", "[]\n", '{"event":"log"}\n', '{"a":1}\n', "\0\n"):
        path.write_text(text)
        with pytest.raises(FileFormatError):
            verify_log(path)
    path.write_text('{"event":"log","game":"twentyone","version":99}\n')
    with pytest.raises(FileFormatError, match="version 99"):
        verify_log(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(StorageError):
        verify_log(path)
    with pytest.raises(StorageError, match="Cannot write"):
        LogWriter(tmp_path / "no" / "log", 1)
