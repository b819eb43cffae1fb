"""`riverboat table` where nothing can be drawn: the game in lines."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Command
from riverboat.twentyone.table import Table, shuffled_decks
from waiting import PATIENCE


def play(command: Command, keys: str, monkeypatch: pytest.MonkeyPatch, *words: object) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(keys))
    return command("table", *words).out


def test_a_game_by_lines_is_that_of_the_seed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = play(command, "s\ns\n", monkeypatch, "basic", "--games", 2, "--seed", 9)
    twin = Table(["you", "basic"], 2, shuffled_decks(9))
    twin.start()
    assert f"Round 1. The dealer shows {twin.up_card}." in out
    assert f"  you: {' '.join(twin.seats[0].cards)} (" in out
    assert out.count("you stand\n") == 2
    assert out.count("basic stands\n") + out.count(", bust\n") == 2
    assert "2 games: " in out.splitlines()[-1]
    assert "score " in out.splitlines()[-1]


def test_help_hints_and_leaving(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    out = play(command, "x\n?\ns\nq\n", monkeypatch, "--games", 5, "--seed", 9)
    assert "h hits, s stands" in out
    assert "best: " in out
    assert out.splitlines()[-1].startswith("1 game: ")


def test_the_end_of_the_input_leaves(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Round 1." in play(command, "", monkeypatch, "--games", 5, "--seed", 9)


def test_a_seat_without_a_name_is_refused(command: Command) -> None:
    assert "needs a name" in command.refused("table", "--name", " ")


def test_a_log_is_narrated_to_its_end(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from riverboat.twentyone.events import Opened
    from riverboat.twentyone.log import LogWriter

    path = tmp_path / "log.jsonl"
    log = LogWriter(path, 3)
    log.write(Opened(["ada"], 2), 0)
    table = Table(["ada"], 2, shuffled_decks(3), lambda event: log.write(event, 0))
    table.start()
    while not table.finished:
        table.answer(hit=False)
    log.close()
    out = play(command, "", monkeypatch, "--watch", path, "--from-start")
    assert out.count("ada stands\n") == 2
    assert "It is over: all games played." in out


def test_a_dumb_terminal_gets_the_plain_game() -> None:
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "riverboat", "table", "--games", "1", "--seed", "9"],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "dumb"},
    )
    os.close(theirs)
    os.write(ours, b"s\n")
    heard = b""
    while b"score" not in heard.rpartition(b"1 game: ")[2] or b"1 game: " not in heard:
        heard += os.read(ours, 1000)
    process.wait(PATIENCE)
    os.close(ours)
    assert b"Round 1." in heard
    assert b"\x1b[" not in heard
