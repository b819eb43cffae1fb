"""Files on disk: the package's own folders, writes that are whole or absent, reads with a bound.

$RIVERBOAT_DATA and $RIVERBOAT_CACHE name the folders; without them they are where the system keeps
such things. On Linux that is riverboat/ below $XDG_DATA_HOME or ~/.local/share, and below
$XDG_CACHE_HOME or ~/.cache. Versions up to 0.3.0 took these places on macOS and Windows too; where
such a folder exists it is still used.

A file is first written next to its target under a hidden name with the writer's process number:
`.q.rb.4711-x8k2m1qv`. When that process no longer runs, `sweep` removes the leftover.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from riverboat.errors import FileFormatError, StorageError

MAX_TEXT_BYTES = 100_000_000  # The longest text file that is read whole
OLD = 3600.0  # Seconds after which a leftover is removed although its writer cannot be asked about
BROUGHT = Path(__file__).parent / "kernels"
"""What a platform wheel brings along: compiled kernels (see kernel_cache), and tables."""
_INHERITED = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""Where a shell puts pipes that it has opened already."""
Result = TypeVar("Result")


def data_folder() -> Path:
    """For records, places in lessons and tournaments."""
    from platformdirs import user_data_path

    return _folder("RIVERBOAT_DATA", "XDG_DATA_HOME", ".local/share", user_data_path)


def cache_folder() -> Path:
    """For look-up tables, which can be computed again."""
    from platformdirs import user_cache_path

    return _folder("RIVERBOAT_CACHE", "XDG_CACHE_HOME", ".cache", user_cache_path)


def _folder(own: str, shared: str, usual: str, system_path: Callable[..., Path]) -> Path:
    if os.environ.get(own):
        return Path(os.environ[own])
    older = Path(os.environ.get(shared) or Path.home() / usual) / "riverboat"
    return older if older.is_dir() else system_path("riverboat", appauthor=False)


def unused_path(stem: str) -> Path | None:
    """The first of STEM-0.rb to STEM-99.rb that does not exist; None where all of them do."""
    paths = (Path(f"{stem}-{number}.rb") for number in range(100))
    return next((path for path in paths if not path.exists()), None)


@contextlib.contextmanager
def _in_a_sentence(verb: str, path: str | Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        if verb == "read":
            raise StorageError(f"There is no file {path}.") from None
        raise StorageError(f"Cannot {verb} {path}: no such file or directory.") from error
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(f"Cannot {verb} {path}: {reason}.") from error
    except ValueError as error:
        if "null byte" not in str(error):
            raise
        raise StorageError(f"Cannot {verb} {path!r}: its name has a null byte.") from error


@contextlib.contextmanager
def open_regular(path: str | Path, *, pipes: bool = False) -> Iterator[tuple[BinaryIO, int]]:
    """Open a file for reading; yield it and its size. Devices and pipes are refused.

    Reading /dev/zero would never end, and opening a pipe would wait for its writer. `pipes` lets
    in those that the shell has opened already (standard input).
    """
    with _in_a_sentence("read", path):
        # Without O_NONBLOCK the open itself waits for a pipe's writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as stream:
            mode = os.fstat(handle).st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(21, "is a directory")
            if pipes and stat.S_ISFIFO(mode) and str(path).startswith(_INHERITED):
                os.set_blocking(handle, True)
            elif not stat.S_ISREG(mode):
                raise StorageError(f"Cannot read {path}: it is not a regular file.")
            yield stream, os.fstat(handle).st_size


def read_bytes(path: str | Path, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """All bytes of a file of at most `max_bytes`."""
    with open_regular(path, pipes=True) as (stream, size):
        raw = b"" if size > max_bytes else stream.read(max_bytes + 1)
    if size > max_bytes or len(raw) > max_bytes:
        raise FileFormatError(
            f"{path} is too large: it has more than the {max_bytes:,} bytes that such a file may"
            " have."
        )
    return raw


def read_text(
    path: str | Path, max_bytes: int = MAX_TEXT_BYTES, *, encoding: str = "utf-8-sig"
) -> str:
    """The text of a file of at most `max_bytes`, without a byte order mark."""
    raw = read_bytes(path, max_bytes)
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path} is not a text file: byte {error.start + 1} is not UTF-8."
        ) from error


