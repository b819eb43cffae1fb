"""A lesson as a Jupyter notebook (file format 4.5), and its cells run as a notebook runs them.

All cells share one namespace, and the last value of a cell is shown.
"""

from __future__ import annotations

import ast
import io
import json
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riverboat.errors import RiverboatError
from riverboat.lessons.texts import Cell, Explore, Lesson, Prose, Question
from riverboat.runtime.storage import atomic_write

LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
"""A link to another page, which does not lie next to a notebook."""


def notebook_of(lesson: Lesson) -> dict[str, Any]:
    """The notebook as plain data."""
    head = f"# Lesson {lesson.number}. {lesson.title}"
    cells = [_markdown(head, 0)]
    shown = [block for block in lesson.blocks if not isinstance(block, Explore)]
    cells += [_cell(block, number) for number, block in enumerate(shown, start=1)]
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "title": lesson.title,
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def notebook_text(lesson: Lesson) -> str:
    """The notebook as its file holds it."""
    return json.dumps(notebook_of(lesson), indent=1, ensure_ascii=False) + "\n"


def write_notebook(lesson: Lesson, path: str | Path) -> None:
    """Write it, whole or not at all."""
    atomic_write(path, notebook_text(lesson))


def _cell(block: Prose | Cell | Question, number: int) -> dict[str, Any]:
    if isinstance(block, Cell):
        return {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {},
            "outputs": [],
            "source": _lines(block.code),
        }
    if isinstance(block, Question):
        hidden = f"<details>\n<summary>Answer</summary>\n\n{block.answer}\n\n</details>"
        return _markdown(f"{block.ask}\n\n{hidden}", number)
    return _markdown(block.markdown, number)


def _markdown(text: str, number: int) -> dict[str, Any]:
    plain = LINK.sub(r"*\1*", text)
    return {
        "cell_type": "markdown",
        "id": f"text-{number}",
        "metadata": {},
        "source": _lines(plain),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@dataclass(frozen=True)
class CellOutput:
    """What a cell gave."""

    printed: str
    value: Any = None  # The value of its last line, where that is an expression
    error: str = ""  # Why it stopped, in one line; empty if it ran to its end


class Desk:
    """A namespace in which cells run one after the other.

    It has a `print` of its own. Standard output belongs to the whole process, and cells may run in
    a thread next to others that print.
    """

    def __init__(self) -> None:
        self._printed = io.StringIO()
        self.names: dict[str, Any] = {"__name__": "__main__", "print": self._print}

    def run(self, cell: Cell) -> CellOutput:
        """Run a cell; errors are part of its output and are not raised, except Ctrl-C."""
        self._printed, value, error = io.StringIO(), None, ""
        try:
            value = self._run(cell.code)
        except RiverboatError as mistake:
            error = str(mistake)
        except Exception as mistake:
            error = traceback.format_exception_only(mistake)[-1].strip()
        return CellOutput(self._printed.getvalue(), value, error)

    def _print(self, *values: object, file: Any = None, **options: Any) -> None:
        print(*values, file=self._printed if file is None else file, **options)

    def _run(self, code: str) -> Any:
        tree = ast.parse(code, "<lesson>")
        last = tree.body[-1] if tree.body else None
        if not isinstance(last, ast.Expr):
            exec(compile(tree, "<lesson>", "exec"), self.names)
            return None
        tree.body.pop()
        exec(compile(tree, "<lesson>", "exec"), self.names)
        return eval(compile(ast.Expression(last.value), "<lesson>", "eval"), self.names)
