"""Tournaments kept in SQLite, and their results as CSV."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from riverboat.errors import FileFormatError, StorageError, UnknownNameError
from riverboat.twentyone.tournament.rounds import Placing, TournamentResult

__all__ = ["StoredTournament", "TournamentStore", "default_store", "to_csv"]

SCHEMA_VERSION = 2
"""1 counted tables from 0."""
_COLUMNS = tuple(f.name for f in fields(Placing))


def default_store() -> Path:
    """Where tournaments are kept unless a file is named."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "riverboat" / "tournaments.sqlite"


@dataclass(frozen=True)
class StoredTournament:
    """A line of the list."""

    number: int
    name: str
    started: str
    entrants: int
    champion: str
    verdict: str


class TournamentStore:
    """A file of tournaments. Each one is written whole or not at all."""

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
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise StorageError(f"Cannot write {path}: {reason}.") from error

    def add(self, result: TournamentResult) -> int:
        """Keep a tournament; its number."""
        entrants = {p.name for table in result.tables for p in table.placings}
        with self._open() as db:
            number = db.execute(
                "INSERT INTO tournament (name, started, seed, entrants, champion, verdict, facts)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    result.name,
                    result.started,
                    str(result.seed),
                    len(entrants),
                    result.champion,
                    result.final.verdict,
                    json.dumps(result.as_dict()),
                ),
            ).lastrowid
            rows = [
                (number, table.stage, table.table, *(getattr(p, c) for c in _COLUMNS))
                for table in result.tables
                for p in table.placings
            ]
            marks = ", ".join("?" * (3 + len(_COLUMNS)))
            db.executemany(f"INSERT INTO placing VALUES ({marks})", rows)
        return int(number or 0)

    def all(self) -> list[StoredTournament]:
        """Every tournament, newest first."""
        with self._open() as db:
            rows = db.execute(
                "SELECT id, name, started, entrants, champion, verdict"
                " FROM tournament ORDER BY id DESC"
            ).fetchall()
        return [StoredTournament(*row) for row in rows]

    def facts(self, number: int) -> dict[str, Any]:
        """Everything about one tournament, as TournamentResult.as_dict gives it."""
        with self._open() as db:
            row = db.execute("SELECT facts FROM tournament WHERE id = ?", (number,)).fetchone()
        if row is None:
            known = [str(t.number) for t in self.all()]
            raise UnknownNameError.among("tournament", str(number), known or ["none yet"])
        return dict(json.loads(row[0]))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with contextlib.closing(sqlite3.connect(self.path)) as db, db:
                yield db
        except sqlite3.DatabaseError as error:
            raise StorageError(f"Cannot use {self.path} as a tournament file: {error}.") from error


_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS tournament (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, started TEXT NOT NULL, seed TEXT NOT NULL,
    entrants INTEGER NOT NULL, champion TEXT NOT NULL, verdict TEXT NOT NULL, facts TEXT NOT NULL
)""",
    f"""CREATE TABLE IF NOT EXISTS placing (
    tournament INTEGER NOT NULL REFERENCES tournament (id), stage INTEGER NOT NULL,
    table_number INTEGER NOT NULL, {", ".join(f'"{column}"' for column in _COLUMNS)},
    PRIMARY KEY (tournament, stage, table_number, rank)
)""",
)


def _count_tables_from_one(db: sqlite3.Connection) -> None:
    """Bring a file of version 1 up to date."""
    for number, text in db.execute("SELECT id, facts FROM tournament").fetchall():
        facts = json.loads(text)
        for table in facts["tables"]:
            table["table"] += 1
        db.execute("UPDATE tournament SET facts = ? WHERE id = ?", (json.dumps(facts), number))
    # Negative in between, so that no number is taken while its neighbour still has it.
    db.execute("UPDATE placing SET table_number = -table_number - 1")
    db.execute("UPDATE placing SET table_number = -table_number")


def to_csv(facts: dict[str, Any]) -> str:
    """One line for every entrant at every table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["stage", "table", *_COLUMNS])
    for table in facts["tables"]:
        for placing in table["placings"]:
            row = (placing[column] for column in _COLUMNS)
            writer.writerow([table["stage"], table["table"], *row])
    return out.getvalue()
