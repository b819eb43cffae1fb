"""SVG as text: its elements, and a small curve for pages and notebooks, without Matplotlib.

Larger pictures of curves are made by riverboat.pictures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from riverboat.drawing.html import Markup, tag


def svg(
    width: float,
    height: float,
    *children: object,
    title: str = "",
    paper: str = "",
    **attributes: object,
) -> Markup:
    """A whole picture. `title` is what a screen reader says, `paper` the colour behind it."""
    attributes.setdefault("font_family", "sans-serif")
    return tag(
        "svg",
        tag("title", title) if title else None,
        rect(0, 0, width, height, paper) if paper else None,
        children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        **_numbers(width=width, height=height),
        **attributes,
    )


def rect(
    x: float, y: float, width: float, height: float, fill: str, **attributes: object
) -> Markup:
    """A filled rectangle."""
    box = _numbers(x=x, y=y, width=width, height=height)
    return tag("rect", **box, fill=fill, **attributes)


def text(
    x: float, y: float, words: str, *, size: float = 12, bold: bool = False, **attributes: object
) -> Markup:
    """Words on one line; `y` is their base line."""
    position, weight = _numbers(x=x, y=y, font_size=size), "bold" if bold else None
    return tag("text", words, **position, font_weight=weight, **attributes)


def path(x1: float, y1: float, x2: float, y2: float, width: float, stroke: str) -> Markup:
    """A line that leaves and arrives horizontally, as the branches of a tree do."""
    bend = (x1 + x2) / 2
    points = [_number(v) for v in (x1, y1, bend, y1, bend, y2, x2, y2)]
    line = "M{},{} C{},{} {},{} {},{}".format(*points)
    return tag("path", d=line, fill="none", stroke=stroke, stroke_width=_number(width))


def curve_svg(
    points: Sequence[tuple[float, float]], *, width: int = 320, height: int = 96
) -> Markup:
    """One curve, both axes logarithmic, labelled with its highest, lowest and last value."""
    logs = [(math.log10(max(x, 1e-16)), math.log10(max(y, 1e-16))) for x, y in points]
    left, right = min(x for x, _ in logs), max(x for x, _ in logs)
    low, high = min(y for _, y in logs), max(y for _, y in logs)
    across, up = (width - 64) / ((right - left) or 1), (height - 24) / ((high - low) or 1)
    line = " ".join(f"{56 + (x - left) * across:.1f},{8 + (high - y) * up:.1f}" for x, y in logs)
    ink, last = "currentColor", f"{10**right:,.0f}"
    return svg(
        width,
        height,
        tag("polyline", points=line, fill="none", stroke=ink),
        text(0, 12, f"{10**high:.1e}", size=10, fill=ink),
        text(0, height - 14, f"{10**low:.1e}", size=10, fill=ink),
        text(width - 4, height - 2, last, size=10, text_anchor="end", fill=ink),
    )


def _numbers(**values: float) -> dict[str, str]:
    return {name: _number(value) for name, value in values.items()}


def _number(value: float) -> str:
    """At most two decimals, none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
