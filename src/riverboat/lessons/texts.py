"""The lessons as they are written: Markdown files with cells of Python between the paragraphs.

A lesson is one file of texts/, in the form that MyST-NB reads:

    ---
    file_format: mystnb
    kernelspec: {name: python3, display_name: Python 3}
    minutes: 12
    promise: one line that says what the lesson shows
    ---
    # Lesson 2. Kuhn poker: why a jack bluffs

    Paragraphs, headings, tables.

    ```{code-cell} python
    import riverboat as rb
    ```

    % explore: NAME        (sliders, in the browser only; explorers.py has the names)

    **1.** A question?

    ```{dropdown} Answer
    Its answer.
    ```

The site executes the same files, `notebook` turns them into notebooks, and `riverboat learn` steps
through them. How far a reader has come is kept in lessons.json of the data folder, written whole
after every step; a damaged file counts as empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from riverboat.errors import FileFormatError, StorageError, UnknownNameError
from riverboat.runtime.storage import atomic_write, data_folder

FENCE = re.compile(r"^```\{(code-cell|dropdown)\}")
EXPLORE = re.compile(r"^% explore: ([\w-]+)$")
NAME = re.compile(r"^(\d\d)_(\w+)\.md$")
FRONT = ("minutes", "promise")
FORMAT = 1
MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Prose:
    """Some paragraphs of Markdown."""

    markdown: str


@dataclass(frozen=True)
class Cell:
    """Code that runs."""

    code: str


@dataclass(frozen=True)
class Question:
    """A question and its answer."""

    ask: str
    answer: str


@dataclass(frozen=True)
class Explore:
    """A place for sliders that move a picture."""

    name: str


Block = Prose | Cell | Question | Explore


@dataclass(frozen=True)
class Step:
    """What is shown at once in a terminal: some text, then perhaps a cell or an answer."""

    text: str
    cell: Cell | None = None
    answer: str = ""
    explore: str = ""


@dataclass(frozen=True)
class Lesson:
    """One lesson, taken apart."""

    number: int
    slug: str
    title: str
    minutes: int
    promise: str
    blocks: tuple[Block, ...]

    @property
    def cells(self) -> list[Cell]:
        return [block for block in self.blocks if isinstance(block, Cell)]

    @property
    def questions(self) -> list[Question]:
        return [block for block in self.blocks if isinstance(block, Question)]

    @property
    def steps(self) -> list[Step]:
        """A step ends after a cell, a question or sliders, and before a heading."""
        steps, text = [], ""
        for block in self.blocks:
            if isinstance(block, Prose):
                *before, text = _sections(f"{text}\n\n{block.markdown}".strip())
                steps += [Step(section) for section in before]
            elif isinstance(block, Cell):
                steps.append(Step(text, cell=block))
                text = ""
            elif isinstance(block, Explore):
                steps.append(Step(text, explore=block.name))
                text = ""
            else:
                steps.append(Step(f"{text}\n\n{block.ask}".strip(), answer=block.answer))
                text = ""
        return [*steps, Step(text)] if text else steps


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons in order."""
    lessons = []
    for file in resources.files("riverboat.lessons").joinpath("texts").iterdir():
        named = NAME.match(file.name)
        if named:
            lessons.append(parse(int(named[1]), named[2], file.read_text(encoding="utf-8")))
    return tuple(sorted(lessons, key=lambda lesson: lesson.number))


def find_lesson(wanted: str) -> Lesson:
    """A lesson by its number ("2") or its name ("kuhn")."""
    text = wanted.strip().lower()
    for lesson in lessons():
        if text.lstrip("0") == str(lesson.number) or text == lesson.slug:
            return lesson
    if text.isascii() and text.isdigit():
        raise UnknownNameError(f"There is no lesson {text[:9]}; they are 1 to {len(lessons())}.")
    raise UnknownNameError.among("lesson", wanted[:40], [lesson.slug for lesson in lessons()])


