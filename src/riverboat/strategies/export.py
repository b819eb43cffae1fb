"""Strategies for people and other programs: JSON and CSV texts.

Strategies as Arrow and Parquet tables, for pandas, Polars, DuckDB and whoever reads those files.

    player: int8   infoset: string   action: string   probability: float64

A row for each action, as in CSV, in the order of the strategy's infosets. The facts of the strategy
(game, parameters, info) are one JSON text under the key `riverboat` of the table's metadata. Rows
are made batch by batch, so that a file may be larger than memory.
"""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from riverboat.errors import StorageError, TooLargeError, UsageError
from riverboat.runtime.own_folders import sweep, temporary_prefix
from riverboat.strategies.any_strategy import AnyStrategy

__all__ = ["TABLE_FORMATS", "to_arrow", "to_csv", "to_json", "write_table"]


MAX_INFOSETS = 2_000_000
"""A text of more would take gigabytes."""


def to_json(strategy: AnyStrategy) -> str:
    """One object: game, parameters, info and, for each player, infoset → action → probability."""
    _check_size(strategy)
    players: dict[str, dict[str, dict[str, float]]] = {}
    for player, key, probabilities in strategy.entries():
        players.setdefault(str(player), {})[key] = probabilities
    whole = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
        "strategy": players,
    }
    return json.dumps(whole, indent=1) + "\n"


def to_csv(strategy: AnyStrategy) -> str:
    """A row for each action: player, infoset, action, probability (shortest exact decimals)."""
    _check_size(strategy)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["player", "infoset", "action", "probability"])
    for player, key, probabilities in strategy.entries():
        for action, probability in probabilities.items():
            writer.writerow([player, key, action, repr(probability)])
    return out.getvalue()


def _check_size(strategy: AnyStrategy) -> None:
    count = len(strategy)
    if count > MAX_INFOSETS:
        raise TooLargeError(
            f"The strategy has {count:,} infosets, more than the {MAX_INFOSETS:,} that a text may"
            " have; look at it with riverboat show."
        )


TABLE_FORMATS = ("parquet", "arrow")
BATCH = 100_000
"""Rows made at a time."""
Columns = tuple[list[int], list[str], list[str], list[float]]


def to_arrow(strategy: AnyStrategy) -> Any:
    """The whole strategy as a pyarrow.Table."""
    arrow = _library()
    return arrow.Table.from_batches(_batches(strategy, arrow), schema=_schema(strategy, arrow))


def write_table(
    strategy: AnyStrategy,
    path: str | Path,
    form: str = "parquet",
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write a Parquet or Arrow (IPC) file, all of it or nothing; the number of rows."""
    if form not in TABLE_FORMATS:
        raise UsageError(f"Tables are written as {' or '.join(TABLE_FORMATS)}, not as {form!r}.")
    arrow = _library()
    target = Path(os.path.realpath(path))
    try:
        handle, temporary = tempfile.mkstemp(
            prefix=temporary_prefix(target.name), dir=target.parent
        )
        os.close(handle)
        try:
            rows = _written(strategy, temporary, form, arrow, progress)
            mask = os.umask(0)
            os.umask(mask)
            Path(temporary).chmod(0o666 & ~mask)
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        sweep(target)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(f"Cannot write {path}: {reason}.") from error
    return rows


def _written(
    strategy: AnyStrategy,
    path: str,
    form: str,
    arrow: Any,
    progress: Callable[[int], None] | None,
) -> int:
    schema, rows = _schema(strategy, arrow), 0
    with _writer(path, form, schema, arrow) as writer:
        for batch in _batches(strategy, arrow):
            writer.write_batch(batch)
            rows += batch.num_rows
            if progress is not None:
                progress(rows)
    return rows


def _writer(path: str, form: str, schema: Any, arrow: Any) -> Any:
    if form == "arrow":
        return arrow.ipc.new_file(path, schema)
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(path, schema, compression="zstd")


def _library() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError as error:
        raise UsageError(
            "Arrow and Parquet need pyarrow: pip install 'riverboat[data]'."
        ) from error
    return pyarrow


def _schema(strategy: AnyStrategy, arrow: Any) -> Any:
    facts = {
        "kind": strategy.kind,
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
    }
    return arrow.schema(
        [
            ("player", arrow.int8()),
            ("infoset", arrow.string()),
            ("action", arrow.string()),
            ("probability", arrow.float64()),
        ],
        metadata={"riverboat": json.dumps(facts)},
    )


def _batches(strategy: AnyStrategy, arrow: Any) -> Iterator[Any]:
    schema = _schema(strategy, arrow)
    for columns in _columns(strategy):
        yield arrow.record_batch(list(columns), schema=schema)


def _columns(strategy: AnyStrategy) -> Iterator[Columns]:
    """The four columns, some rows at a time."""
    columns: Columns = ([], [], [], [])
    players, infosets, actions, chances = columns
    for player, infoset, probabilities in strategy.entries():
        players.extend([player] * len(probabilities))
        infosets.extend([infoset] * len(probabilities))
        actions.extend(probabilities)
        chances.extend(probabilities.values())
        if len(players) >= BATCH:
            yield columns
            for column in columns:
                column.clear()
    if players:
        yield columns
