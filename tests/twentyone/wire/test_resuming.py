"""A tournament whose host dies goes on where it was, with the same players."""

import threading
from pathlib import Path
from typing import Any

import pytest

from riverboat.errors import UsageError
from riverboat.twentyone.log import verify_log
from riverboat.twentyone.wire.client import PlayerSession, connect, play
from riverboat.twentyone.wire.line import HostOptions
from riverboat.twentyone.wire.server import LogOptions
from riverboat.twentyone.wire.tournament_archive import TournamentStore
from riverboat.twentyone.wire.tournament_hosting import TournamentHost, TournamentOptions
from riverboat.twentyone.wire.tournament_rounds import (
    Plan,
    TournamentFormat,
    TournamentResult,
    token_hash,
)
from seats import seated
from waiting import PATIENCE

NETWORK = HostOptions(pace=0.0, decision_timeout=PATIENCE, linger=0.2)
FORMAT = TournamentFormat(table_size=2, advance=1, rounds=20)


class KilledError(Exception):
    """What happens to the host."""


def new_plan(**changes: Any) -> Plan:
    return Plan(**{"name": "cup", "seed": 3, "started": "2026", "format": FORMAT, **changes})


class Kept:
    """A store that the host writes to, until it is killed after so many tables."""

    def __init__(self, path: Path, tables: int = -1) -> None:
        self.store = TournamentStore(path)
        self.number: int | None = None
        self.tables = tables

    def __call__(self, plan: Plan) -> None:
        self.number = self.store.keep(plan, self.number)
        if len(plan.done) == self.tables:
            raise KilledError


def host(path: Path, plan: Plan, tables: int = -1, **options: Any) -> TournamentHost:
    kept = Kept(path, tables)
    if plan.entrants:
        kept.number = kept.store.plan()[0]
    chosen = TournamentOptions(**{"plan": plan, "host": NETWORK, **options})
    return TournamentHost(chosen, keep=kept)


def play_all(tournament: TournamentHost) -> TournamentResult:
    tournament.gather()
    return tournament.run()


def four() -> list[Any]:
    return [seated(name, below) for name, below in zip("abcd", (12, 14, 16, 18), strict=True)]


@pytest.mark.parametrize("tables", [0, 1, 2])
def test_finished_tables_count_and_the_rest_is_played(tmp_path: Path, tables: int) -> None:
    """Four local players, two tables and a final; the host dies after so many of them."""
    db = tmp_path / "t.sqlite"
    first = host(db, new_plan(), tables, local=four())
    with pytest.raises(KilledError):
        play_all(first)
    first.close()
    store = TournamentStore(db)
    number, plan = store.plan()
    assert [table.table for table in plan.done] == list(range(1, tables + 1))
    assert store.all()[0].champion == ""
    before = list(plan.done)
    log = tmp_path / "again.jsonl"
    second = host(db, plan, local=four(), log=LogOptions(log))
    result = play_all(second)
    assert result.tables[:tables] == before
    assert [table.table for table in result.tables] == [1, 2, 3]
    assert {p.name for p in result.final.placings} == {
        t.placings[0].name for t in result.tables[:2]
    }
    assert verify_log(log).verified
    assert store.add(result, number) == number
    assert store.facts(number) == result.as_dict()
    with pytest.raises(UsageError, match="No tournament here was stopped"):
        store.plan()
    with pytest.raises(UsageError, match="is finished"):
        store.plan(number)


def test_what_was_not_finished_has_other_cards_the_second_time(tmp_path: Path) -> None:
    logs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    first = host(tmp_path / "t", new_plan(), 1, local=four(), log=LogOptions(logs[0]))
    with pytest.raises(KilledError):
        play_all(first)
    first.close("stopped")
    plan = TournamentStore(tmp_path / "t").plan()[1]
    second = host(tmp_path / "t", plan, local=four(), log=LogOptions(logs[1]))
    play_all(second)
    assert '"attempt":1' in logs[1].read_text()
    assert all(verify_log(log).true for log in logs)


class Remote(threading.Thread):
    """One of our players over TCP."""

    def __init__(self, port: int, name: str, token: str = "") -> None:
        super().__init__(daemon=True)
        self.session = PlayerSession(seated(name), token)
        self.sock = connect("127.0.0.1", port, 5)
        self.start()

    def run(self) -> None:
        play(self.sock, self.session)


def resumed(tmp_path: Path) -> tuple[TournamentHost, int]:
    """A tournament of two locals and two programs, one with a token, after the first crash."""
    db = tmp_path / "t.sqlite"
    first = host(db, new_plan(), 1, local=[seated("a"), seated("b")], remote=2)
    port = first.listen()
    programs = [Remote(port, "ada", "s3cret"), Remote(port, "bob")]
    with pytest.raises(KilledError):
        play_all(first)
    first.close()
    for program in programs:
        program.join(PATIENCE)
    plan = TournamentStore(db).plan()[1]
    assert {e.name: e.token for e in plan.entrants} == {
        "a": "", "b": "", "ada": token_hash("s3cret"), "bob": "",
    }  # fmt: skip
    second = host(db, plan, local=[seated("a"), seated("b")], wait=1.0)
    return second, second.listen()


def test_programs_join_again_by_name_and_token(tmp_path: Path) -> None:
    second, port = resumed(tmp_path)
    out = {p.name for p in second.plan.done[0].placings if not p.advanced}
    thief = Remote(port, "ada", "guess")
    stranger = Remote(port, "eve")
    programs = [Remote(port, "ada", "s3cret"), Remote(port, "bob")]
    result = play_all(second)
    for thread in (thief, stranger, *programs):
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert thief.session.games == stranger.session.games == 0
    played = {p.name for table in result.tables for p in table.placings}
    assert played == {"a", "b", "ada", "bob"}
    for name, program in zip(("ada", "bob"), programs, strict=True):
        assert (program.session.games > 0) == (name not in out)
    assert result.withdrawn == []


def test_who_does_not_come_back_has_withdrawn(tmp_path: Path) -> None:
    second, _ = resumed(tmp_path)
    second.options = second.options.__class__(**{**vars(second.options), "wait": 0.05})
    alive = second._still_in()
    result = play_all(second)
    assert set(result.withdrawn) == {"ada", "bob"} & alive
    assert result.champion in {"a", "b", *(p.name for p in second.plan.done[0].placings)}


def test_a_program_with_a_token_may_come_back_between_tables(tmp_path: Path) -> None:
    """Its connection breaks after it has won its table, while the other table still plays."""
    tournament = host(tmp_path / "t", new_plan(), local=[seated("a")], remote=1)
    port = tournament.listen()
    lost = Remote(port, "ada", "s3cret")
    while tournament.missing:
        tournament._poll()
    tournament.gather()
    lost.session.ended = "gone"
    lost.sock.shutdown(2)
    while tournament.host.lobby:
        tournament._poll()
    assert tournament._admit("ada", "") == ("", _NOT_BACK)
    assert tournament._admit("ada", "guess") == ("", _NOT_BACK)
    again = Remote(port, "ada", "s3cret")
    while not tournament.host.lobby:
        tournament._poll()
    result = tournament.run()
    again.join(PATIENCE)
    assert again.session.games == FORMAT.rounds
    assert result.withdrawn == []


_NOT_BACK = "only an entrant who has gone can come back, with the token it had"
