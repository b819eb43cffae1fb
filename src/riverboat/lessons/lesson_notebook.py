"""A lesson as a Jupyter notebook: the same text and cells, in the file format 4.5."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from riverboat.lessons.lesson_texts import Block, Cell, Lesson, Question
from riverboat.strategies.files import atomic_write

__all__ = ["notebook_of", "notebook_text", "write_notebook"]

LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
"""A link to another page, which a notebook has not beside it."""


def notebook_of(lesson: Lesson) -> dict[str, Any]:
    """The notebook as plain data."""
    head = f"# Lesson {lesson.number}. {lesson.title}"
    cells = [_markdown(head, 0)]
    cells += [_cell(block, number) for number, block in enumerate(lesson.blocks, start=1)]
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


def _cell(block: Block, number: int) -> dict[str, Any]:
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
