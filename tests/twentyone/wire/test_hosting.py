"""Whole tournaments: local players, remote programs, and both at the same tables."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from riverboat.errors import FileFormatError, StorageError, UnknownNameError, UsageError
from riverboat.twentyone.log import verify_log
from riverboat.twentyone.wire.line import HostOptions
from riverboat.twentyone.wire.server import LogOptions
from riverboat.twentyone.wire.tournament_archive import TournamentStore, to_csv
from riverboat.twentyone.wire.tournament_hosting import TournamentHost, TournamentOptions
from riverboat.twentyone.wire.tournament_rounds import Plan, TournamentFormat
from seats import seated
from waiting import PATIENCE

SEED_OF_A_BYE = 0
"""Draws the first of three entrants to a table of one."""
NETWORK = HostOptions(pace=0.0, decision_timeout=PATIENCE, linger=0.2)


def options(**changes: Any) -> TournamentOptions:
    form = changes.pop("format", None) or TournamentFormat(rounds=changes.pop("rounds", 50))
    plan = Plan(changes.pop("name", "cup"), changes.pop("seed", 3), "2026-01-01T00:00:00Z", form)
    if "log" in changes:
        changes["log"] = LogOptions(changes["log"])
    return TournamentOptions(**{"plan": plan, "host": NETWORK, **changes})


def play(tournament: TournamentHost) -> Any:
    tournament.gather()
    return tournament.run()


def test_eighteen_local_players_as_in_the_course(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    bots = [seated("bot", 12 + n % 6) for n in range(18)]
    result = play(TournamentHost(options(local=bots, log=log)))
    assert [(table.stage, len(table.placings)) for table in result.tables] == [(1, 6)] * 3 + [
        (2, 6)
    ]
    assert len({p.name for table in result.tables[:3] for p in table.placings}) == 18
    through = {p.name for table in result.tables[:3] for p in table.placings[:2]}
    assert {p.name for p in result.final.placings} == through
    assert [p.advanced for p in result.final.placings] == [True] + [False] * 5
    assert all(p.games == 50 for table in result.tables for p in table.placings)
    report = verify_log(log)
    assert report.verified, report.problems
    assert (report.tables, report.rounds) == (4, 200)
    again = play(TournamentHost(options(local=[seated("bot", 12 + n % 6) for n in range(18)])))
    assert again.tables == result.tables


def test_remote_and_local_players_share_tables_and_stay_connected(stander: Any) -> None:
    format = TournamentFormat(table_size=4, rounds=20)
    tournament = TournamentHost(
        options(local=[seated(f"b{n}") for n in range(4)], remote=4, format=format)
    )
    port = tournament.listen()
    place = type("Door", (), {"port": port})
    peers = [stander(place, f"p{n}") for n in range(4)]
    result = play(tournament)
    heard = [peer.finish() for peer in peers]
    assert all(words[-1] == "QUIT" and words.count("QUIT") == 1 for words in heard)
    finalists = {p.name for p in result.final.placings}
    for number, words in enumerate(heard):
        assert words.count("BEGIN") == (40 if f"p{number}" in finalists else 20)
    assert result.withdrawn == []


def test_a_program_that_leaves_is_folded_out_and_the_rest_go_on(stander: Any, peers: Any) -> None:
    tournament = TournamentHost(options(local=[seated("a"), seated("b")], remote=2))
    place = type("Door", (), {"port": tournament.listen()})
    good = stander(place, "good")

    def leave() -> None:
        bad = peers(place, "bad")
        bad.receive_until("DECISION")
        bad.close()

    thread = threading.Thread(target=leave)
    thread.start()
    result = play(tournament)
    thread.join()
    good.finish()
    last = result.final.placings[-1]
    assert (last.name, last.advanced) == ("bad", False)
    assert last.note.startswith("folded out: left")


def test_an_odd_one_out_has_a_bye(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    format = TournamentFormat(table_size=2, advance=1, rounds=20)
    bots = [seated(f"b{n}") for n in range(3)]
    result = play(TournamentHost(options(local=bots, format=format, log=log)))
    played, free, final = result.tables
    assert [len(table.placings) for table in result.tables] == [2, 1, 2]
    assert (free.placings[0].note, free.placings[0].games) == ("a bye", 0)
    assert {p.name for p in final.placings} == {played.placings[0].name, free.placings[0].name}
    report = verify_log(log)
    assert report.verified, report.problems
    store = TournamentStore(tmp_path / "cups.db")
    number = store.add(result)
    assert store.facts(number)["champion"] == result.champion


def test_the_last_one_left_is_champion(peers: Any) -> None:
    format = TournamentFormat(table_size=2, advance=1, rounds=3)
    tournament = TournamentHost(
        options(local=[seated("a")], remote=2, format=format, seed=SEED_OF_A_BYE)
    )
    place = type("Door", (), {"port": tournament.listen()})

    def leave(name: str) -> None:
        bad = peers(place, name)
        bad.receive_until("BEGIN")
        bad.close()

    threads = [threading.Thread(target=leave, args=(name,)) for name in ("x", "y")]
    for thread in threads:
        thread.start()
    result = play(tournament)
    for thread in threads:
        thread.join()
    assert result.tables[1].placings[0].note == "a bye"
    assert result.champion == "a"
    assert result.final.placings[0].note == "nobody else was left"


def test_missing_programs_are_not_waited_for_longer_than_told() -> None:
    tournament = TournamentHost(options(local=[seated("a"), seated("b")], remote=3, wait=0.05))
    tournament.listen()
    result = play(tournament)
    assert {p.name for p in result.final.placings} == {"a", "b"}


def test_nobody_came() -> None:
    tournament = TournamentHost(options(remote=2, wait=0.01))
    tournament.listen()
    with pytest.raises(UsageError, match="Fewer than two"):
        tournament.gather()
    tournament.close()


def test_tournaments_are_kept_and_found_again(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path / "sub" / "t.sqlite")
    assert store.all() == []
    results = [
        play(TournamentHost(options(name=name, local=[seated("a", 12), seated("b")])))
        for name in ("first", "second <b>")
    ]
    assert [store.add(result) for result in results] == [1, 2]
    kept = TournamentStore(store.path).all()
    assert [(t.number, t.name, t.champion) for t in kept] == [
        (2, "second <b>", results[1].champion),
        (1, "first", results[0].champion),
    ]
    assert store.facts(1) == results[0].as_dict()
    lines = to_csv(store.facts(1)).splitlines()
    assert lines[0].startswith("stage,table,rank,name,games,wins")
    assert len(lines) == 3
    with pytest.raises(UnknownNameError):
        store.facts(9)


def test_a_store_that_counted_tables_from_zero_is_brought_up_to_date(tmp_path: Path) -> None:
    store = TournamentStore(tmp_path / "t.sqlite")
    bots = [seated(f"b{n}") for n in range(4)]
    format = TournamentFormat(table_size=2, advance=1, rounds=5)
    result = play(TournamentHost(options(local=bots, format=format)))
    store.add(result)
    with store._open() as db:
        facts = result.as_dict()
        for table in facts["tables"]:
            table["table"] -= 1
        db.execute("UPDATE tournament SET facts = ?", (json.dumps(facts),))
        db.execute("UPDATE placing SET table_number = -table_number")
        db.execute("UPDATE placing SET table_number = -table_number - 1")
        db.execute("PRAGMA user_version = 1")
    for _ in range(2):
        again = TournamentStore(store.path)
        assert again.facts(1) == result.as_dict()
        with again._open() as db:
            numbers = db.execute("SELECT DISTINCT table_number FROM placing ORDER BY 1").fetchall()
        assert numbers == [(1,), (2,), (3,)]


def test_a_store_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    path.write_text("this is not a database, and long enough to be looked at" * 20)
    with pytest.raises(StorageError, match="tournament file"):
        TournamentStore(path)
    newer = TournamentStore(tmp_path / "newer.sqlite")
    with newer._open() as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(FileFormatError, match="newer version"):
        TournamentStore(newer.path)
    with pytest.raises(StorageError):
        TournamentStore(path / "below" / "t.sqlite")
