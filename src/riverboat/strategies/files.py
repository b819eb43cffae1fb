"""The one file format of the house: safetensors arrays with a JSON header, written atomically.

The header holds `format` (version), `kind` ("strategy", "checkpoint", "q-table", …), `package`
(version of riverboat) and whatever the kind adds. Every kind is read and written through here.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat import __version__
from riverboat.errors import FileFormatError, StorageError

__all__ = ["FORMAT_VERSION", "atomic_write", "check_writable", "read_arrays", "write_arrays"]

FORMAT_VERSION = 1
_HEADER = "riverboat"


def atomic_write(path: str | Path, data: bytes | str) -> None:
    """Write all of `data` or nothing: a temporary file beside `path`, flushed, then renamed.

    A symbolic link is followed; a pipe or a device (/dev/stdout) is written to, never replaced.
    """
    target = Path(os.path.realpath(path))
    raw = data.encode() if isinstance(data, str) else data
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "is a directory")
        if target.exists() and not target.is_file():
            target.write_bytes(raw)
            return
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(raw)
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
    """Refuse a path that could not be written, before long work whose result would go there."""
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
        handle, probe = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        os.close(handle)
        Path(probe).unlink()
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
    atomic_write(path, save(plain, metadata={_HEADER: json.dumps(full, sort_keys=True)}))


def read_arrays(path: str | Path, *kinds: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the header of a file, refused with a sentence unless of one of `kinds`."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    source = Path(path)
    try:
        raw = source.read_bytes()
    except FileNotFoundError:
        raise StorageError(f"There is no file {source}.") from None
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(f"Cannot read {source}: {reason}.") from error
    header = _header(source, raw)
    if header.get("kind") not in kinds:
        wanted = " or ".join(kinds)
        raise FileFormatError(f"{source} holds a {header.get('kind')}, not a {wanted}.")
    try:
        return load(raw), header
    except (SafetensorError, ValueError, KeyError) as error:
        raise FileFormatError(f"{source} is damaged: its arrays cannot be read.") from error


def _header(source: Path, raw: bytes) -> dict[str, Any]:
    """The JSON header of a file's bytes."""
    length = int.from_bytes(raw[:8], "little")
    if len(raw) < 8 or not 2 <= length <= 100_000_000:
        raise FileFormatError(f"{source} is not a riverboat file.")
    if length > len(raw) - 8:
        raise FileFormatError(f"{source} is damaged or not a riverboat file: it ends too early.")
    try:
        header = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"][_HEADER])
        version = int(header["format"])
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{source} is not a riverboat file.") from error
    if version > FORMAT_VERSION:
        raise FileFormatError(
            f"{source} has format {version}, newer than this version of riverboat"
            f" reads ({FORMAT_VERSION}); upgrade riverboat to open it."
        )
    return dict(header)
