"""tournament host, list and show."""

import csv
import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from commands import Command, usual_signals
from waiting import PATIENCE


def test_host_list_and_show(command: Command, tmp_path: Path) -> None:
    db, table = tmp_path / "t.sqlite", tmp_path / "t.csv"
    options = ("--rounds", 200, "--seed", 5, "--db", db, "--name", "spring cup")
    facts = command("tournament", "host", "ada=basic", "random", *options, "--json").json
    assert facts["number"] == 1
    assert facts["champion"] == "ada"
    assert [p["name"] for p in facts["tables"][-1]["placings"]] == ["ada", "random"]
    out = command("tournament", "host", "ada=basic", "bob=basic", *options, "--csv", table).out
    assert "Champion: " in out
    assert "may well be luck" in out or "placed by lot" in out
    assert "Kept as tournament 2" in out
    with table.open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["name"] for row in rows} == {"ada", "bob"}
    assert all(float(row["low"]) < int(row["wins"]) / 200 < float(row["high"]) for row in rows)
    listed = command("tournament", "list", "--db", db, "--json").json["tournaments"]
    assert [one["number"] for one in listed] == [2, 1]
    assert "spring cup" in command("tournament", "list", "--db", db).out
    assert command("tournament", "show", 1, "--db", db, "--json").json == facts
    assert "Final, 200 rounds" in command("tournament", "show", 2, "--db", db).out
    assert "no tournament" in command.refused("tournament", "show", 9, "--db", db)


def test_json_csv_and_screen_count_tables_alike(command: Command, tmp_path: Path) -> None:
    db, table = tmp_path / "t.sqlite", tmp_path / "t.csv"
    options = ("--table-size", 2, "--advance", 1, "--rounds", 5, "--seed", 5, "--db", db)
    names = [f"{name}=basic" for name in "abcd"]
    facts = command("tournament", "host", *names, *options, "--csv", table, "--json").json
    assert [one["table"] for one in facts["tables"]] == [1, 2, 3]
    with table.open() as stream:
        assert {row["table"] for row in csv.DictReader(stream)} == {"1", "2", "3"}
    shown = command("tournament", "show", 1, "--db", db).out
    for one in facts["tables"][:-1]:
        assert f"Stage 1, table {one['table']}, 5 rounds" in shown


def test_an_empty_list_says_how_to_begin(command: Command, tmp_path: Path) -> None:
    assert "host one with" in command("tournament", "list", "--db", tmp_path / "t.sqlite").out


@pytest.mark.e2e
def test_programs_join_over_tcp(command: Command, tmp_path: Path) -> None:
    options = ["--remote", "1", "--rounds", "30", "--pace-ms", "0", "--json"]
    store = ["--db", str(tmp_path / "t.sqlite")]
    process = subprocess.Popen(
        [sys.executable, "-m", "riverboat", "tournament", "host", "basic", *options, *store],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    found = re.search(r":(\d+) ", process.stderr.readline())
    assert found
    assert process.stderr.readline() == "Waiting for 1 program to join …\n"
    player = command("player", "ada", "127.0.0.1", found[1], "--json").json
    facts = json.loads(process.communicate(timeout=PATIENCE)[0])
    assert player["games"] == 30
    assert {p["name"] for p in facts["tables"][-1]["placings"]} == {"basic", "ada"}


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("number", [9, 15, 1], ids=["kill", "terminate", "hang up"])
def test_a_stopped_tournament_goes_on(command: Command, tmp_path: Path, number: int) -> None:
    """A program joins and says nothing more, so that the host is in the middle of a table."""
    db, log = tmp_path / "t.sqlite", tmp_path / "log.jsonl"
    words = ["host", "basic", "random", "--remote", "1", "--rounds", "20", "--seed", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "riverboat", "tournament", *words, "--db", db, "--log", log],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=usual_signals,
    )
    assert process.stdout is not None
    found = re.search(r":(\d+) ", process.stdout.readline())
    assert found
    with socket.create_connection(("127.0.0.1", int(found[1])), timeout=PATIENCE) as peer:
        peer.sendall(b"JOIN ada\0")
        heard = peer.recv(100)
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
        while data := peer.recv(1000):
            heard += data
    assert heard.startswith(b"BEGIN\0")
    if number != 9:
        assert heard.endswith(b"QUIT\0")
        assert json.loads(log.read_text().splitlines()[-1])["reason"] == "stopped"
    assert "true as far as it goes" in command("dealer-log", log).out.lower()
    assert "not finished" in command("tournament", "list", "--db", db).out
    assert "Not finished" in command("tournament", "show", 1, "--db", db).out
    facts = command("tournament", "host", "--resume", "--wait", 0.1, "--db", db, "--json").json
    assert (facts["number"], facts["withdrawn"]) == (1, ["ada"])
    assert facts["champion"] in ("basic", "random")
    assert command("tournament", "show", 1, "--db", db, "--json").json == facts


def test_advance_is_refused_where_it_does_nothing(command: Command, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "t.sqlite", "--rounds", 5)
    said = command.refused("tournament", "host", "basic", "random", "--advance", 9, *db)
    assert "--advance does nothing where one table is the final" in said
    names = [f"{name}=basic" for name in "abcd"]
    facts = command(
        "tournament", "host", *names, "--table-size", 2, "--advance", 1, *db, "--json"
    ).json
    assert len(facts["tables"]) == 3
