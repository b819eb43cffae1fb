"""dealer, player and dealer-log as a person or a program meets them."""

import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from commands import Command, usual_signals
from riverboat.cli.twentyone.dealer import show_results
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.wire.client import PlayerSession, connect, play
from riverboat.twentyone.wire.server import SeatResult
from seats import seated
from waiting import PATIENCE

RIVERBOAT = [sys.executable, "-m", "riverboat"]


def started(*options: object) -> tuple[subprocess.Popen[str], int]:
    """A dealer in a process of its own, and its port."""
    process = subprocess.Popen(
        [*RIVERBOAT, "dealer", "--port", "0", "--pace-ms", "0", *map(str, options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=usual_signals,
    )
    stream = process.stderr if "--json" in options else process.stdout
    assert stream is not None
    sign = stream.readline()
    found = re.fullmatch(r"Listening on 127\.0\.0\.1:(\d+) \(this machine only\)\.\n", sign)
    assert found, sign
    return process, int(found[1])


def test_a_match_between_processes(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    process, port = started("--games", 50, "--seed", 7, "--log", log, "--json")
    player = command("player", "ada", "127.0.0.1", port, "--json").json
    out, _ = process.communicate(timeout=PATIENCE)
    facts = json.loads(out)
    assert facts["seed"] == 7
    seat = facts["seats"][0]
    assert (seat["name"], seat["games"], seat["score"]) == ("ada", 50, player["score"])
    assert player["ended"] == "the dealer said QUIT"
    assert player["win"] == seat["wins"]
    report = command("dealer-log", log, "--json").json
    assert report["verified"]
    assert report["rounds"] == 50
    assert "Verified: 1 table, 50 rounds, seed 7." in command("dealer-log", log).out
    text = log.read_text()
    log.write_text(text.replace('"action":"STAND"', '"action":"HIT"', 1))
    answer = command("dealer-log", log)
    assert answer.code == 1
    assert answer.out.startswith("NOT verified")


@pytest.mark.e2e
def test_a_player_trains_plays_learns_and_saves(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "q.rb"
    process, port = started("--games", 20)
    out = command("player", "ada", "127.0.0.1", port, "--train", 2000, "--q", file).out
    assert f"table saved to {file}" in out
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    trained = QTable.load(file)
    assert trained.info["games"] == 2000
    process, port = started("--games", 20)
    command("player", "ada", "127.0.0.1", port, "--mode", "train", "--q", file)
    assert "ada" in process.communicate(timeout=PATIENCE)[0]
    learned = QTable.load(file)
    assert learned.info["table_games"] == 20
    assert learned.counts.sum() > trained.counts.sum()
    process, port = started("--games", 5)
    out = command("player", "ada", "127.0.0.1", port, "--q", file).out
    assert "saved" not in out
    process.communicate(timeout=PATIENCE)


def test_a_table_is_saved_when_the_dealer_dies(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "q.rb"
    listener = socket.create_server(("127.0.0.1", 0))
    opening = b"BEGIN\0CARD Ten of Clubs\0CARD Nine of Clubs\0DEALER Six of Hearts\0DECISION\0"

    def die_in_the_second_game() -> None:
        with listener, listener.accept()[0] as sock:
            assert sock.recv(100) == b"JOIN ada\t\0"
            sock.sendall(opening)
            sock.recv(100)
            sock.sendall(b"RESULT WIN\0" + opening)
            sock.recv(100)

    thread = threading.Thread(target=die_in_the_second_game)
    thread.start()
    port = listener.getsockname()[1]
    out = command("player", "ada", "127.0.0.1", port, "--mode", "train", "--q", file).out
    thread.join()
    assert "1 games, the dealer is gone" in out
    assert QTable.load(file).counts.sum() == 1


@pytest.mark.e2e
def test_any_player_of_twenty_one_may_sit_at_a_dealer(command: Command) -> None:
    process, port = started("--games", 3, "--players", 1, "--seed", 1)
    spec = "mcts?simulations=200"
    facts = command("player", "ada", "127.0.0.1", port, "--player", spec, "--json").json
    process.communicate(timeout=PATIENCE)
    assert facts["games"] == 3


@pytest.mark.parametrize("signal", [1, 2, 15], ids=["hang up", "interrupt", "terminate"])
def test_a_stopped_dealer_says_quit_and_ends_its_log(signal: int, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    process, port = started("--games", 10, "--players", 2, "--log", log)
    session = PlayerSession(seated("standing", 0))
    sock = connect("127.0.0.1", port, 5)
    thread = threading.Thread(target=play, args=(sock, session))
    thread.start()
    process.send_signal(signal)
    process.communicate(timeout=PATIENCE)
    thread.join(PATIENCE)
    # Python dies of SIGINT itself where it was importing at that moment; a shell calls both 130.
    assert process.returncode in (130, -signal)
    assert session.ended
    assert json.loads(log.read_text().splitlines()[-1])["reason"] == "stopped"


@pytest.mark.parametrize(
    "options",
    [
        ("dealer", "--players", 7),
        ("dealer", "--games", 0),
        ("dealer", "--pace-ms", "soon"),
        ("dealer", "--pace-ms", -1),
        ("dealer", "--port", 70_000),
        ("dealer", "--host", "no.such.host.invalid"),
        ("dealer", "--log", "/no/such/place/log"),
        ("dealer", "--seed", -1),
        ("dealer-log", "/no/such/log"),
        ("player", "ada", "127.0.0.1", 1, "--wait", 0),
        ("player", "ada", "127.0.0.1", 1, "--mode", "win"),
        ("player", "ada", "127.0.0.1", 1, "--mode", "train"),
        ("player", " ", "127.0.0.1", 1),
        ("player", "ada", "127.0.0.1", 1, "--q", "/no/such/q"),
        ("player", "ada", "127.0.0.1", 1, "--train", -1),
        ("player", "ada", "127.0.0.1", 1, "--player", "nobody"),
        ("player", "ada", "127.0.0.1", 1, "--player", "basic", "--train", 5),
        ("player", "ada", "127.0.0.1", 1, "--seed", -1),
        ("player", "ada", "127.0.0.1", 1, "--patience", "inf"),
        ("player", "ada", "127.0.0.1", 99_999, "--wait", 0),
        ("table", "--seed", -1),
        ("table", "--games", 0),
        ("table", *["random"] * 6),
        ("table", "--connect", "127.0.0.1:1"),
        ("table", "--watch", "/no/such/log"),
        ("table", "--connect", "nowhere"),
        ("table", "--connect", "a:1", "--watch", "b"),
        ("tournament", "host", "basic"),
        ("tournament", "host", "basic", "nobody"),
        ("tournament", "host", "basic", "basic", "--table-size", 9),
        ("tournament", "host", "basic", "basic", "--remote", 1, "--pace-ms", -1),
        ("tournament", "host", "basic", "basic", "--seed", -1),
        ("tournament", "host", "basic", "basic", "--csv", "/no/such/place.csv"),
        ("tournament", "host", "basic", "basic", "--db", "/proc/no/such.sqlite"),
        ("tournament", "host", "basic", "basic", "--pace-ms", 0),
        ("tournament", "host", "basic", "basic", "--advance", 9),
        ("tournament", "host", "basic", "basic", "--number", 3),
        ("tournament", "host", "basic", "basic", "--force"),
        ("tournament", "host", "--resume"),
        ("tournament", "host", "--resume", "--rounds", 5),
        ("tournament", "host", "basic", "--resume"),
        ("tournament", "show", 7),
        ("dealer", "--force"),
        ("dealer", "--port", 99_999),
        ("player", "ada", "127.0.0.1", 1, "--method", "literal"),
        ("player", "ada", "127.0.0.1", 1, "--token", "two words"),
        ("table", "--connect", "127.0.0.1:99999"),
        ("table", "--from-start"),
        ("table", "--table", 2),
        ("table", "--token", "x"),
        ("table", "--connect", "127.0.0.1:1", "--games", 5),
        ("table", "--watch", "/no/such/log", "--name", "ada"),
    ],
    ids=lambda options: " ".join(map(str, options)),
)
def test_mistakes_are_one_sentence(
    command: Command, options: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    command.refused(*options)


def test_a_door_to_the_network_says_so() -> None:
    from riverboat.cli.twentyone.dealer import listening_at

    assert "this machine only" in listening_at("localhost", 1)
    assert "this machine only" in listening_at("::1", 1)
    assert "open to the network" in listening_at("0.0.0.0", 1)
    assert "open to the network" in listening_at("example.org", 1)


def test_scores_are_shown_whole_and_reasons_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    seats = [
        SeatResult(0, 0, "bob", 1_000_000, 5000, 1097, 7535, 2240, 984_128, -988_903, "left"),
        SeatResult(0, 1, "n" * 40, 1_000_000, 450_000, 100_000, 430_000, 20_000, 0, 0, ""),
    ]
    show_results(seats)
    out = capsys.readouterr().out
    for text in ("1,000,000", "984,128", "-988,903", "bob was folded out: left."):
        assert text in out
    assert "…" not in out
