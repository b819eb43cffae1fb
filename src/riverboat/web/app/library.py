"""What a user has saved: the riverboat files of one folder, with date, size and what they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from riverboat.errors import RiverboatError, UsageError
from riverboat.strategies.files import file_kind

SUFFIXES = {".rb": "", ".sqlite": "tournaments", ".toml": "spot", ".study": "study"}
"""Suffix → what such a file holds; "" asks the file."""
OMAHA = "omaha-spot"
"""What a file with the question of a spot of Omaha holds: another form takes it."""
MAX_FILES = 500
MAX_HEAD = 10_000
"""Bytes in which a spot's file says its game."""


@dataclass(frozen=True)
class Saved:
    """One file."""

    name: str
    kind: str
    size: int
    changed: datetime

    @property
    def size_text(self) -> str:
        """The size as people write it."""
        size = float(self.size)
        for unit in ("B", "kB", "MB"):
            if size < 1000:
                digits = 0 if unit == "B" or size >= 100 else 1
                return f"{size:.{digits}f}\u00a0{unit}"
            size /= 1000
        return f"{size:.1f}\u00a0GB"


@dataclass(frozen=True)
class Library:
    """A folder of saved things. A name is a plain file name in it, never a path."""

    folder: Path
    in_use: list[Callable[[], Collection[str]]] = field(default_factory=list, compare=False)
    """Functions that name the files in which something is being written now."""

    def files(self) -> list[Saved]:
        """Everything in the folder that we know, the newest first."""
        if not self.folder.is_dir():
            return []
        found = []
        for path in sorted(self.folder.iterdir())[: 10 * MAX_FILES]:
            if path.name.startswith(".") or path.suffix not in SUFFIXES or not path.is_file():
                continue
            status = path.stat()
            changed = datetime.fromtimestamp(status.st_mtime)
            found.append(Saved(path.name, _kind(path), status.st_size, changed))
        return sorted(found, key=lambda saved: saved.changed, reverse=True)[:MAX_FILES]

    def path(self, name: str) -> Path:
        """The path of a file by its name; a name that leads elsewhere is refused."""
        plain = name == Path(name).name and not any(c in name for c in "/\\\0")
        if not plain or not name or name.startswith(".") or len(name) > 120:
            raise UsageError("A file's name has no slashes and at most 120 letters.")
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def new_path(self, name: str) -> Path:
        """The path of a new file, `.rb` where no suffix is given; a taken name is refused."""
        name = name.strip()
        path = self.path(name if Path(name).suffix in SUFFIXES else f"{name}.rb" if name else "")
        if path.exists():
            raise UsageError(f"There is a {path.name} already; take another name.")
        return path

    def rename(self, old: str, new: str) -> str:
        """Give a file another name with the same suffix; returns the new name."""
        source = self._known(old)
        target = self.new_path(new if Path(new).suffix == source.suffix else new + source.suffix)
        source.rename(target)
        return target.name

    def delete(self, name: str) -> None:
        """Remove a file."""
        self._known(name).unlink()

    def _known(self, name: str) -> Path:
        path = self.path(name)
        if path.suffix not in SUFFIXES or not path.is_file():
            raise UsageError(f"There is no {name} any more.")
        if any(name in find() for find in self.in_use):
            raise UsageError(f"{name} is in use; wait for what is being played, or stop it first.")
        return path

    def free_name(self, stem: str, suffix: str = ".rb") -> str:
        """A name beginning with `stem` that is not taken."""
        number, name = 1, f"{stem}{suffix}"
        while (self.folder / name).exists():
            number += 1
            name = f"{stem}-{number}{suffix}"
        return name


def _says_omaha(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return (
                re.search(rb"""^\s*game\s*=\s*["']omaha["']""", file.read(MAX_HEAD), re.M)
                is not None
            )
    except OSError:
        return False


def _kind(path: Path) -> str:
    known = SUFFIXES[path.suffix]
    if known:
        return OMAHA if known == "spot" and _says_omaha(path) else known
    try:
        return file_kind(path)
    except RiverboatError:
        return "damaged"
