"""The one table writer: rows as CSV, Parquet or Arrow (IPC), by the file's ending.

    write_table("flops.parquet", ("flop", "ev"), rows)

Rows may be lazy: they are written in batches, so that a file may be larger than memory.
`data_frame` gives columns to pandas or polars, neither of which the package needs.
"""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from riverboat.errors import UnknownNameError, UsageError, how_to_install
from riverboat.runtime.storage import sweep, write_whole

TABLE_FORMATS = ("csv", "parquet", "arrow")
BATCH = 100_000  # Rows made at a time
Row = Sequence[Any]
FRAMES = ("pandas", "polars")


def write_table(
    path: str | Path,
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    form: str | None = None,
    types: Sequence[str] | None = None,
    metadata: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
    batch: int = BATCH,
) -> int:
    """Write a table, all of it or nothing, and return the number of rows.

    `form` is one of TABLE_FORMATS, by default the path's ending, or else CSV. `types` names the
    columns' Arrow types ("int8", "string", "float64"), by default those of the first batch.
    `metadata` is kept in the schema of Parquet and Arrow files. `progress` gets the rows so far.
    """
    ending = Path(path).suffix[1:].lower()
    form = form or (ending if ending in TABLE_FORMATS else "csv")
    if form not in TABLE_FORMATS:
        raise UsageError(f"Tables are written as {', '.join(TABLE_FORMATS)}, not as {form!r}.")
    if form != "csv":
        arrow_library()

    def write(target: Path) -> int:
        batches = _batches(rows, batch)
        if form == "csv":
            return _write_csv(target, columns, batches, progress)
        return _write_arrow(target, form, columns, batches, types, metadata, progress)

    count = write_whole(path, write)
    sweep(Path(path))
    return count


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """The table as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()


def arrow_table(
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    types: Sequence[str] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Any:
    """The table as a pyarrow.Table."""
    arrow, schema, batches = arrow_library(), None, []
    for some in _batches(rows, BATCH):
        schema = schema or _schema(columns, some, types, metadata)
        batches.append(_record_batch(some, schema))
    return arrow.Table.from_batches(batches, schema or _schema(columns, [], types, metadata))


def data_frame(columns: Mapping[str, Sequence[Any]], library: str | None = None) -> Any:
    """Columns as a DataFrame of `library`: "pandas" or "polars", by default the first installed."""
    if library is not None and library not in FRAMES:
        raise UnknownNameError.among("library of data frames", library, FRAMES)
    for name in FRAMES if library is None else (library,):
        try:
            return importlib.import_module(name).DataFrame(dict(columns))
        except ImportError:
            continue
    wanted = library or "pandas or polars"
    raise UsageError(f"A data frame needs {wanted}: pip install {library or 'pandas'}.")


def has_arrow() -> bool:
    """Whether pyarrow is installed."""
    try:
        import pyarrow.parquet
    except ImportError:
        return False
    return bool(pyarrow.parquet)


def arrow_library(what: str = "Arrow and Parquet") -> Any:
    """The pyarrow module; UsageError where it is not installed."""
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(f"{what} need pyarrow: {how_to_install('data')}.") from error
    return pyarrow


def _batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while some := list(islice(remaining, size)):
        yield some


def _write_csv(
    path: Path,
    columns: Sequence[str],
    batches: Iterable[list[Row]],
    progress: Callable[[int], None] | None,
) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for some in batches:
            writer.writerows(some)
            count += len(some)
            if progress is not None:
                progress(count)
    return count


def _write_arrow(
    path: Path,
    form: str,
    columns: Sequence[str],
    batches: Iterable[list[Row]],
    types: Sequence[str] | None,
    metadata: Mapping[str, str] | None,
    progress: Callable[[int], None] | None,
) -> int:
    arrow, count, remaining = arrow_library(), 0, iter(batches)
    first = next(remaining, [])
    schema = _schema(columns, first, types, metadata)
    if form == "arrow":
        opened = arrow.ipc.new_file(str(path), schema)
    else:
        opened = arrow.parquet.ParquetWriter(str(path), schema, compression="zstd")
    with opened as writer:
        some = first
        while some:
            writer.write_batch(_record_batch(some, schema))
            count += len(some)
            if progress is not None:
                progress(count)
            some = next(remaining, [])
    return count


def _schema(
    columns: Sequence[str],
    first: list[Row],
    types: Sequence[str] | None,
    metadata: Mapping[str, str] | None,
) -> Any:
    arrow = arrow_library()
    if types is not None:
        fields = [arrow.type_for_alias(name) for name in types]
    else:
        fields = [arrow.array([row[i] for row in first]).type for i in range(len(columns))]
    notes = dict(metadata) if metadata is not None else None
    return arrow.schema(list(zip(columns, fields, strict=True)), metadata=notes)


def _record_batch(rows: list[Row], schema: Any) -> Any:
    arrow = arrow_library()
    return arrow.record_batch(list(zip(*rows, strict=True)), schema=schema)
