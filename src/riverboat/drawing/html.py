"""How objects show themselves in a notebook: small tables of HTML, without scripts or styles.

Rows and headings are plain text and are escaped here; `bar` and `Markup` make the exceptions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

__all__ = ["Cell", "Markup", "bar", "facts_table", "html_table"]

COLOURS = ("#2a9d8f", "#e76f51", "#e9c46a", "#457b9d", "#9b5de5", "#00b4d8")
LEFT, RIGHT = "text-align:left;padding:1px 8px", "text-align:right;padding:1px 8px"


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Cell: TypeAlias = str | int | float | Markup


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, title: str = "", note: str = ""
) -> str:
    """A table with a title above and a note below; numbers stand to the right."""
    names = "".join(f"<th style='{LEFT}'>{escape(text)}</th>" for text in headings)
    head = f"<thead><tr>{names}</tr></thead>" if names else ""
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    table = f"<table>{head}<tbody>{body}</tbody></table>"
    above = f"<div><b>{escape(title)}</b></div>" if title else ""
    below = f"<div style='opacity:0.7'>{escape(note)}</div>" if note else ""
    return f"<div>{above}{table}{below}</div>"


def facts_table(title: str, facts: Iterable[tuple[str, Cell]], *, note: str = "") -> str:
    """Names and what they stand for, a line each."""
    rows = [
        (Markup(f"<b>{escape(name)}</b>"), cell if isinstance(cell, str) else _number(cell))
        for name, cell in facts
    ]
    return html_table((), rows, title=title, note=note)


def bar(probability: float, label: str, colour: int = 0) -> Markup:
    """A probability as a bar with its name and percentage."""
    shade, width = COLOURS[colour % len(COLOURS)], max(0.0, min(1.0, probability)) * 60
    return Markup(
        f"<span style='white-space:nowrap;margin-right:1em'>{escape(label)} "
        f"<span style='display:inline-block;width:60px;background:#8883'>"
        f"<span style='display:inline-block;width:{width:.0f}px;background:{shade}'>&nbsp;</span>"
        f"</span> {probability:.1%}</span>"
    )


def _cell(cell: Cell) -> str:
    if isinstance(cell, Markup):
        return f"<td style='{LEFT}'>{cell}</td>"
    if isinstance(cell, str):
        return f"<td style='{LEFT}'>{escape(cell)}</td>"
    return f"<td style='{RIGHT}'>{_number(cell)}</td>"


def _number(cell: int | float) -> str:
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.6g}"
