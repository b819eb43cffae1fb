"""Tournaments kept in SQLite from their first draw on, and their results as CSV."""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from riverboat.errors import (
    FileFormatError,
    RiverboatError,
    StorageError,
    UnknownNameError,
    UsageError,
)
from riverboat.runtime.storage import data_folder
from riverboat.runtime.tables import csv_text
from riverboat.twentyone.wire.tournament_rounds import Placing, Plan, StageTable, TournamentResult

SCHEMA_VERSION = 3  # 1 counted tables from 0; 2 knew finished tournaments only
_COLUMNS = tuple(f.name for f in fields(Placing))
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS tournament (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, started TEXT NOT NULL, seed TEXT NOT NULL,
    entrants INTEGER NOT NULL, champion TEXT NOT NULL, verdict TEXT NOT NULL, facts TEXT NOT NULL,
    plan TEXT NOT NULL DEFAULT ''
)""",
    f"""CREATE TABLE IF NOT EXISTS placing (
    tournament INTEGER NOT NULL REFERENCES tournament (id), stage INTEGER NOT NULL,
    table_number INTEGER NOT NULL, {", ".join(f'"{column}"' for column in _COLUMNS)},
    PRIMARY KEY (tournament, stage, table_number, rank)
)""",
)


def default_store() -> Path:
    """Where tournaments are kept unless a file is named."""
    return data_folder() / "tournaments.sqlite"


@dataclass(frozen=True)
class StoredTournament:
    """A line of the list."""

    number: int
    name: str
    started: str
    entrants: int
    champion: str  # Empty while it is played
    verdict: str


class TournamentStore:
    """A file of tournaments. Each step of one is written whole or not at all."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as db:
                db.execute("BEGIN IMMEDIATE")
                version = db.execute("PRAGMA user_version").fetchone()[0]
                if version > SCHEMA_VERSION:
                    raise FileFormatError(
                        f"{path} was written by a newer version of riverboat; upgrade to open it."
                    )
                for statement in _SCHEMA:
                    db.execute(statement)
                if version == 1:
                    _count_tables_from_one(db)
                columns = {row[1] for row in db.execute("PRAGMA table_info(tournament)")}
                if "plan" not in columns:
                    db.execute("ALTER TABLE tournament ADD COLUMN plan TEXT NOT NULL DEFAULT ''")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise StorageError(f"Cannot write {path}: {reason}.") from error

    def keep(self, plan: Plan, number: int | None = None) -> int:
        """Keep a tournament as far as it has come; its number, which a new one gets here."""
        facts, text = plan.result().as_dict(), json.dumps(plan.as_dict())
        return self._write(number, facts, len(plan.entrants), plan.done, text)

    def add(self, result: TournamentResult, number: int | None = None) -> int:
        """Keep a finished tournament; its number."""
        entrants = {p.name for table in result.tables for p in table.placings}
        return self._write(number, result.as_dict(), len(entrants), result.tables, "")

    def _write(
        self,
        number: int | None,
        facts: dict[str, Any],
        entrants: int,
        tables: list[StageTable],
        plan: str,
    ) -> int:
        if plan:
            facts |= {"champion": "", "verdict": "", "unfinished": True}
        head = (facts["name"], facts["started"], str(facts["seed"]), entrants)
        row = (*head, facts["champion"], facts["verdict"], json.dumps(facts), plan)
        columns = "name, started, seed, entrants, champion, verdict, facts, plan"
        with self._open() as db:
            marks = ", ".join("?" * (1 + len(row)))
            number = db.execute(
                f"INSERT OR REPLACE INTO tournament (id, {columns}) VALUES ({marks})",
                (number, *row),
            ).lastrowid
            rows = [
                (number, table.stage, table.table, *(getattr(p, c) for c in _COLUMNS))
                for table in tables
                for p in table.placings
            ]
            marks = ", ".join("?" * (3 + len(_COLUMNS)))
            db.executemany(f"INSERT OR REPLACE INTO placing VALUES ({marks})", rows)
        return int(number or 0)

    def plan(self, number: int | None = None) -> tuple[int, Plan]:
        """A tournament to go on with: this one, or the newest that is not finished."""
        with self._open() as db:
            row = db.execute(
                "SELECT id, plan FROM tournament WHERE plan != '' AND (id = ? OR ? IS NULL)"
                " ORDER BY id DESC LIMIT 1",
                (number, number),
            ).fetchone()
        if row is None:
            if number is not None:
                self.facts(number)
                raise UsageError(f"Tournament {number} is finished; host a new one.")
            raise UsageError("No tournament here was stopped before its end; host a new one.")
        try:
            return int(row[0]), Plan.from_dict(json.loads(row[1]))
        except (KeyError, TypeError, ValueError, RecursionError, RiverboatError) as error:
            raise FileFormatError(
                f"Tournament {row[0]} in {self.path} is damaged and cannot go on."
            ) from error

    def all(self) -> list[StoredTournament]:
        """Every tournament, newest first."""
        with self._open() as db:
            rows = db.execute(
                "SELECT id, name, started, entrants, champion, verdict"
                " FROM tournament ORDER BY id DESC"
            ).fetchall()
        stored = [StoredTournament(*row) for row in rows]
        for tournament in stored:
            if not (isinstance(tournament.entrants, int) and isinstance(tournament.name, str)):
                raise FileFormatError(f"The list of tournaments in {self.path} is damaged.")
        return stored

    def facts(self, number: int) -> dict[str, Any]:
        """Everything about one tournament, as TournamentResult.as_dict gives it."""
        with self._open() as db:
            row = db.execute("SELECT facts FROM tournament WHERE id = ?", (number,)).fetchone()
        if row is None:
            known = [str(t.number) for t in self.all()]
            raise UnknownNameError.among("tournament", str(number), known or ["none yet"])
        try:
            facts = json.loads(row[0])
            _check_facts(facts)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise FileFormatError(
                f"Tournament {number} in {self.path} is damaged and cannot be shown."
            ) from error
        return dict(facts)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with contextlib.closing(sqlite3.connect(self.path)) as db, db:
                yield db
        except sqlite3.DatabaseError as error:
            raise StorageError(f"Cannot use {self.path} as a tournament file: {error}.") from error


