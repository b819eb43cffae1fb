"""Runs the cells of a lesson as a notebook would: one namespace, the last value is shown."""

from __future__ import annotations

import ast
import contextlib
import io
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from riverboat.errors import RiverboatError
from riverboat.lessons.lesson_texts import Cell, Lesson

__all__ = ["CellOutput", "Desk", "run_lesson"]


@dataclass(frozen=True)
class CellOutput:
    """What a cell gave."""

    printed: str
    value: Any = None
    """The value of its last line, where that is an expression."""
    error: str = ""
    """Why it stopped, in one line; empty if it ran to its end."""


class Desk:
    """A namespace in which cells run one after the other."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, cell: Cell) -> CellOutput:
        """Run a cell; whatever goes wrong is told, not raised, except Ctrl-C."""
        printed, value, error = io.StringIO(), None, ""
        with contextlib.redirect_stdout(printed):
            try:
                value = self._run(cell.code)
            except RiverboatError as mistake:
                error = str(mistake)
            except Exception as mistake:
                error = traceback.format_exception_only(mistake)[-1].strip()
        return CellOutput(printed.getvalue(), value, error)

    def _run(self, code: str) -> Any:
        tree = ast.parse(code, "<lesson>")
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            exec(compile(tree, "<lesson>", "exec"), self.names)
            return None
        tree.body.pop()
        exec(compile(tree, "<lesson>", "exec"), self.names)
        return eval(compile(ast.Expression(last.value), "<lesson>", "eval"), self.names)


def run_lesson(lesson: Lesson | Iterable[Cell]) -> dict[str, Any]:
    """All names that the cells leave behind; an error of a cell is raised."""
    desk = Desk()
    cells = lesson.cells if isinstance(lesson, Lesson) else list(lesson)
    for cell in cells:
        with contextlib.redirect_stdout(io.StringIO()):
            desk._run(cell.code)
    return desk.names
