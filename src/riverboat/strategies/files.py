"""The one file format of the house: safetensors arrays with a JSON header, written atomically.

The header holds `format` (version), `kind` ("strategy", "checkpoint", "q-table", …), `package`
(version of riverboat) and whatever the kind adds. Every kind is read and written through here.

Beside the header stands `checksum`: the SHA-256 of all bytes of the file, taken with zeros in its
own place. So a flipped bit is found wherever it is. Files of format 1 (version 0.1.0) have no
checksum and are read as they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat import __version__
from riverboat.errors import FileFormatError, StorageError
from riverboat.runtime.own_folders import sweep, temporary_prefix

__all__ = [
    "FORMAT_VERSION",
    "atomic_write",
    "check_writable",
    "file_kind",
    "read_arrays",
    "read_header",
    "write_arrays",
]

FORMAT_VERSION = 2
_HEADER = "riverboat"
_CHECKSUM = "checksum"
_BLANK = "0" * 64
"""What stands in the checksum's place while it is taken."""
_LONGEST_HEADER = 100_000_000


def atomic_write(path: str | Path, data: bytes | str | Sequence[bytes | memoryview]) -> None:
    """Write all of `data` or nothing: a temporary file beside `path`, flushed, then renamed.

    A symbolic link is followed; a pipe or a device (/dev/stdout) is written to, never replaced.
    """
    target = Path(os.path.realpath(path))
    if isinstance(data, str):
        data = data.encode()
    parts = [data] if isinstance(data, bytes) else data
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "is a directory")
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                stream.writelines(parts)
            return
        handle, temporary = tempfile.mkstemp(
            prefix=temporary_prefix(target.name), dir=target.parent
        )
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.writelines(parts)
                stream.flush()
                os.fsync(stream.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)  # noqa: PTH101
            os.replace(temporary, target)  # noqa: PTH105
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(f"Cannot write {path}: {reason}.") from error


def check_writable(path: str | Path) -> None:
    """Refuse a path that could not be written, before long work whose result would go there.

    What a killed process left of writing it earlier is removed.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise StorageError(f"Cannot write {path}: it is a directory.")
        if target.exists() and not target.is_file():
            with target.open("ab"):
                return
        if not target.parent.is_dir():
            raise StorageError(
                f"Cannot write {path}: the directory {Path(path).parent} does not exist."
            )
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "permission denied")
        # Some places (/proc) say that they are writable and are not: only a file made there tells.
        handle, probe = tempfile.mkstemp(prefix=temporary_prefix(target.name), dir=target.parent)
        os.close(handle)
        Path(probe).unlink()
        sweep(target)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(f"Cannot write {path}: {reason}.") from error


def write_arrays(
    path: str | Path,
    kind: str,
    arrays: Mapping[str, NDArray[Any]],
    header: Mapping[str, Any],
) -> None:
    """Write `arrays` and `header` as one file of the given kind."""
    from safetensors.numpy import save

    full = {**header, "format": FORMAT_VERSION, "kind": kind, "package": __version__}
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    metadata = {_HEADER: json.dumps(full, sort_keys=True), _CHECKSUM: _BLANK}
    raw = save(plain, metadata=metadata)
    front = _front(raw)
    rest = memoryview(raw)[len(front) :]
    digest = hashlib.sha256(front)
    digest.update(rest)
    place = front.index(f'"{_CHECKSUM}":"{_BLANK}"'.encode()) + len(_CHECKSUM) + 4
    stated = digest.hexdigest().encode()
    atomic_write(path, [front[:place], stated, front[place + len(_BLANK) :], rest])


def _front(raw: bytes) -> bytes:
    """What stands before the arrays, its keys in order: safetensors leaves that to chance."""
    size = int.from_bytes(raw[:8], "little")
    table = json.loads(raw[8 : 8 + size])
    ordered = {**table, "__metadata__": dict(sorted(table["__metadata__"].items()))}
    text = json.dumps(ordered, separators=(",", ":"), ensure_ascii=False).encode().ljust(size)
    return raw[:8] + (text if len(text) == size else raw[8 : 8 + size])


def read_arrays(path: str | Path, *kinds: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the header of a file, refused with a sentence unless of one of `kinds`."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    source = Path(path)
    raw = _read(source)
    header = _header(source, raw)
    _check_sum(source, raw, header)
    if header.get("kind") not in kinds:
        wanted = " or ".join(kinds)
        raise FileFormatError(f"{source} holds a {header.get('kind')}, not a {wanted}.")
    try:
        return load(raw), header
    except (SafetensorError, ValueError, KeyError) as error:
        raise FileFormatError(f"{source} is damaged: its arrays cannot be read.") from error


def read_header(path: str | Path, *kinds: str) -> dict[str, Any]:
    """The header alone, from the first bytes of a file of one of `kinds`; nothing else is read."""
    source = Path(path)
    header = _header(source, _read(source, header_only=True))
    header.pop(_CHECKSUM)
    if header.get("kind") not in kinds:
        wanted = " or ".join(kinds)
        raise FileFormatError(f"{source} holds a {header.get('kind')}, not a {wanted}.")
    return header


def file_kind(path: str | Path) -> str:
    """The kind of a file, from its first bytes."""
    source = Path(path)
    return str(_header(source, _read(source, header_only=True)).get("kind"))


def _read(source: Path, *, header_only: bool = False) -> bytes:
    """The file's bytes, or those up to the end of the header."""
    try:
        with source.open("rb") as stream:
            if not header_only:
                return stream.read()
            start = stream.read(8)
            return start + stream.read(min(int.from_bytes(start, "little"), _LONGEST_HEADER))
    except FileNotFoundError:
        raise StorageError(f"There is no file {source}.") from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise StorageError(f"Cannot read {source}: {reason}.") from error


def _header(source: Path, raw: bytes) -> dict[str, Any]:
    """The JSON header of a file's bytes."""
    length = int.from_bytes(raw[:8], "little")
    if len(raw) < 8 or not 2 <= length <= _LONGEST_HEADER:
        raise FileFormatError(f"{source} is not a riverboat file.")
    if length > len(raw) - 8:
        raise FileFormatError(f"{source} is damaged or not a riverboat file: it ends too early.")
    try:
        metadata = json.loads(raw[8 : 8 + length])["__metadata__"]
        header = dict(json.loads(metadata[_HEADER]))
        version = int(header["format"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileFormatError(f"{source} is not a riverboat file.") from error
    if version > FORMAT_VERSION:
        raise FileFormatError(
            f"{source} has format {version}, newer than this version of riverboat"
            f" reads ({FORMAT_VERSION}); upgrade riverboat to open it."
        )
    return header | {_CHECKSUM: metadata.get(_CHECKSUM)}


def _check_sum(source: Path, raw: bytes, header: dict[str, Any]) -> None:
    """Refuse bytes whose checksum is wrong, or missing in a format that has one."""
    stated = header.pop(_CHECKSUM)
    if stated is None and int(header["format"]) == 1:
        return
    place = raw.find(f'"{_CHECKSUM}":"{stated}"'.encode(errors="replace")) + len(_CHECKSUM) + 4
    if len(str(stated)) != len(_BLANK) or _digest(raw, place) != stated:
        raise FileFormatError(f"{source} is damaged: its checksum is wrong.")


def _digest(raw: bytes, place: int) -> str:
    """The SHA-256 of a file's bytes with zeros where the checksum stands."""
    view = memoryview(raw)
    digest = hashlib.sha256(view[:place])
    digest.update(_BLANK.encode())
    digest.update(view[place + len(_BLANK) :])
    return digest.hexdigest()
