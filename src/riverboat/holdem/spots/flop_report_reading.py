"""Questions to a report's folder in SQL, answered by DuckDB (extra `data`).

    query(folder, "select high, avg(oop_check) from flops group by high")

The table `flops` has a row for each flop: `flop`, `suits`, `pairing`, `high`, `count` (how many of
the 22,100 flops it is), `weight`, the figures, and the share of each action, `oop_check`,
`ip_bet_60` and so on, 0 where a flop does not have it. A question reads that table and nothing
else: files and settings are out of reach.

`report_page` makes one HTML file of a report, with a table that sorts and filters. It needs no
network and no server: the figures are embedded as JSON.
"""

from __future__ import annotations

import html
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from riverboat.errors import StorageError, UsageError, how_to_install
from riverboat.holdem.spots.flops import DIGEST
from riverboat.holdem.spots.report_table import group_names
from riverboat.runtime.tables import write_table

FLOPS = "select * from flops order by suits, pairing, flop"
LEFT_OUT = ("iterations", "seconds")


@dataclass(frozen=True)
class Answer:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def save(self, path: Path) -> None:
        """As CSV, or as Parquet where the name ends so."""
        write_table(path, self.columns, self.rows)


def query(folder: Path, question: str) -> Answer:
    """The answer to one SELECT over the table `flops`."""
    duckdb = _load()
    try:
        statements = duckdb.extract_statements(question)
    except duckdb.Error as error:
        raise UsageError(f"That is not SQL: {_first_line(error)}") from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError("A question is one SELECT over the table flops; nothing else is done.")
    with duckdb.connect() as base:
        _fill(base, folder)
        try:
            rows = base.execute(question)
            columns = tuple(str(column[0]) for column in rows.description or ())
            return Answer(columns, tuple(rows.fetchall()))
        except duckdb.Error as error:
            raise UsageError(f"The question cannot be answered: {_first_line(error)}") from None


def read_flops(folder: Path) -> Answer:
    """All rows and columns of a report."""
    return query(folder, FLOPS)


def _load() -> Any:
    try:
        import duckdb
    except ImportError:
        raise UsageError(f"Questions need DuckDB: {how_to_install('data')}.") from None
    return duckdb


def _fill(base: Any, folder: Path) -> None:
    """The table `flops` in memory; afterwards nothing outside it can be read or written."""
    if not (folder / DIGEST).is_file():
        raise UsageError(
            f"{folder} is not the folder of a report; riverboat holdem report makes one."
        )
    paths = sorted(str(path) for path in folder.glob("suits=*/pairing=*/*.parquet"))
    if not paths:
        raise UsageError(
            f"{folder} holds no solved flop as Parquet yet; run the report with pyarrow installed:"
            f" {how_to_install('data')}."
        )
    try:
        base.execute(
            "create table raw as select * from"
            " read_parquet($paths, union_by_name = true, hive_partitioning = true)",
            {"paths": paths},
        )
    except base_errors() as error:
        raise StorageError(
            f"Cannot read the report in {folder}: {_first_line(error)}"
            " The same report command solves damaged flops again."
        ) from None
    names = [row[0] for row in base.execute("describe raw").fetchall()]
    first = ["flop", "suits", "pairing", "high", "count", "weight"]
    ordered = [*first, *(name for name in names if name not in first)]
    settings = _settings(folder)
    players = tuple(tomllib.loads(settings["spot"])["ranges"])
    columns = ", ".join(_filled(name, players) for name in ordered)
    most = 100 * settings["target"] / float(tomllib.loads(settings["spot"])["pot"])
    base.execute(
        f"create table flops as select {columns} from raw where exploitability_pct <= $most",
        {"most": most * (1 + 1e-9)},  # more have flops that a stop left unfinished
    )
    base.execute("drop table raw")
    base.execute("set enable_external_access = false")
    base.execute("set lock_configuration = true")


def _group_columns() -> set[str]:
    """The names of groups as columns have them, with blanks."""
    return {name.replace("-", " ") for name in group_names()}


def _filled(name: str, players: Sequence[str]) -> str:
    """The column of an action or group, 0 where a flop does not have it."""
    quoted = '"' + name.replace('"', '""') + '"'
    owner = next((player for player in players if name.startswith(f"{player}_")), None)
    if owner is None:
        return quoted
    filled = f"coalesce({quoted}, 0)"
    if name.removeprefix(f"{owner}_").replace("_", " ") in _group_columns():
        # Rows of earlier versions have no groups; all others say how connected the flop is.
        filled = f"case when connected is null then null else {filled} end"
    return f"{filled} as {quoted}"


def base_errors() -> tuple[type[Exception], ...]:
    """What DuckDB raises."""
    return (_load().Error,)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


def report_page(folder: Path, title: str | None = None) -> str:
    """The page of a report's folder."""
    return page_of(read_flops(folder), title or folder.name, _settings(folder))


def _settings(folder: Path) -> dict[str, Any]:
    try:
        known = json.loads((folder / DIGEST).read_text(encoding="utf-8"))
        return {"spot": str(known["spot"]), "target": float(known["settings"]["target"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{folder / DIGEST} is damaged: it does not state the spot.") from error


def page_of(answer: Answer, title: str, settings: dict[str, Any]) -> str:
    """The page of a table of flops."""
    players = [name.removeprefix("ev_") for name in answer.columns if name.startswith("ev_")]
    groups = {
        f"{player}_{name.replace(' ', '_')}" for player in players for name in _group_columns()
    }
    left_out = {*LEFT_OUT, *groups}  # Too many for a page; SQL and the browser have them
    shown = [i for i, name in enumerate(answer.columns) if name not in left_out]
    prefixes = ("equity_", *(f"{player}_" for player in players))
    data = {
        "shares": [name for name in answer.columns if name.startswith(prefixes)],
        "columns": [answer.columns[i] for i in shown],
        "rows": [[row[i] for i in shown] for row in answer.rows],
    }
    text = json.dumps(data, separators=(",", ":"), default=str).replace("<", "\\u003c")
    places = {
        "@title@": html.escape(title),
        "@spot@": html.escape(settings["spot"].strip()),
        "@target@": f"{settings['target']:g}",
        "@data@": text,
    }
    page = resources.files(__package__).joinpath("report_page.html").read_text(encoding="utf-8")
    # In one pass, so that nothing is put into what was put in.
    return re.sub("@[a-z]+@", lambda found: places[found[0]], page)
