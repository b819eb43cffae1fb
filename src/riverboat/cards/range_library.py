"""A library of named ranges: a folder of texts, such as `BTN/open 2.5`.

    library = RangeLibrary.of_user()
    library.save("BTN/open 2.5", Range.parse("22+,A2s+"))
    read_range("@BTN/open 2.5")

Each range is a text file of its own, `ranges/BTN/open 2.5.txt` in the folder for data, as other
programs keep them too. What is deleted or replaced is kept for a while and can be restored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from riverboat.cards.ranges import LONGEST_TEXT, Range, parse_range
from riverboat.errors import RiverboatError, UsageError
from riverboat.runtime.storage import atomic_write, data_folder, read_text

SIGN = "@"
"""What stands before the name of a saved range where a range is written."""
MAX_DEPTH = 4  # Folders and the range's own name
MAX_RANGES = 2000
MAX_DELETED = 100
"""Deleted ranges that can be restored; of more the oldest go."""
DELETED = ".deleted"
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,39}")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def is_saved_range(text: str) -> bool:
    """Whether a range's text names a saved one: "@BTN/open"."""
    return text.lstrip().startswith(SIGN)


def read_range(text: str, library: RangeLibrary | None = None) -> Range:
    """The range of a text: hands, or "@" and the name of a saved range."""
    if not is_saved_range(text):
        return Range.parse(text)
    return (library or RangeLibrary.of_user()).read(text.strip().removeprefix(SIGN))


def checked_name(name: str) -> str:
    """A name as it is kept, such as "BTN/open 2.5"; others are refused."""
    parts = [" ".join(part.split()) for part in name.strip().strip("/").split("/")]
    if not name.strip():
        raise UsageError("A range to be saved needs a name, such as BTN/open.")
    for part in parts:
        good = _PART.fullmatch(part) and not part.endswith(".") and not _RESERVED.fullmatch(part)
        if not good or len(parts) > MAX_DEPTH:
            raise UsageError(
                f"{name.strip()[:60]!r} is no name for a range: write letters, digits, blanks and"
                f" . _ + -, with folders before a slash, such as BTN/open ({MAX_DEPTH} at most)."
            )
    return "/".join(parts)


@dataclass(frozen=True)
class RangeLibrary:
    """A folder of saved ranges."""

    folder: Path

    @classmethod
    def of_user(cls) -> RangeLibrary:
        """That of the user, in the folder for data."""
        return cls(data_folder() / "ranges")

    def names(self) -> list[str]:
        """The names of all ranges, folder by folder."""
        found = []
        for path in self.folder.rglob("*.txt") if self.folder.is_dir() else ():
            name = path.relative_to(self.folder).with_suffix("").as_posix()
            if self._is_name(name) and path.is_file():
                found.append(name)
        return sorted(found, key=lambda name: (name.count("/") == 0, name.lower()))[:MAX_RANGES]

    def read(self, name: str) -> Range:
        """A saved range; refused where there is none, or its file holds none."""
        path = self._path(checked_name(name))
        if not path.is_file():
            raise UsageError(f"There is no saved range {checked_name(name)}.")
        text = read_text(path, LONGEST_TEXT)
        try:
            return parse_range(text)
        except RiverboatError as error:
            raise UsageError(f"The saved range {checked_name(name)} is damaged: {error}") from error

    def save(self, name: str, hands: Range, *, replace: bool = False) -> str:
        """Keep a range under a name, which is returned; a taken one is refused, unless replaced."""
        name = checked_name(name)
        path = self._path(name)
        if not hands.weights.any():
            raise UsageError("The range is empty; there is nothing to save.")
        if self._taken(name):
            if not replace:
                raise UsageError(f"There is a range {name} already; take another name.")
            self._set_aside(name)
        elif len(self.names()) >= MAX_RANGES:
            raise UsageError(f"The library has {MAX_RANGES:,} ranges; delete some first.")
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, f"{hands}\n")
        return name

    def rename(self, name: str, new: str) -> str:
        """Give a range another name or folder; the name as it is kept is returned."""
        source, new = self._known(name), checked_name(new)
        if new == checked_name(name):
            return new
        if self._taken(new) and not self._path(new).samefile(source):
            raise UsageError(f"There is a range {new} already; take another name.")
        self._path(new).parent.mkdir(parents=True, exist_ok=True)
        source.rename(self._path(new))
        self._tidy(source.parent)
        return new

    def delete(self, name: str) -> str:
        """Take a range away; `restore` brings it back. Its name is returned."""
        source, name = self._known(name), checked_name(name)
        self._set_aside(name)
        self._tidy(source.parent)
        return name

    def restore(self, name: str) -> str:
        """Bring back what was deleted or replaced last under a name."""
        name = checked_name(name)
        aside = self._aside(name)
        if not aside.is_file():
            raise UsageError(f"There is no deleted range {name} to bring back.")
        self._path(name).parent.mkdir(parents=True, exist_ok=True)
        if self._taken(name):  # the two change places
            newer = self._path(name).read_bytes()
            aside.replace(self._path(name))
            atomic_write(aside, newer)
        else:
            aside.replace(self._path(name))
        return name

    def _set_aside(self, name: str) -> None:
        aside = self._aside(name)
        aside.parent.mkdir(parents=True, exist_ok=True)
        self._path(name).replace(aside)
        aside.touch()
        old = sorted(aside.parent.glob("*.txt"), key=lambda path: path.stat().st_mtime_ns)
        for path in old[:-MAX_DELETED]:
            path.unlink(missing_ok=True)

    def _tidy(self, folder: Path) -> None:
        """Remove folders that have become empty."""
        while folder != self.folder and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent

    def _known(self, name: str) -> Path:
        path = self._path(checked_name(name))
        if not path.is_file():
            raise UsageError(f"There is no saved range {checked_name(name)} any more.")
        return path

    def _taken(self, name: str) -> bool:
        return self._path(name).exists()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.txt"

    def _aside(self, name: str) -> Path:
        return self.folder / DELETED / f"{name.replace('/', '~')}.txt"

    @staticmethod
    def _is_name(name: str) -> bool:
        try:
            return checked_name(name) == name
        except UsageError:
            return False