def _count_tables_from_one(db: sqlite3.Connection) -> None:
    """Bring a file of version 1 up to date."""
    for number, text in db.execute("SELECT id, facts FROM tournament").fetchall():
        try:
            facts = json.loads(text)
            for table in facts["tables"]:
                table["table"] += 1
        except (KeyError, TypeError, ValueError):
            continue  # `facts` says so when it is asked for
        db.execute("UPDATE tournament SET facts = ? WHERE id = ?", (json.dumps(facts), number))
    # Negative in between, so that no number is taken while its neighbour still has it.
    db.execute("UPDATE placing SET table_number = -table_number - 1")
    db.execute("UPDATE placing SET table_number = -table_number")


def _check_facts(facts: Any) -> None:
    """Raise TypeError, ValueError or KeyError where stored facts are not those of a tournament."""
    texts = (facts["name"], facts["champion"], facts["verdict"], *facts["withdrawn"])
    if not all(isinstance(text, str) for text in texts) or not isinstance(facts["tables"], list):
        raise TypeError
    if not facts["tables"] and not facts.get("unfinished", False):
        raise ValueError
    for table in facts["tables"]:
        _check_types(StageTable, table, skip=("placings",))
        if not table["placings"]:
            raise ValueError
        for placing in table["placings"]:
            _check_types(Placing, placing)


def _check_types(record: type, data: dict[str, Any], skip: tuple[str, ...] = ()) -> None:
    """Compare each field with the type that the record declares; numbers must be finite."""
    kinds: dict[str, Any] = {"int": int, "float": (int, float), "bool": bool, "str": str}
    for field in fields(record):
        if field.name in skip:
            continue
        value, kind = data[field.name], str(field.type)
        if not isinstance(value, kinds[kind]) or (kind != "bool" and isinstance(value, bool)):
            raise TypeError(field.name)
        if kind == "float" and not math.isfinite(value):
            raise ValueError(field.name)


def to_csv(facts: dict[str, Any]) -> str:
    """One line for every entrant at every table."""
    rows = (
        [table["stage"], table["table"], *(placing[column] for column in _COLUMNS)]
        for table in facts["tables"]
        for placing in table["placings"]
    )
    return csv_text(("stage", "table", *_COLUMNS), rows)
