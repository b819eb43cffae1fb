"""The one file format of the house: safetensors arrays with a JSON header, written atomically.

The header holds `format` (version), `kind` ("strategy", "spot", "q-table", …), `package`
(version of riverboat) and the fields of its kind. Every kind is read and written through here.

`checksum`, next to the header, is the SHA-256 of all bytes of the file, taken with zeros in its own
place, so that a flipped bit is found anywhere. Files of format 1 (version 0.1.0) have no checksum.

A checksum does not make contents true: anyone can write a file with a valid one. So each reader
takes arrays and header fields out of `Contents`, which checks type, shape, range and finiteness of
all that a kernel may index with.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from riverboat.errors import FileFormatError, TooLargeError
from riverboat.runtime.devices import machine_memory
from riverboat.runtime.storage import atomic_write, check_writable, open_regular
from riverboat.version import __version__

__all__ = [
    "FORMAT_VERSION",
    "Contents",
    "RemoteArray",
    "are_numbers",
    "atomic_write",
    "check_writable",
    "file_kind",
    "open_contents",
    "read_arrays",
    "read_contents",
    "read_header",
    "write_arrays",
]

FORMAT_VERSION = 2
_HEADER = "riverboat"
_CHECKSUM = "checksum"
_BLANK = "0" * 64  # Placeholder for the checksum while it is computed
_MAX_HEADER = 100_000_000
_DTYPES = ("BOOL", "U8", "I8", "I16", "U16", "F16", "I32", "U32", "F32", "F64", "I64", "U64")
"""Types of arrays, in the order in which safetensors sorts them."""
_PART = 1 << 24  # Bytes of a large file that are read at once
_UNREADABLE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a reader meets in a file whose contents are not what it expects."""
_COUNTS = (
    *("deals", "games", "held_out_deals", "infosets", "iterations", "memory_bytes", "nodes"),
    *("seed", "threads", "value_deals"),
)
_AMOUNTS = ("build_seconds", "cpu_seconds", "exploitability", "exploitability_pct", "nash_conv")
_TEXTS = ("algorithm", "device", "method", "note", "reason", "storage")
_ROWS = ("best", "best_response", "ev", "payoffs", "value")
_TABLES = {"curve": 2, "free": 0, "locks": 0, "trace": 3}
"""Fields of `info` that screens show: lists of rows of that many numbers, or of tables (0)."""


