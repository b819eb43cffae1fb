"""The shapes of a picture that drawing/svg.py has written, for other formats to draw.

Only what our own grids, charts and trees consist of is known: `rect`, `text` and `path`, inside
`g` with a translation and pictures inside pictures. Other elements are refused, so that nothing is
left out unnoticed.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import NamedTuple

from riverboat.errors import ParameterError

_SPACE = "{http://www.w3.org/2000/svg}"
_NAMED = {"white": "#ffffff", "black": "#000000"}


class Rect(NamedTuple):
    """A filled rectangle; `stroke` is the colour of its frame, or nothing."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str
    stroke_width: float


class Words(NamedTuple):
    """One line of text; `y` is its base line, `stroke` the colour of a halo, or nothing."""

    x: float
    y: float
    words: str
    size: float
    bold: bool
    anchor: str  # start, middle or end
    fill: str
    stroke: str
    stroke_width: float


class Curve(NamedTuple):
    """A cubic Bézier curve without a filling."""

    points: tuple[tuple[float, float], ...]  # Four: the beginning, two controls, the end
    stroke: str
    stroke_width: float


Shape = Rect | Words | Curve


def read_svg(picture: str) -> tuple[float, float, list[Shape]]:
    """Width, height and shapes of a picture, in the order they are drawn; y grows downwards."""
    root = ET.fromstring(picture)
    width, height = (float(root.get(key, 0)) for key in ("width", "height"))
    return width, height, list(_shapes(root, 0.0, 0.0))


def _shapes(element: ET.Element, x: float, y: float) -> Iterator[Shape]:
    """The shapes inside an element, moved by (x, y)."""
    for child in element:
        name = child.tag.removeprefix(_SPACE)
        if name in ("g", "svg"):
            moved = re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\)", child.get("transform", ""))
            dx, dy = (float(moved[1]), float(moved[2])) if moved else (0.0, 0.0)
            yield from _shapes(child, x + dx, y + dy)
        elif name == "rect":
            left, top, wide, high = (_number(child, key) for key in ("x", "y", "width", "height"))
            yield Rect(x + left, y + top, wide, high, *_colours(child))
        elif name == "text":
            yield Words(
                x + _number(child, "x"),
                y + _number(child, "y"),
                child.text or "",
                _number(child, "font-size", 12),
                child.get("font-weight") == "bold",
                child.get("text-anchor", "start"),
                *_colours(child),
            )
        elif name == "path":
            numbers = [float(word) for word in re.findall(r"-?[\d.]+", child.get("d", ""))]
            points = tuple((x + a, y + b) for a, b in zip(numbers[::2], numbers[1::2], strict=True))
            yield Curve(points, *_colours(child)[1:])
        elif name != "title":
            raise ParameterError(
                f"Pictures are made of rectangles, words and curves, not {name!r}."
            )


def _colours(element: ET.Element) -> tuple[str, str, float]:
    """Filling, stroke (or nothing) and the stroke's width."""
    fill, stroke = element.get("fill", "black"), element.get("stroke", "")
    return _hex(fill), _hex(stroke), _number(element, "stroke-width", 1)


def _hex(colour: str) -> str:
    """A colour as #rrggbb; words other than black and white as they are."""
    if re.fullmatch(r"#[0-9a-fA-F]{3}", colour):
        return "#" + "".join(2 * digit for digit in colour[1:])
    return _NAMED.get(colour, colour)


def _number(element: ET.Element, key: str, default: float = 0.0) -> float:
    return float(element.get(key, default))
