"""Lessons as a page shows them: their Markdown as HTML, and what their cells gave.

Cells run one after the other in a thread of their own, because they share a namespace and what is
printed. A lesson is the same for every reader, so each cell runs once.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from riverboat.drawing.html import Markup
from riverboat.lessons.notebook import Desk
from riverboat.lessons.texts import Lesson, find_lesson

_LESSON = re.compile(r"^(\d\d)_\w+\.md$")


@dataclass(frozen=True)
class Shown:
    """What a cell gave."""

    printed: str
    value: str
    picture: bytes
    """SVG; empty where the cell draws nothing."""
    error: str


class LessonRuns:
    """The cells of all lessons, as far as readers have come."""

    def __init__(self) -> None:
        self.workers = ThreadPoolExecutor(1, thread_name_prefix="riverboat-lessons")
        self._desks: dict[int, Desk] = {}
        self._shown: dict[tuple[int, int], Shown] = {}

    def run(self, number: int, step: int) -> Shown | None:
        """What the cell of a step gave; in the worker, after the cells before it."""
        lesson = find_lesson(str(number))
        cells = [i for i, each in enumerate(lesson.steps) if each.cell is not None]
        for place in cells:
            if place <= step and (number, place) not in self._shown:
                self._shown[number, place] = self._one(lesson, place)
        if cells and cells[-1] <= step:
            self._desks.pop(number, None)  # nothing needs its names any more
        return self._shown.get((number, step))

    def _one(self, lesson: Lesson, place: int) -> Shown:
        cell = lesson.steps[place].cell
        assert cell is not None
        given = self._desks.setdefault(lesson.number, Desk()).run(cell)
        drawn = hasattr(given.value, "get_size_inches")
        picture = _svg(given.value) if drawn else b""
        value = "" if drawn or given.value is None else repr(given.value)
        return Shown(given.printed.rstrip(), value, picture, given.error)


def _svg(figure: Any) -> bytes:
    from riverboat.drawing.figures import picture_bytes

    return picture_bytes(figure, "svg")


@cache
def as_html(markdown: str) -> Markup:
    """A lesson's Markdown; a link to another lesson leads to its page."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(markdown)
    for token in tokens:
        for child in token.children or ():
            _turn(child)
    return Markup(reader.renderer.render(tokens, reader.options, {}))


def _turn(token: Token) -> None:
    if token.type == "link_open":
        found = _LESSON.match(str(token.attrs.get("href", "")))
        if found:
            token.attrs["href"] = f"/learn/{int(found[1])}"