class Contents:
    """The arrays and the header of a file, taken out one by one and checked.

    with read_contents(path, "q-table") as contents:
        values = contents.array("values", np.float64, shape=(None, 2))
        seed = contents.integer("seed")

    Inside the block whatever cannot be read is reported as a damaged file.
    """

    def __init__(
        self, path: str | Path, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]
    ) -> None:
        self.path, self.arrays, self.header = path, arrays, header

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, FileFormatError) and str(self.path) not in str(error):
            raise self.damaged(str(error).rstrip(".")) from error
        if isinstance(error, _UNREADABLE):
            raise self.damaged("its contents cannot be read") from error

    def damaged(self, why: str) -> FileFormatError:
        """The error that names the file and the reason."""
        return FileFormatError(f"{self.path} is damaged: {why}.")

    def need(self, condition: object, why: str) -> None:
        """Refuse the file unless the condition holds."""
        if not condition:
            raise self.damaged(why)

    def array(
        self,
        name: str,
        *dtypes: DTypeLike,
        shape: tuple[int | None, ...],
        low: float | None = None,
        high: float | None = None,
    ) -> NDArray[Any]:
        """An array of one of `dtypes` and of `shape` (None: any length), finite and in range."""
        array = self.arrays.get(name)
        if array is None:
            raise self.damaged(f"it lacks the array {name}")
        fits = array.ndim == len(shape) and all(
            wanted is None or wanted == size
            for wanted, size in zip(shape, array.shape, strict=True)
        )
        self.need(fits and array.dtype in [np.dtype(kind) for kind in dtypes], _misfit(name))
        if array.size and array.dtype.kind == "f":
            self.need(np.isfinite(array).all(), f"the array {name} holds no finite numbers")
        if array.size:
            inside = (low is None or array.min() >= low) and (high is None or array.max() <= high)
            self.need(inside, f"the array {name} holds numbers out of range")
        return array

    def offsets(self, name: str, end: int, *, increasing: bool = True) -> NDArray[Any]:
        """An array of places from 0 to `end`, each beyond the one before (or at it)."""
        offsets = self.array(name, np.int64, np.int32, np.uint32, np.uint64, shape=(None,))
        steps = np.diff(offsets.astype(np.int64))
        rising = (steps > 0 if increasing else steps >= 0).all()
        self.need(len(offsets) and offsets[0] == 0 and offsets[-1] == end and rising, _misfit(name))
        return offsets

    def field(self, name: str, of: Mapping[str, Any] | None = None) -> Any:
        """A field of the header, or of a mapping in it."""
        fields = self.header if of is None else of
        if not isinstance(fields, Mapping) or name not in fields:
            raise self.damaged(f"its header lacks {name}")
        return fields[name]

    def integer(
        self, name: str, *, low: int = 0, high: int = 2**63 - 1, of: Mapping[str, Any] | None = None
    ) -> int:
        """A whole number of the header."""
        value = self.field(name, of)
        self.need(type(value) is int and low <= value <= high, f"{name} in its header is wrong")
        return int(value)

    def number(
        self,
        name: str,
        *,
        low: float = 0.0,
        high: float = math.inf,
        of: Mapping[str, Any] | None = None,
    ) -> float:
        """A finite number of the header."""
        value = self.field(name, of)
        fits = type(value) in (int, float) and abs(value) < 1e300 and low <= value <= high
        self.need(fits, f"{name} in its header is wrong")
        return float(value)

    def text(self, name: str, *, lines: bool = False, of: Mapping[str, Any] | None = None) -> str:
        """A text of the header; of several lines only where `lines` says so."""
        value = self.field(name, of)
        fits = isinstance(value, str) and (lines or value.isprintable())
        self.need(fits, f"{name} in its header is wrong")
        return str(value)

    def table(self, name: str, *, of: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A mapping of the header."""
        value = self.field(name, of)
        self.need(isinstance(value, dict), f"{name} in its header is wrong")
        return dict(value)

    def info(self) -> dict[str, Any]:
        """How the thing was made; the fields that screens show are checked if they are there."""
        info = self.table("info")
        for name in _COUNTS:
            if name in info:
                self.integer(name, high=2**128, of=info)
        for name in (*_AMOUNTS, "seconds"):
            if name in info:
                self.number(name, low=-1e300, of=info)
        for name in _TEXTS:
            if name in info:
                self.text(name, of=info)
        for name in _ROWS:
            self.need(are_numbers(info.get(name, [])), f"{name} in its header is wrong")
        for name, size in _TABLES.items():
            rows = info.get(name, [])
            fits = isinstance(rows, list) and all(
                are_numbers(row, size) if size else isinstance(row, dict) for row in rows
            )
            self.need(fits, f"{name} in its header is wrong")
        return info


def are_numbers(row: Any, size: int | None = None) -> bool:
    """Whether it is a list of finite numbers, of `size` of them."""
    return (
        isinstance(row, list)
        and size in (None, len(row))
        and all(type(number) in (int, float) and abs(number) < 1e300 for number in row)
    )


def _misfit(name: str) -> str:
    return f"the array {name} has another type or shape than its kind of file"


@dataclass(frozen=True)
class RemoteArray:
    """An array that lies elsewhere, such as on a GPU; it is fetched for each use and not kept."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fetch: Callable[[], NDArray[Any]]
    put: Callable[[NDArray[Any]], None]

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.itemsize


def write_arrays(
    path: str | Path,
    kind: str,
    arrays: Mapping[str, NDArray[Any] | RemoteArray],
    header: Mapping[str, Any],
) -> None:
    """Write `arrays` and `header` as one file of the given kind, without a copy of the arrays.

    A remote array is fetched twice, for the checksum in front and for the file.
    """
    full = {**header, "format": FORMAT_VERSION, "kind": kind, "package": __version__}
    plain = {
        name: array if isinstance(array, RemoteArray) else np.ascontiguousarray(array)
        for name, array in arrays.items()
    }
    # The order of the safetensors library, so that files do not depend on who wrote them.
    names = sorted(plain, key=lambda name: (-_DTYPES.index(_dtype(plain[name])), name))
    metadata = {_CHECKSUM: _BLANK, _HEADER: json.dumps(full, sort_keys=True)}
    front = _front(metadata, {name: plain[name] for name in names})

    def parts() -> Iterator[memoryview]:
        for name in names:
            array = plain[name]
            here = array.fetch() if isinstance(array, RemoteArray) else array
            yield here.reshape(-1).view(np.uint8).data

    digest = hashlib.sha256(front)
    for part in parts():
        digest.update(part)
    offset = front.index(f'"{_CHECKSUM}":"{_BLANK}"'.encode()) + len(_CHECKSUM) + 4
    stated = digest.hexdigest().encode()
    start = (front[:offset], stated, front[offset + len(_BLANK) :])
    atomic_write(path, chain(start, parts()))


def _dtype(array: NDArray[Any] | RemoteArray) -> str:
    """The name that safetensors has for an array's type."""
    kinds = {"b": "BOOL", "u": f"U{8 * array.itemsize}", "i": f"I{8 * array.itemsize}"}
    return kinds.get(array.dtype.kind, f"F{8 * array.itemsize}")


def _front(metadata: Mapping[str, str], arrays: Mapping[str, NDArray[Any] | RemoteArray]) -> bytes:
    """The bytes of a safetensors file before its arrays."""
    table: dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name, array in arrays.items():
        start, end = end, end + array.nbytes
        table[name] = {
            "dtype": _dtype(array), "shape": list(array.shape), "data_offsets": [start, end]
        }  # fmt: skip
    text = json.dumps(table, separators=(",", ":"), ensure_ascii=False).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    return len(text).to_bytes(8, "little") + text


def read_contents(path: str | Path, *kinds: str) -> Contents:
    """The contents of a file, refused with a sentence unless of one of `kinds`."""
    return Contents(path, *read_arrays(path, *kinds))


def open_contents(path: str | Path, *kinds: str) -> Contents:
    """The contents of a file whose arrays are read one by one, where all would fill the memory."""
    with open_regular(path) as (stream, size):
        start = stream.read(8)
        front = start + stream.read(min(_length(path, start), _MAX_HEADER))
        header, wanted = _header(path, front)
        _check_size(path, size, wanted)
        _check_sum(path, front, header, iter(lambda: stream.read(_PART), b""))
    _check_kind(path, header, kinds)
    return Contents(path, _FileArrays(path), header)


class _FileArrays(Mapping[str, NDArray[Any]]):
    """The arrays of a file, each read when it is asked for."""

    def __init__(self, path: str | Path) -> None:
        from safetensors import safe_open

        self._file: Any = safe_open(str(path), framework="numpy")

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in set(self._file.keys()):
            raise KeyError(name)
        return np.asarray(self._file.get_tensor(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.keys())

    def __len__(self) -> int:
        return len(self._file.keys())


def read_arrays(path: str | Path, *kinds: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the header of a file of one of `kinds`, not checked any further."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    raw, header = _read_whole(path)
    _check_sum(path, raw, header)
    _check_kind(path, header, kinds)
    try:
        return load(raw), header
    except (SafetensorError, ValueError, KeyError, MemoryError) as error:
        raise FileFormatError(f"{path} is damaged: its arrays cannot be read.") from error


def read_header(path: str | Path, *kinds: str) -> dict[str, Any]:
    """The header alone, from the first bytes of a file of one of `kinds`; nothing else is read."""
    header = _read_front(path)
    header.pop(_CHECKSUM)
    _check_kind(path, header, kinds)
    return header


def file_kind(path: str | Path) -> str:
    """The kind of a file, from its first bytes."""
    return str(_read_front(path).get("kind"))


def _check_kind(path: str | Path, header: Mapping[str, Any], kinds: tuple[str, ...]) -> None:
    if header.get("kind") not in kinds:
        wanted = " or ".join(kinds)
        raise FileFormatError(
            f"{path} holds a {header.get('kind')}, not a {wanted}; riverboat show says more."
        )


def _read_front(path: str | Path) -> dict[str, Any]:
    with open_regular(path) as (stream, _):
        start = stream.read(8)
        return _header(path, start + stream.read(min(_length(path, start), _MAX_HEADER)))[0]


def _read_whole(path: str | Path) -> tuple[bytes, dict[str, Any]]:
    """All bytes and the header. The header says how long the file is: no other is read whole."""
    with open_regular(path) as (stream, size):
        start = stream.read(8)
        front = start + stream.read(min(_length(path, start), _MAX_HEADER))
        header, wanted = _header(path, front)
        _check_size(path, size, wanted)
        if size > (machine_memory() or size):
            raise TooLargeError(
                f"{path} has {size / 2**30:,.1f} GiB, more than this machine's memory."
            )
        stream.seek(0)
        try:
            return stream.read(size), header
        except MemoryError as error:
            raise TooLargeError(
                f"{path} has {size / 2**30:,.1f} GiB, more than the memory left."
            ) from error


def _check_size(path: str | Path, size: int, wanted: int) -> None:
    if size != wanted:
        long = "ends too early" if size < wanted else "is longer than its arrays"
        raise FileFormatError(f"{path} is damaged: it {long}.")


def _length(path: str | Path, start: bytes) -> int:
    """The length of the header, from the first eight bytes."""
    length = int.from_bytes(start, "little")
    if len(start) < 8 or not 2 <= length <= _MAX_HEADER:
        raise FileFormatError(f"{path} is not a riverboat file.")
    return length


def _header(path: str | Path, front: bytes) -> tuple[dict[str, Any], int]:
    """The JSON header in the first bytes of a file, and how long the file must be."""
    length = _length(path, front[:8])
    if length > len(front) - 8:
        raise FileFormatError(f"{path} is damaged or not a riverboat file: it ends too early.")
    try:
        table = json.loads(front[8 : 8 + length])
        metadata = table.pop("__metadata__")
        header = dict(json.loads(metadata[_HEADER]))
        version = int(header["format"])
        ends = [int(entry["data_offsets"][1]) for entry in table.values()]
    except _UNREADABLE as error:
        raise FileFormatError(f"{path} is not a riverboat file.") from error
    if version > FORMAT_VERSION:
        raise FileFormatError(
            f"{path} has format {version}, newer than this version of riverboat"
            f" reads ({FORMAT_VERSION}); upgrade riverboat to open it."
        )
    return header | {_CHECKSUM: metadata.get(_CHECKSUM)}, 8 + length + max(ends, default=0)


def _check_sum(
    source: str | Path, raw: bytes, header: dict[str, Any], rest: Iterable[bytes] = ()
) -> None:
    """Refuse bytes, and what follows them, whose checksum is wrong, or missing where one is due."""
    stated = header.pop(_CHECKSUM)
    if stated is None and int(header["format"]) == 1:
        return
    offset = raw.find(f'"{_CHECKSUM}":"{stated}"'.encode(errors="replace")) + len(_CHECKSUM) + 4
    if len(str(stated)) != len(_BLANK) or _digest(raw, offset, rest) != stated:
        raise FileFormatError(f"{source} is damaged: its checksum is wrong.")


def _digest(raw: bytes, offset: int, rest: Iterable[bytes]) -> str:
    """The SHA-256 of a file's bytes with zeros in place of the checksum."""
    view = memoryview(raw)
    digest = hashlib.sha256(view[:offset])
    digest.update(_BLANK.encode())
    digest.update(view[offset + len(_BLANK) :])
    for part in rest:
        digest.update(part)
    return digest.hexdigest()
