"""A study: chapters in an order. A chapter is a page of the browser with a title and a note.

    study = Study((Chapter("The flop", "/holdem/spots/5f1d?node=r:0", "Aces bet here."),))
    study.save("3bet.study")
    Study.load("3bet.study").chapter(1).note

The file is TOML, so that it can be read and written by hand:

    riverboat = "study"
    version = 1

    [[chapter]]
    title = "The flop"
    address = "/holdem/spots/5f1d?node=r:0"
    note = "Aces bet here."

An address is the path and query of a page: a solved spot, a strategy, or a step of a lesson. Other
addresses are refused, because a study may come from a stranger.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from riverboat.errors import FileFormatError, UsageError
from riverboat.runtime.storage import atomic_write, parse_toml, read_text

SUFFIX = ".study"
VERSION = 1
MAX_CHAPTERS = 200
MAX_TITLE = 80
MAX_NOTE = 4_000
MAX_ADDRESS = 4_000
MAX_BYTES = 2_000_000
PLACES = {
    "spot": re.compile(r"/holdem/spots/[A-Za-z0-9_-]{1,64}"),
    "strategy": re.compile(r"/solve/(?:strategy/[^/\\]{1,400}|run/[A-Za-z0-9_-]{1,64}/\d{1,3})"),
    "lesson": re.compile(r"/learn/[a-z0-9_-]{1,40}/\d{1,3}"),
}
"""Pages that a chapter can open."""
_QUERY = re.compile(r"[!$%&'()*+,\-./0-9:;=@A-Z_a-z~]*")


def checked_title(text: str) -> str:
    """A title on one line; refused where it is empty, too long or has control characters."""
    title = " ".join(text.split())
    if not title:
        raise UsageError("Write a title.")
    if len(title) > MAX_TITLE:
        raise UsageError(f"A title has at most {MAX_TITLE} letters, not {len(title)}.")
    _check_letters(title, "A title")
    return title


def checked_note(text: str) -> str:
    """A note with plain ends of lines; refused where it is too long or has control characters."""
    note = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(note) > MAX_NOTE:
        raise UsageError(f"A note has at most {MAX_NOTE:,} letters, not {len(note):,}.")
    _check_letters(note, "A note")
    return note


def checked_address(text: str) -> str:
    """The address of a page that a chapter can open."""
    path, _, query = text.partition("?")
    plain = text.isascii() and text.isprintable() and len(text) <= MAX_ADDRESS
    if not plain or place_kind(path) == "" or not _QUERY.fullmatch(query):
        raise UsageError(
            "A chapter opens a solved spot, a strategy or a step of a lesson, such as"
            " /holdem/spots/NAME?node=r:0."
        )
    return text


def place_kind(address: str) -> str:
    """Which of PLACES an address leads to; empty for none."""
    path = address.partition("?")[0]
    return next((kind for kind, form in PLACES.items() if form.fullmatch(path)), "")


def _check_letters(text: str, what: str) -> None:
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in text):
        raise UsageError(f"{what} has no control characters.")


@dataclass(frozen=True)
class Chapter:
    """A page with a title and a note."""

    title: str
    address: str
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", checked_title(self.title))
        object.__setattr__(self, "address", checked_address(self.address))
        object.__setattr__(self, "note", checked_note(self.note))

    @property
    def kind(self) -> str:
        """What it opens: "spot", "strategy" or "lesson"."""
        return place_kind(self.address)

    def as_dict(self) -> dict[str, Any]:
        return {"title": self.title, "address": self.address, "note": self.note}


@dataclass(frozen=True)
class Study:
    """Chapters in an order; they are numbered from 1."""

    chapters: tuple[Chapter, ...] = ()

    def __post_init__(self) -> None:
        if len(self.chapters) > MAX_CHAPTERS:
            raise UsageError(f"A study has at most {MAX_CHAPTERS} chapters.")

    def __len__(self) -> int:
        return len(self.chapters)

    def chapter(self, number: int) -> Chapter:
        """A chapter by its number."""
        if not 1 <= number <= len(self.chapters):
            count = len(self.chapters)
            has = f"1 to {count}" if count > 1 else "chapter 1 only" if count else "no chapters yet"
            raise UsageError(f"There is no chapter {number}; this study has {has}.")
        return self.chapters[number - 1]

    def with_chapter(self, chapter: Chapter) -> Self:
        """The study with one more chapter at its end."""
        return replace(self, chapters=(*self.chapters, chapter))

    def changed(self, number: int, **changes: str) -> Self:
        """The study with a chapter that has another title, address or note."""
        chapter = replace(self.chapter(number), **changes)
        return replace(
            self, chapters=(*self.chapters[: number - 1], chapter, *self.chapters[number:])
        )

    def without(self, number: int) -> Self:
        """The study without a chapter."""
        self.chapter(number)
        return replace(self, chapters=self.chapters[: number - 1] + self.chapters[number:])

    def moved(self, number: int, to: int) -> Self:
        """The study with a chapter at another number; beyond the ends it stays at the end."""
        chapter, rest = self.chapter(number), list(self.without(number).chapters)
        rest.insert(min(max(to, 1), len(self.chapters)) - 1, chapter)
        return replace(self, chapters=tuple(rest))

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return {"chapters": [chapter.as_dict() for chapter in self.chapters]}

    def format(self) -> str:
        """The text that `parse` reads back to the same study."""
        lines = ['riverboat = "study"', f"version = {VERSION}"]
        for chapter in self.chapters:
            lines += ["", "[[chapter]]"]
            lines += [f"{key} = {_toml_text(text)}" for key, text in chapter.as_dict().items()]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str, what: str = "The study") -> Self:
        """A study from its text; `what` names it in the sentence that refuses another text."""
        data = parse_toml(text, what)
        if data.get("riverboat") != "study":
            raise FileFormatError(
                f'{what} is no study: it does not begin with riverboat = "study".'
            )
        if data.get("version") != VERSION:
            raise FileFormatError(f"{what} is of another version; this one reads {VERSION}.")
        rows = data.get("chapter", [])
        others = sorted(data.keys() - {"riverboat", "version", "chapter"})
        if others or not isinstance(rows, list):
            name = others[0] if others else "chapter"
            raise FileFormatError(f"{what} cannot be read: {name[:40]!r} is not expected there.")
        if len(rows) > MAX_CHAPTERS:
            raise FileFormatError(f"{what} has more than {MAX_CHAPTERS} chapters.")
        return cls(tuple(_chapter(row, f"{what}, chapter {i}") for i, row in enumerate(rows, 1)))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The study in a file."""
        return cls.parse(read_text(path, MAX_BYTES), str(path))

    def save(self, path: str | Path) -> None:
        """Write the study, whole or not at all."""
        atomic_write(path, self.format())


def _toml_text(text: str) -> str:
    """A text as TOML writes it; JSON's escapes are TOML's too."""
    if "\n" not in text:
        return json.dumps(text, ensure_ascii=False)
    lines = [json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n")]
    return '"""\n' + "\n".join(lines) + '"""'


def _chapter(row: object, where: str) -> Chapter:
    if not isinstance(row, Mapping):
        raise FileFormatError(f"{where}: a chapter has title, address and note.")
    others = sorted(row.keys() - {"title", "address", "note"})
    if others:
        raise FileFormatError(f"{where}: {str(others[0])[:40]!r} is not expected there.")
    texts = {key: row.get(key, "") for key in ("title", "address", "note")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise FileFormatError(f"{where}: the {key} is no text.")
    try:
        return Chapter(**texts)
    except UsageError as error:
        raise FileFormatError(f"{where}: {error}") from error
