"""HTML as text: elements, small tables for notebooks, and pages that are files of their own.

Whatever is not Markup is escaped: a name such as `<script>` is shown, never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

from riverboat.drawing.palette import SERIES

LEFT, RIGHT = "text-align:left;padding:1px 8px", "text-align:right;padding:1px 8px"
_VOID = {"input", "br", "img", "meta", "use", "path", "polyline", "rect", "circle", "line"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> str:
        """For template engines: this needs no escaping."""
        return self


Cell: TypeAlias = str | int | float | Markup


def join(*parts: object) -> Markup:
    """The parts one after the other, escaped where they are not Markup; None is left out."""
    return Markup("".join(map(_text, parts)))


def _text(part: object) -> str:
    if part is None:
        return ""
    if isinstance(part, Markup):
        return part
    if isinstance(part, (list, tuple)):
        return "".join(map(_text, part))
    return escape(str(part))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element of HTML or SVG.

    `cls` is its class, `aria_label` its aria-label. True is an attribute without a value; None and
    False leave one out.
    """
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        label = "class" if key == "cls" else key.rstrip("_").replace("_", "-")
        words.append(label if value is True else f'{label}="{escape(str(value))}"')
    inside = " ".join(words)
    if name in _VOID:
        return Markup(f"<{inside} />")
    return Markup(f"<{inside}>{join(*children)}</{name}>")


def signed(value: float, digits: int = 4) -> str:
    """A number with its sign, the minus as long as the plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}".replace("-", "−")  # no −0


def page(title: str, *body: object, style: str = "") -> str:
    """A document of its own; `style` is CSS."""
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(f"\n{style.strip()}\n")) if style else None,
    ]
    html = tag("html", tag("head", head), "\n", tag("body", "\n", body, "\n"), lang="en")
    return f"<!doctype html>\n{html}\n"


def html_table(
    headings: Sequence[str], rows: Iterable[Sequence[Cell]], *, title: str = "", note: str = ""
) -> Markup:
    """A table with a title above it and a note below; numbers are aligned to the right."""
    names = [tag("th", text, style=LEFT) for text in headings]
    head = tag("thead", tag("tr", names)) if names else None
    body = tag("tbody", [tag("tr", [_cell(cell) for cell in row]) for row in rows])
    above = tag("div", tag("b", title)) if title else None
    below = tag("div", note, style="opacity:0.7") if note else None
    return tag("div", above, tag("table", head, body), below)


def facts_table(title: str, facts: Iterable[tuple[str, Cell]], *, note: str = "") -> Markup:
    """Names and their values, one line each."""
    rows = [
        (tag("b", name), cell if isinstance(cell, str) else _number(cell)) for name, cell in facts
    ]
    return html_table((), rows, title=title, note=note)


def bar(probability: float, label: str, colour: int = 0) -> Markup:
    """A probability as a bar with its name and percentage."""
    shade, width = SERIES[colour % len(SERIES)], max(0.0, min(1.0, probability)) * 60
    part = f"display:inline-block;width:{width:.0f}px;background:{shade}"
    whole = tag("span", Markup("&nbsp;"), style=part)
    frame = tag("span", whole, style="display:inline-block;width:60px;background:#8883")
    words = (f"{label} ", frame, f" {probability:.1%}")
    return tag("span", words, style="white-space:nowrap;margin-right:1em")


def _cell(cell: Cell) -> Markup:
    number = not isinstance(cell, str)
    return tag("td", _number(cell) if number else cell, style=RIGHT if number else LEFT)


def _number(cell: Cell) -> str:
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.6g}"
