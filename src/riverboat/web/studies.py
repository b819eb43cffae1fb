"""Studies of the library: read, changed one at a time, and the chapter that an address opens."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

from riverboat.arena.study import SUFFIX, Chapter, Study, checked_title
from riverboat.errors import RiverboatError, StorageError, UsageError
from riverboat.web.app.library import MAX_FILES, Library

MAX_NAME = 60
CHANGED = "This study has been changed meanwhile, so nothing was done; look at it again."


@dataclass(frozen=True)
class KeptStudy:
    """A study of the library. One that cannot be read has a problem and no chapters."""

    name: str
    study: Study
    changed: datetime
    problem: str = ""

    @property
    def version(self) -> str:
        """A text that is another one after each change."""
        return hashlib.sha256(self.study.format().encode()).hexdigest()[:16]

    @property
    def address(self) -> str:
        return f"/studies/{quote(self.name, safe='')}"


@dataclass(frozen=True)
class OpenChapter:
    """The chapter that a page shows, with its neighbours."""

    kept: KeptStudy
    number: int

    @property
    def chapter(self) -> Chapter:
        return self.kept.study.chapter(self.number)

    @property
    def reference(self) -> str:
        """How addresses name it: "3bet/2"."""
        return f"{self.kept.name}/{self.number}"

    @property
    def address(self) -> str:
        return f"{self.kept.address}/{self.number}"

    @property
    def previous(self) -> str:
        return f"{self.kept.address}/{self.number - 1}" if self.number > 1 else ""

    @property
    def next(self) -> str:
        last = self.number >= len(self.kept.study)
        return "" if last else f"{self.kept.address}/{self.number + 1}"

    @property
    def page(self) -> str:
        """The address that the chapter opens; the page there shows title and note."""
        path, _, query = self.chapter.address.partition("?")
        pairs = [(key, value) for key, value in parse_qsl(query) if key != "chapter"]
        return f"{path}?{urlencode([*pairs, ('chapter', self.reference)])}"


class Studies:
    """The studies of a library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The names of all studies, the one changed last first."""
        folder = self.library.folder
        found = [path for path in folder.glob(f"*{SUFFIX}") if not path.name.startswith(".")]
        times = {path: path.stat().st_mtime for path in found if path.is_file()}
        newest = sorted(times, key=lambda path: (-times[path], path.name))
        return [path.name.removesuffix(SUFFIX) for path in newest[:MAX_FILES]]

    def all(self) -> list[KeptStudy]:
        """All studies, the one changed last first; files that are damaged are among them."""
        return [self._kept(name) for name in self.names()]

    def find(self, name: str) -> KeptStudy | None:
        """A study by its name; None where there is none."""
        try:
            kept = self._kept(name)
        except UsageError:
            return None
        return kept if self._path(name).is_file() else None

    def opened(self, reference: str) -> OpenChapter | None:
        """The chapter of an address ("3bet/2"); None where there is none."""
        name, _, number = reference.rpartition("/")
        if not (number.isascii() and number.isdecimal() and len(number) < 6):
            return None
        kept = self.find(name)
        if kept is None or not 1 <= int(number) <= len(kept.study):
            return None
        return OpenChapter(kept, int(number))

    def create(self, name: str, study: Study | None = None) -> str:
        """Keep a new study, empty or an imported one, under a name that is not taken."""
        name = self._checked(name)
        with self._lock:
            path = self._path(name)
            if path.exists():
                raise UsageError(f"There is a study {name} already; take another name.")
            (study or Study()).save(path)
        return name

    def add(self, name: str, chapter: Chapter) -> OpenChapter:
        """Put a chapter at the end of a study, which is begun where there is none of that name."""
        name = self._checked(name)
        with self._lock:
            path = self._path(name)
            study = Study.load(path) if path.exists() else Study()
            study.with_chapter(chapter).save(path)
            kept = self._kept(name)
        return OpenChapter(kept, len(kept.study))

    def change(self, name: str, version: str, work: Callable[[Study], Study]) -> None:
        """Change a study as it was seen; one that has been changed since is left alone."""
        with self._lock:
            kept = self._kept(name)
            if kept.problem:
                raise UsageError(kept.problem)
            if kept.version != version:
                raise UsageError(CHANGED)
            work(kept.study).save(self._path(name))

    def rename(self, name: str, new: str) -> str:
        """Give a study another name, which is returned."""
        new = self._checked(new)
        with self._lock:
            if new != name:
                if self._path(new).exists():
                    raise UsageError(f"There is a study {new} already; take another name.")
                self.library.rename(name + SUFFIX, new + SUFFIX)
        return new

    def delete(self, name: str) -> None:
        """Delete a study for good."""
        with self._lock:
            self.library.delete(name + SUFFIX)

    def _checked(self, name: str) -> str:
        if not name.strip():
            raise UsageError("Write a name.")
        plain = checked_title(name).removesuffix(SUFFIX)
        if len(plain) > MAX_NAME:
            raise UsageError(f"A name has at most {MAX_NAME} letters, not {len(plain)}.")
        self._path(plain)
        return plain

    def _path(self, name: str) -> Path:
        try:
            return self.library.path(name + SUFFIX)
        except UsageError:
            raise UsageError("A name has no slashes and does not begin with a dot.") from None

    def _kept(self, name: str) -> KeptStudy:
        path = self._path(name)
        study, problem, changed = Study(), "", 0.0
        try:
            changed = path.stat().st_mtime
            study = Study.load(path)
        except OSError:
            problem = "There is no such study."
        except (RiverboatError, StorageError) as error:
            problem = str(error).replace(str(path), name)
        return KeptStudy(name, study, datetime.fromtimestamp(changed), problem)
