"""Questions to a report's folder in SQL, answered by DuckDB (extra `data`).

    query(folder, "select high, avg(oop_check) from flops group by high")

The table `flops` has a row for each flop: `flop`, `suits`, `pairing`, `high`, `count` (how many of
the 22,100 flops it is), `weight`, the figures, and the share of each action, `oop_check`,
`ip_bet_60` and so on, 0 where a flop does not have it. A question reads that table and nothing
else: files and settings are out of reach.

`report_page` makes one HTML file of a report, with a table that sorts and filters. It needs no
network and no server: the figures stand in it as JSON.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.errors import StorageError, UsageError, how_to_install
from riverboat.holdem.spots.reading.flops import DIGEST
from riverboat.strategies.files import atomic_write

__all__ = ["Answer", "query", "read_flops", "report_page"]


FLOPS = "select * from flops order by suits, pairing, flop"


@dataclass(frozen=True)
class Answer:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def save(self, path: Path) -> None:
        """As CSV, or as Parquet where the name ends so."""
        if path.suffix.lower() == ".parquet":
            import pyarrow
            from pyarrow import parquet

            data = {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}
            buffer = pyarrow.BufferOutputStream()
            parquet.write_table(pyarrow.table(data), buffer)
            atomic_write(path, buffer.getvalue().to_pybytes())
            return
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        atomic_write(path, text.getvalue())


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
            found = base.execute(question)
            columns = tuple(str(column[0]) for column in found.description or ())
            return Answer(columns, tuple(found.fetchall()))
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
    columns = ", ".join(_filled(name) for name in ordered)
    settings = _settings(folder)
    most = 100 * settings["target"] / float(tomllib.loads(settings["spot"])["pot"])
    base.execute(
        f"create table flops as select {columns} from raw where exploitability_pct <= $most",
        {"most": most * (1 + 1e-9)},  # more have flops that a stop left unfinished
    )
    base.execute("drop table raw")
    base.execute("set enable_external_access = false")
    base.execute("set lock_configuration = true")


def _filled(name: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    if name.startswith(("oop_", "ip_")):
        return f"coalesce({quoted}, 0) as {quoted}"
    return quoted


def base_errors() -> tuple[type[Exception], ...]:
    """What DuckDB raises."""
    return (_load().Error,)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


LEFT_OUT = ("iterations", "seconds")


def report_page(folder: Path, title: str | None = None) -> str:
    """The page of a report's folder."""
    return page_of(read_flops(folder), title or folder.name, _settings(folder))


