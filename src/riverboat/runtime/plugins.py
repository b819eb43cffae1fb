"""What other packages add: entry points, read when a name is asked for that Riverboat lacks.

A package names its games, players and file kinds in its pyproject.toml:

    [project.entry-points."riverboat.games"]
    coin = "coin_package.rules:Coin"

    [project.entry-points."riverboat.players"]
    cautious = "coin_package.players:cautious"

    [project.entry-points."riverboat.kinds"]
    coin-diary = "coin_package.diary:KIND"

`load_program` imports a file of the user's own, such as my_bot.py, that no package holds.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from riverboat.errors import RiverboatError, UsageError

MAX_PROGRAM_BYTES = 10_000_000  # The longest Python file of a user's own
_LOADED: dict[Path, tuple[int, int]] = {}
"""Files that load_program has imported → their time and size then."""


@cache
def named(group: str) -> dict[str, str]:
    """Name → "module:attribute" of every installed package's entry points in a group."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"riverboat.{group}")}


def find(path: str) -> Any:
    """The object at "module:attribute"; attributes may have dots.

    What is wrong in a module of another package, or a library that is not installed, is said in a
    sentence; a mistake in a module of our own is not the user's, and is raised as it is.
    """
    module, _, attribute = path.partition(":")
    try:
        value: Any = importlib.import_module(module)
        for name in attribute.split("."):
            value = getattr(value, name)
    except (ImportError, AttributeError) as error:
        missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else "riverboat"
        if all(name.partition(".")[0] == "riverboat" for name in (module, missing)):
            raise
        raise UsageError(f"{path} cannot be used: {error}.") from error
    return value


def loaded_programs() -> tuple[str, ...]:
    """The files that load_program has imported, for processes that need them too."""
    return tuple(map(str, _LOADED))


def load_program(path: str | Path) -> ModuleType:
    """Import a Python file by its path, under its own name, so that worker processes find it too.

    A file that has changed is read again. Its folder becomes one that modules are imported from, so
    that it can import its neighbours. What goes wrong in it is reported with its line.
    """
    from riverboat.runtime.storage import open_regular

    file = Path(path).resolve()
    with open_regular(path) as (stream, size):
        stamp = (os.fstat(stream.fileno()).st_mtime_ns, size)
    if size > MAX_PROGRAM_BYTES:
        raise UsageError(f"{path} is too large for a Python file: it has {size:,} bytes.")
    name = file.stem
    if file not in _LOADED:
        other = sys.modules.get(name) or _elsewhere(name, file)
        if file.suffix != ".py" or "." in name or other is not None:
            why = "is a module of another place" if other is not None else "is no module's"
            raise UsageError(f"{path} cannot be imported, since its name {why}; rename the file.")
        if str(file.parent) not in sys.path:
            sys.path.append(str(file.parent))
    try:
        importlib.invalidate_caches()
        with redirect_stdout(sys.stderr):  # standard output may belong to one JSON object
            if file not in _LOADED:
                module = importlib.import_module(name)
            elif _LOADED[file] != stamp:
                module = importlib.reload(sys.modules[name])
            else:
                module = sys.modules[name]
    except RiverboatError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{path} cannot be used: {program_error(error, file)}.") from error
    _LOADED[file] = stamp
    return module


def _elsewhere(name: str, file: Path) -> str | None:
    """Where Python would find a module of this name, unless that is the file itself."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    origin = None if spec is None else spec.origin or name
    return None if origin is None or Path(origin).resolve() == file else origin


def program_error(error: BaseException, file: str | Path = "") -> str:
    """An error of the user's program in a few words, with the last line of its file (or of any)."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename) == Path(file)] if file else frames
    line = f" in line {own[-1].lineno} of {Path(own[-1].filename).name}" if own else ""
    if isinstance(error, SyntaxError) and error.lineno:
        line = f" in line {error.lineno} of {Path(error.filename or '').name}"
        words = error.msg
    else:
        words = " ".join("".join(c if c.isprintable() else " " for c in _message(error)).split())
    return f"{type(error).__name__}{line}" + (f": {words[:200].rstrip('.')}" if words else "")


def _message(error: BaseException) -> str:
    """The text of an error, whose class may be the user's and fail too."""
    try:
        return str(error)[:2000]
    except Exception:
        return ""