def parse(number: int, slug: str, text: str) -> Lesson:
    """Take a lesson apart."""
    front, body = _front(slug, text)
    blocks = tuple(_blocks(slug, body))
    first = blocks[0] if blocks else None
    if not isinstance(first, Prose) or not first.markdown.startswith("# "):
        raise FileFormatError(f"The lesson {slug!r} does not begin with its title.")
    heading, _, rest = first.markdown.partition("\n")
    title = re.sub(r"^# Lesson \d+\. ", "", heading)
    prose = (Prose(rest.strip()),) if rest.strip() else ()
    return Lesson(
        number, slug, title, int(front["minutes"]), front["promise"], (*prose, *blocks[1:])
    )


def _front(slug: str, text: str) -> tuple[dict[str, str], str]:
    """The fields at the top, and what follows them."""
    opening, _, rest = text.partition("---\n")
    head, closing, body = rest.partition("\n---\n")
    pairs = (line.partition(":")[::2] for line in head.splitlines())
    fields = {key.strip(): value.strip() for key, value in pairs}
    if opening or not closing or any(key not in fields for key in FRONT):
        raise FileFormatError(f"The lesson {slug!r} lacks its fields: {', '.join(FRONT)}.")
    return fields, body.strip() + "\n"


def _blocks(slug: str, body: str) -> Iterator[Block]:
    prose: list[str] = []
    lines = iter(body.splitlines())
    for line in lines:
        fence, explore = FENCE.match(line), EXPLORE.match(line)
        if explore:
            if before := "\n".join(prose).strip():
                yield Prose(before)
            yield Explore(explore[1])
            prose = []
            continue
        if not fence:
            prose.append(line)
            continue
        inside = []
        for inner in lines:
            if inner == "```":
                break
            inside.append(inner)
        else:
            raise FileFormatError(f"The lesson {slug!r} has a fence that does not end.")
        content, before = "\n".join(inside).strip(), "\n".join(prose).strip()
        prose = []
        if fence[1] == "dropdown":
            *texts, ask = _last_paragraph(before)
            yield from (Prose(text) for text in texts if text)
            yield Question(ask, content)
        else:
            if before:
                yield Prose(before)
            yield Cell(content)
    rest = "\n".join(prose).strip()
    if rest:
        yield Prose(rest)


def _last_paragraph(text: str) -> list[str]:
    """The text before a question, and the question: from its bold number on."""
    start = text.rfind("\n**")
    return ["", text] if start < 0 else [text[:start].strip(), text[start:].strip()]


def _sections(text: str) -> list[str]:
    """The text cut before each heading of the second level."""
    return [part.strip() for part in re.split(r"\n(?=## )", text)]


def default_progress() -> Path:
    """The file of the person at this machine."""
    return data_folder() / "lessons.json"


@dataclass(frozen=True)
class Place:
    """How far a lesson was read."""

    step: int = 0  # The step that comes next, from 0
    done: bool = False  # Whether it was read to its end once


class Progress:
    """The places in all lessons."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places = _read(path)

    def place(self, lesson: int) -> Place:
        return self._places.get(lesson, Place())

    def keep(self, lesson: int, place: Place) -> None:
        """Remember the place and write it to the file."""
        self._places[lesson] = place
        entries = {
            str(number): {"step": kept.step, "done": kept.done}
            for number, kept in sorted(self._places.items())
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise StorageError(f"Cannot write {self.path}: {reason}.") from error
        atomic_write(self.path, json.dumps({"format": FORMAT, "lessons": entries}) + "\n")


def _read(path: Path) -> dict[int, Place]:
    try:
        with path.open("rb") as stream:
            facts = json.loads(stream.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    entries = facts.get("lessons") if isinstance(facts, dict) else None
    if not isinstance(entries, dict) or facts.get("format") != FORMAT:
        return {}
    places = {}
    for number, entry in entries.items():
        step = entry.get("step") if isinstance(entry, dict) else None
        if not isinstance(step, int) or isinstance(step, bool) or step < 0:
            continue
        if number.isascii() and number.isdigit() and len(number) < 4:
            places[int(number)] = Place(step, entry.get("done") is True)
    return places