def _settings(folder: Path) -> dict[str, Any]:
    try:
        known = json.loads((folder / DIGEST).read_text(encoding="utf-8"))
        return {"spot": str(known["spot"]), "target": float(known["settings"]["target"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{folder / DIGEST} is damaged: it does not tell the spot.") from error


def page_of(answer: Answer, title: str, settings: dict[str, Any]) -> str:
    """The page of a table of flops."""
    shown = [i for i, name in enumerate(answer.columns) if name not in LEFT_OUT]
    data = {
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
    # In one pass, so that nothing is put into what was put in.
    return re.sub("@[a-z]+@", lambda found: places[found[0]], _PAGE)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@title@</title>
<style>
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 1.5rem; }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; }
.filters { display: flex; flex-wrap: wrap; gap: .8rem; margin: .8rem 0; align-items: end; }
label { display: grid; font-size: .8rem; gap: .2rem; }
input, select { font: inherit; padding: .2rem .4rem; }
.scroll { overflow: auto; max-height: 78vh; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; }
th { position: sticky; top: 0; background: Canvas; border-bottom: 2px solid; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid; }
td.text, th.text { text-align: left; }
tbody tr:hover { background: color-mix(in srgb, CanvasText 8%, Canvas); }
tr.mean td { font-weight: 600; border-bottom: 1px solid; }
td.share { background: linear-gradient(to left,
  color-mix(in srgb, #2a7de1 35%, transparent) var(--part), transparent var(--part)); }
pre { font-size: .8rem; overflow: auto; }
</style></head><body>
<h1>@title@</h1>
<div>Each line is a solved flop; the first line is the mean of the flops shown, weighted by
<em>weight</em>. A column's name sorts by it. Exploitability was solved to @target@ chips.</div>
<div class="filters">
<label>suits <select id="suits"><option value="">all</option></select></label>
<label>pairing <select id="pairing"><option value="">all</option></select></label>
<label>highest card <select id="high"><option value="">all</option></select></label>
<label>cards (such as A, Kh) <input id="cards" size="10"></label>
<label>column <select id="column"></select></label>
<label>from <input id="low" size="6" inputmode="decimal"></label>
<label>to <input id="top" size="6" inputmode="decimal"></label>
<span id="shown" role="status"></span>
</div>
<div class="scroll"><table><thead><tr id="head"></tr></thead>
<tbody id="mean"></tbody><tbody id="body"></tbody></table></div>
<details><summary>The spot</summary><pre>@spot@</pre></details>
<script type="application/json" id="data">@data@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const names = data.columns, place = Object.fromEntries(names.map((n, i) => [n, i]));
const el = id => document.getElementById(id), ranks = "23456789TJQKA";
const isText = n => ["flop", "suits", "pairing", "high"].includes(n);
const isShare = n => /^(oop|ip)_/.test(n) || n === "equity_oop";
let sort = "flop", down = false;
function cell(name, value) {
  const td = document.createElement("td");
  if (isText(name)) td.className = "text";
  if (value === null || value === undefined) return td;
  if (isShare(name)) {
    td.className = "share";
    td.style.setProperty("--part", (100 * value).toFixed(1) + "%");
    td.textContent = (100 * value).toFixed(1) + " %";
  } else td.textContent = typeof value === "number" && !Number.isInteger(value)
    ? value.toFixed(3) : String(value);
  return td;
}
function line(row) {
  const tr = document.createElement("tr");
  names.forEach((n, i) => tr.append(cell(n, row[i])));
  return tr;
}
function order(name, value) {
  if (name === "high") return ranks.indexOf(value);
  if (name !== "flop") return value;
  const r = [0, 2, 4].map(i => ranks.indexOf(value[i])).sort((a, b) => b - a);
  return -(r[0] * 169 + r[1] * 13 + r[2]);
}
function wanted(row) {
  for (const id of ["suits", "pairing", "high"])
    if (el(id).value && row[place[id]] !== el(id).value) return false;
  const text = el("cards").value.trim();
  for (const part of text.split(/[\\s,]+/).filter(Boolean)) {
    const card = part[0].toUpperCase() + part.slice(1).toLowerCase();
    if (!row[place.flop].includes(card)) return false;
  }
  const value = row[place[el("column").value]];
  const scale = isShare(el("column").value) ? 100 : 1;
  const low = parseFloat(el("low").value), top = parseFloat(el("top").value);
  return !(value * scale < low) && !(value * scale > top);
}
function show() {
  const rows = data.rows.filter(wanted), key = place[sort];
  rows.sort((a, b) => {
    const x = order(sort, a[key]), y = order(sort, b[key]);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  });
  const weight = rows.reduce((sum, row) => sum + row[place.weight], 0);
  const mean = names.map((n, i) => n === "flop" ? "mean" : isText(n) ? ""
    : n === "weight" || n === "count" ? rows.reduce((s, row) => s + row[i], 0)
    : weight ? rows.reduce((s, row) => s + row[i] * row[place.weight], 0) / weight : null);
  const tr = line(mean); tr.className = "mean";
  el("mean").replaceChildren(...(rows.length ? [tr] : []));
  el("body").replaceChildren(...rows.map(line));
  el("shown").textContent = rows.length + " of " + data.rows.length + " flops";
  for (const th of el("head").children)
    th.setAttribute("aria-sort", th.dataset.name !== sort ? "none" : down ? "descending" : "ascending");
}
for (const n of names) {
  const th = document.createElement("th"), button = document.createElement("button");
  th.dataset.name = n; th.className = isText(n) ? "text" : "";
  button.textContent = n.replaceAll("_", " ");
  button.onclick = () => { down = sort === n ? !down : !isText(n); sort = n; show(); };
  th.append(button); el("head").append(th);
  if (!isText(n)) el("column").append(new Option(n.replaceAll("_", " "), n));
}
for (const id of ["suits", "pairing", "high"]) {
  const values = [...new Set(data.rows.map(row => row[place[id]]))];
  values.sort((a, b) => id === "high" ? ranks.indexOf(b) - ranks.indexOf(a) : a < b ? -1 : 1);
  values.forEach(v => el(id).append(new Option(v, v)));
}
document.querySelectorAll("input, select").forEach(e => e.addEventListener("input", show));
show();
</script></body></html>
"""  # noqa: E501
