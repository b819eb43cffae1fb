"""Files with a valid checksum and contents that no riverboat would write.

`crafted(path)` yields (what was changed, header, arrays) for one change after another: header
fields that are missing or of another type, arrays of another type or shape, numbers out of range.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.strategies.files import file_kind, read_arrays, write_arrays

Arrays = dict[str, NDArray[Any]]
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 7, 2**31, 2**70, 1.5, -1e308, math.nan, math.inf),
    *("", "x", "\n", [], [1], [[]], {}, {"a": 1}, [None] * 3),
)
TYPES = (np.float64, np.float32, np.int64, np.int32, np.int16, np.uint16, np.uint8, np.bool_)
NUMBERS = (math.nan, math.inf, -1.0, -1e30, 60.0, 255.0, 1e9, 1e30)
MISSING = object()


def crafted(path: Path) -> Iterator[tuple[str, dict[str, Any], Arrays]]:
    """Every change of the file, one at a time."""
    arrays, header = read_arrays(path, file_kind(path))
    for place in _places(header):
        for value in (MISSING, *VALUES):
            changed = _changed(header, place, value)
            if repr(changed) != repr(header):
                shown = "nothing" if value is MISSING else repr(value)
                yield f"header {'.'.join(map(str, place))} = {shown}", changed, arrays
    for name in arrays:
        for what, array in _other_arrays(arrays[name]):
            others = {key: value for key, value in arrays.items() if key != name}
            yield (
                f"array {name}: {what}",
                header,
                others if array is None else {**others, name: array},
            )


def write_crafted(path: Path, header: dict[str, Any], arrays: Arrays) -> None:
    """Write such contents with a checksum that is right."""
    write_arrays(path, header["kind"], arrays, header)


def _places(header: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every field, also inside of mappings and of short lists."""
    if isinstance(header, dict):
        items: list[tuple[Any, Any]] = list(header.items())
    else:
        items = list(enumerate(header))[:2]
    for key, value in items:
        if before or key not in ("format", "kind", "package"):
            yield (*before, key)
            if isinstance(value, dict | list):
                yield from _places(value, (*before, key))


def _changed(header: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    result = copy.deepcopy(header)
    inner: Any = result
    for key in place[:-1]:
        inner = inner[key]
    if value is MISSING:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return result


def _other_arrays(array: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any] | None]]:
    yield "missing", None
    yield "empty", array.reshape(-1)[:0]
    yield "flat", array.reshape(1, -1)
    yield "without its last row", array[:-1]
    yield "with a row twice", np.concatenate([array, array[-1:]])
    yield "of no dimension", array.reshape(-1)[:1].reshape(())
    yield "of many rows of nothing", np.zeros((1_000_000, 0), array.dtype)
    for kind in TYPES:
        if kind != array.dtype:
            with np.errstate(all="ignore"):
                yield f"as {np.dtype(kind)}", array.astype(kind)
    if not array.size:
        return
    for number in NUMBERS:
        if array.dtype.kind != "f":
            if not math.isfinite(number):
                continue
            limits = np.iinfo(array.dtype)
            number = min(max(int(number), limits.min), limits.max)
        for place in {0, array.size // 2, array.size - 1}:
            changed = array.copy()
            changed.reshape(-1)[place] = number
            if not np.array_equal(changed, array):
                yield f"[{place}] = {number:g}", changed
    yield "all zeros", np.zeros_like(array)
    yield "upside down", np.ascontiguousarray(array[::-1])