def parse_toml(text: str, what: str) -> dict[str, Any]:
    """The keys of a TOML text; `what` names it in the sentence that refuses another text."""
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise FileFormatError(f"{what} is no TOML: its brackets are nested too deeply.") from error
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(f"{what} is no TOML: {str(error).rstrip('.')}.") from error
    except ValueError as error:  # Python reads integers of 4,300 digits, dates of real days
        why = "a whole number in it is too long" if "digits" in str(error) else str(error)
        raise FileFormatError(f"{what} cannot be read: {why}.") from error


def atomic_write(
    path: str | Path, data: bytes | str | Iterable[bytes | memoryview], *, mode: int = 0o666
) -> None:
    """Write all of `data` or nothing: a temporary file next to `path`, flushed, then renamed.

    A symbolic link is followed; a pipe or a device (/dev/stdout) is written to, never replaced.
    `mode` holds from the first byte on; the process's umask is taken off.
    """
    if isinstance(data, str):
        data = data.encode()
    parts = [data] if isinstance(data, bytes) else data
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        with _in_a_sentence("write", path), target.open("wb") as stream:
            stream.writelines(parts)
        return

    def write(temporary: Path) -> None:
        with temporary.open("wb") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())

    write_whole(path, write, mode=mode)


def write_whole(path: str | Path, write: Callable[[Path], Result], *, mode: int = 0o666) -> Result:
    """Let `write` fill a temporary file that takes the place of `path` when it is complete."""
    target = Path(os.path.realpath(path))
    with _in_a_sentence("write", path):
        if target.is_dir():
            raise IsADirectoryError(21, "is a directory")
        handle, name = tempfile.mkstemp(prefix=temporary_prefix(target.name), dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            result = write(temporary)
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(mode & ~mask)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    return result


def check_writable(path: str | Path) -> None:
    """Refuse a path that could not be written, before long work whose result would go there.

    Leftovers of writers that were killed are removed.
    """
    target = Path(os.path.realpath(path))
    with _in_a_sentence("write", path):
        if target.is_dir():
            raise StorageError(f"Cannot write {path}: it is a directory.")
        if target.is_fifo():
            return  # opening it would wait for a reader, and closing it tell that reader the end
        if target.exists() and not target.is_file():
            with target.open("ab"):
                return
        if not target.parent.is_dir():
            raise StorageError(
                f"Cannot write {path}: the directory {Path(path).parent} does not exist."
            )
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "permission denied")
        # Some places (/proc) claim to be writable and are not: only a file made there shows it.
        handle, probe = tempfile.mkstemp(prefix=temporary_prefix(target.name), dir=target.parent)
        os.close(handle)
        Path(probe).unlink()
        sweep(target)


def check_room(path: str | Path, num_bytes: int) -> None:
    """Refuse a path whose disk has no room for a file that long work will write."""
    target = Path(os.path.realpath(path))
    free = shutil.disk_usage(target.parent).free
    if num_bytes > free and (target.is_file() or not target.exists()):
        raise StorageError(
            f"{path} would take {num_bytes / 2**30:.1f} GiB, and its disk has"
            f" {free / 2**30:.1f} GiB free."
        )


def temporary_prefix(name: str) -> str:
    """The beginning of a temporary file's name for the target `name`, in this process."""
    return f".{name}.{os.getpid()}-"


def sweep(target: Path) -> None:
    """Remove what killed processes have left of writing `target`."""
    known = re.compile(re.escape(f".{target.name}.") + r"(?:(\d+)-)?[a-z0-9_]{8}")
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(target.parent)):
            parts = known.fullmatch(entry.name)
            if parts is None or not entry.is_file(follow_symlinks=False):
                continue
            with contextlib.suppress(OSError):
                old = time.time() - entry.stat(follow_symlinks=False).st_mtime > OLD
                if old or (parts[1] is not None and _is_gone(int(parts[1]))):
                    Path(entry.path).unlink()


def _is_gone(process: int) -> bool:
    if os.name != "posix":  # Elsewhere the question itself would end the process.
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
