"""Logs: what a dealer wrote verifies from its seed, and what was changed does not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riverboat.errors import FileFormatError, StorageError
from riverboat.twentyone.table import Table, shuffled_decks
from riverboat.twentyone.table_log import LogWriter, read_log, verify_log


def write(path: Path, seed: int = 11, *, finish: bool = True, games: int = 30) -> None:
    """A log of two players who act at random; one of them leaves in round 20."""
    log = LogWriter(path, seed)
    log.write({"event": "table", "table": 0, "names": ["ada", "bob"], "games": games})
    rng = np.random.default_rng(0)
    table = Table(
        ["ada", "bob"],
        games,
        shuffled_decks(seed),
        lambda event: log.write({"table": 0, **event}),
    )
    table.start()
    while not table.finished:
        if table.round == 20:
            table.fold(1, "left")
        table.answer(bool(rng.random() < 0.4))
    if finish:
        log.close()
    else:
        log._stream.close()


def edit(path: Path, number: int, change: Any) -> None:
    lines = path.read_text().splitlines()
    event = json.loads(lines[number])
    change(event)
    lines[number] = json.dumps(event)
    path.write_text("\n".join(lines) + "\n")


def find(path: Path, kind: str, index: int = 0) -> int:
    numbers = [n for n, event in enumerate(read_log(path)) if event["event"] == kind]
    return numbers[index]


def test_a_true_log_verifies(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    report = verify_log(path)
    assert report.verified
    assert report.complete
    assert (report.seed, report.tables, report.rounds) == (11, 1, 30)
    assert report.folded == ["bob: left"]


def test_a_running_log_hides_its_seed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path, finish=False)
    assert "seed" not in next(read_log(path))
    report = verify_log(path)
    assert not report.verified
    assert "give it with --seed" in report.problems[-1]
    known = verify_log(path, seed=11)
    assert known.rounds == 30
    assert known.problems == ["the log has no end: the dealer was stopped or still plays"]


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
def test_a_changed_log_does_not(tmp_path: Path, kind: str, index: int, change: Any) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    edit(path, find(path, kind, index), change)
    assert not verify_log(path).verified


def test_a_log_with_a_line_missing_does_not_verify(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write(path)
    lines = path.read_text().splitlines()
    del lines[find(path, "act", 4)]
    path.write_text("\n".join(lines) + "\n")
    assert not verify_log(path).verified


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
