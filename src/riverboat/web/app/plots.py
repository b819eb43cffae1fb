"""Curves as SVG, drawn by the server: linear or logarithmic axes, a legend, a dash per curve.

Colours are Okabe and Ito's, and each curve has its own dash, so that colour need not be seen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from riverboat.drawing.html import Markup, tag
from riverboat.drawing.palette import ink_on
from riverboat.web.app.colours import COLOURS

_DASHES = (None, "7 4", "2 3", "9 3 2 3")
LEFT, RIGHT, BOTTOM, ROW = 62, 14, 40, 18
"""Pixels for the labels of the axes, and of a row of the legend."""
NUM_TICKS = 5
MAX_POINTS = 400
"""Points of a curve that are drawn; a screen shows no more."""


@dataclass(frozen=True)
class Curve:
    """A named line through points."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class MarkedPoint:
    """A point that is marked, with words next to it; `strong` for the one that is looked at."""

    x: float
    y: float
    words: str = ""
    strong: bool = False


@dataclass(frozen=True)
class _Axis:
    """Values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    days: bool = False  # Values are the numbers of days, date.toordinal()

    def at(self, value: float) -> float:
        low, high, here = (
            (math.log10(v) for v in (self.low, self.high, max(value, self.low)))
            if self.log
            else (self.low, self.high, value)
        )
        return self.start + (here - low) / ((high - low) or 1) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Values with their labels."""
        if self.days:
            begin, end = math.ceil(self.low), math.floor(self.high)
            days = range(begin, end + 1, max(1, math.ceil((end - begin) / NUM_TICKS)))
            return [(day, f"{date.fromordinal(day):%d %b}") for day in days]
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            stride = max(1, math.ceil((last - first) / NUM_TICKS))
            powers = [10.0**n for n in range(first, last + 1, stride)]
            return [(p, _power(p)) for p in powers if self.low <= p <= self.high]
        size = (self.high - self.low) / NUM_TICKS
        unit = 10 ** math.floor(math.log10(size)) if size > 0 else 1.0
        step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= size * 0.999)
        start = math.ceil(self.low / step - 1e-9)
        count = math.floor((self.high - start * step) / step + 1e-9)
        return [((start + n) * step, f"{(start + n) * step:,.10g}") for n in range(count + 1)]


def _power(value: float) -> str:
    """A power of ten as people write it: 1,000 up to a million, then 1e7."""
    if 1 <= value < 1e6:
        return f"{value:,.0f}"
    return f"{value:g}" if 1e-3 <= value < 1 else f"1e{round(math.log10(value))}"


def _limits(values: Sequence[float], log: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    if log:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high) - 1e-12)
        return 10.0**first, 10.0 ** max(last, first + 1)
    room = 0.05 * ((high - low) or abs(high) or 1)
    return low - room, high + room


def line_plot(
    curves: Sequence[Curve],
    *,
    x: str,
    y: str,
    log_x: bool = False,
    log_y: bool = False,
    x_limits: tuple[float, float] | None = None,
    y_limits: tuple[float, float] | None = None,
    levels: Mapping[str, float] | None = None,
    days: bool = False,
    marked: Sequence[MarkedPoint] = (),
    width: int = 640,
    height: int = 320,
) -> Markup:
    """Draw curves over common axes.

    Parameters
    ----------
    curves
        Those without a point appear in the legend alone.
    x, y
        What the axes show.
    log_x, log_y
        Logarithmic axes; points that have no logarithm are left out.
    x_limits, y_limits
        Ends of the axes, where not those of the points.
    levels
        Name → height of horizontal lines.
    days
        The values of x are days, as date.toordinal() numbers them; each point has a dot.
    marked
        Points that are marked.
    width, height
        In pixels of its own; the page scales the picture.
    """
    drawn = [_thinned(_positive(curve.points, log_x, log_y)) for curve in curves]
    points = [point for some in drawn for point in some]
    heights = [p[1] for p in points] + [v for v in (levels or {}).values() if v > 0 or not log_y]
    if not points and (x_limits is None or y_limits is None):
        return Markup("")
    rows = _legend_rows(curves, width)
    top = 8 + ROW * rows
    low, high = x_limits or _limits([p[0] for p in points], log_x)
    if days and x_limits is None:
        low, high = min(p[0] for p in points) - 0.5, max(p[0] for p in points) + 0.5
    across = _Axis(low, high, LEFT, width - RIGHT, log_x, days)
    low, high = y_limits or _limits(heights, log_y)
    up = _Axis(low, high, height - BOTTOM, top, log_y)
    lines = [
        tag(
            "polyline",
            points=" ".join(f"{across.at(px):.1f},{up.at(py):.1f}" for px, py in some),
            fill="none",
            stroke=COLOURS[i % len(COLOURS)],
            stroke_width=2.5,
            stroke_linejoin="round",
            stroke_dasharray=_DASHES[i % len(_DASHES)],
        )
        for i, some in enumerate(drawn)
        if some
    ]
    dots = [
        tag("circle", cx=f"{across.at(px):.1f}", cy=f"{up.at(py):.1f}", r=3.5,
            fill=COLOURS[i % len(COLOURS)])
        for i, some in enumerate(drawn if days else ())
        for px, py in some
    ]  # fmt: skip
    data = {
        "x": [across.low, across.high, across.start, across.end, log_x],
        "names": [curve.name for curve in curves],
        "points": [[[float(f"{v:.5g}") for v in point] for point in some] for some in drawn],
    }
    return tag(
        "svg",
        tag("title", f"{y} over {x}: {', '.join(curve.name for curve in curves)}"),
        _grid(across, up, x, y, width, height, top),
        _levels(levels or {}, up, width),
        lines,
        dots,
        _marked(marked, across, up, width),
        _legend(curves, width),
        viewBox=f"0 0 {width} {height}",
        role="img",
        cls="plot",
        data_curves=json.dumps(data, separators=(",", ":")),
    )


def band_plot(
    places: Sequence[float],
    bands: Sequence[tuple[str, Sequence[float], Sequence[float]]],
    *,
    x: str,
    y: str,
    width: int = 640,
    height: int = 320,
) -> Markup:
    """Draw bands (name, lower and upper edge by place), the widest first, one over the other.

    A band without width is a line.
    """
    edges = [value for _, low, high in bands for value in (*low, *high)]
    names = [Curve(name, ()) for name, _, _ in bands]
    top = 8 + ROW * _legend_rows(names, width)
    across = _Axis(min(places), max(places), LEFT, width - RIGHT, False)
    up = _Axis(*_limits(edges, False), height - BOTTOM, top, False)

    def points(values: Sequence[float]) -> list[str]:
        return [f"{across.at(a):.1f},{up.at(b):.1f}" for a, b in zip(places, values, strict=True)]

    shapes, legend = [], []
    for i, ((name, low, high), (left, row)) in enumerate(
        zip(bands, _places(names, width), strict=True)
    ):
        line = list(low) == list(high)
        at = 12 + ROW * row
        if line:
            stroke = {"stroke": COLOURS[1], "stroke_width": 2.5}
            shapes.append(tag("polyline", points=" ".join(points(low)), fill="none", **stroke))
            legend.append(tag("line", x1=left, x2=left + 26, y1=at, y2=at, **stroke))
        else:
            fill = {"fill": COLOURS[0], "fill_opacity": f"{0.2 + 0.18 * i:.2f}"}
            outline = " ".join([*points(low), *reversed(points(high))])
            shapes.append(tag("polygon", points=outline, **fill))
            legend.append(tag("rect", x=left, y=at - 6, width=26, height=12, **fill))
        legend.append(tag("text", name, x=left + 32, y=at, dy="0.32em"))
    return tag(
        "svg",
        tag("title", f"{y} over {x}: {', '.join(name for name, _, _ in bands)}"),
        _grid(across, up, x, y, width, height, top),
        shapes,
        legend,
        viewBox=f"0 0 {width} {height}",
        role="img",
        cls="plot",
    )


@dataclass(frozen=True)
class Dot:
    """A point of a scatter, with what it says and where it leads."""

    x: float
    y: float
    name: str  # Of what it stands for
    words: str
    address: str
    series: str
    picked: bool = False


def scatter_plot(
    dots: Sequence[Dot],
    series: Sequence[str],
    *,
    x: str,
    y: str,
    width: int = 520,
    height: int = 340,
) -> Markup:
    """Draw points as links, with a shape and a colour for each series; nothing without a point."""
    drawn = [dot for dot in dots if math.isfinite(dot.x) and math.isfinite(dot.y)]
    if not drawn:
        return Markup("")
    legend = [Curve(name, ()) for name in series]
    top = 8 + ROW * _legend_rows(legend, width)
    across = _Axis(*_limits([dot.x for dot in drawn], False), LEFT, width - RIGHT, False)
    up = _Axis(*_limits([dot.y for dot in drawn], False), height - BOTTOM, top, False)
    marks = [
        tag(
            "a",
            tag("title", dot.words),
            _mark(across.at(dot.x), up.at(dot.y), series.index(dot.series), 5),
            href=dot.address,
            aria_label=dot.words,
            data_dot=dot.name,
            cls="dot-link picked" if dot.picked else "dot-link",
        )
        for dot in sorted(drawn, key=lambda dot: dot.picked)
    ]
    names = [
        (
            _mark(left + 14, 12 + ROW * row, i, 5),
            tag("text", name, x=left + 32, y=12 + ROW * row, dy="0.32em"),
        )
        for i, (name, (left, row)) in enumerate(zip(series, _places(legend, width), strict=True))
    ]
    return tag(
        "svg",
        tag("title", f"{y} over {x}, a point for each board"),
        _grid(across, up, x, y, width, height, top),
        marks,
        names,
        viewBox=f"0 0 {width} {height}",
        role="group",
        cls="plot scatter",
    )


def _mark(x: float, y: float, number: int, size: float) -> Markup:
    """The shape of a series at a point, in its colour."""
    near, far = 0.8 * size, 1.25 * size
    arcs = "".join(f"a{size},{size} 0 1 0 {wide},0" for wide in (2 * size, -2 * size))
    outline = (
        f"M{x - size:.1f},{y:.1f}{arcs}z",
        f"M{x - near:.1f},{y - near:.1f}h{2 * near}v{2 * near}h{-2 * near}z",
        f"M{x:.1f},{y - far:.1f}l{far},{2 * far}h{-2 * far}z",
        f"M{x:.1f},{y - far:.1f}l{far},{far}l{-far},{far}l{-far},{-far}z",
    )[number % 4]
    return tag("path", d=outline, fill=COLOURS[number % len(COLOURS)])


@dataclass(frozen=True)
class SharesBar:
    """A bar whose parts are shares of one whole."""

    name: str
    shares: Sequence[float]
    note: str = ""


BAR, GAP = 22, 12
"""Pixels of a bar, and between two."""


def shares_plot(
    bars: Sequence[SharesBar], parts: Sequence[tuple[str, str]], *, title: str, width: int = 520
) -> Markup:
    """Draw bars from left to right, one below the other; `parts` are name and colour of each."""
    legend = [Curve(name, ()) for name, _ in parts]
    top = 12 + ROW * _legend_rows(legend, width)
    left = 16 + round(7.2 * max((len(bar.name) for bar in bars), default=0))
    across = _Axis(0.0, 1.0, left, width - 52, False)
    drawn: list[object] = []
    for row, bar in enumerate(bars):
        y, done = top + row * (BAR + GAP), 0.0
        drawn.append(
            tag("text", bar.name, x=left - 8, y=y + BAR / 2, dy="0.32em", text_anchor="end")
        )
        for (name, colour), share in zip(parts, bar.shares, strict=True):
            if share > 0:
                start, end = across.at(done), across.at(min(1.0, done + share))
                size = {"width": f"{max(0.0, end - start):.1f}", "height": BAR}
                drawn.append(
                    tag(
                        "g",
                        tag("title", f"{bar.name}: {name} {share:.1%}"),
                        tag("rect", x=f"{start:.1f}", y=y, fill=colour, **size),
                    )
                )
            if share >= 0.12:
                middle = f"{(across.at(done) + across.at(done + share)) / 2:.1f}"
                words = tag(
                    "text", f"{share:.0%}", x=middle, y=y + BAR / 2, dy="0.32em",
                    text_anchor="middle", fill=ink_on(colour), cls="on-bar",
                )  # fmt: skip
                drawn.append(words)
            done += share
        drawn.append(tag("text", bar.note, x=width - 46, y=y + BAR / 2, dy="0.32em"))
    for (name, colour), (at, row) in zip(parts, _places(legend, width), strict=True):
        y = 12 + ROW * row
        drawn.append(tag("rect", x=at, y=y - 6, width=26, height=12, fill=colour))
        drawn.append(tag("text", name, x=at + 32, y=y, dy="0.32em"))
    height = top + len(bars) * (BAR + GAP)
    return tag(
        "svg",
        tag("title", title),
        tag("g", drawn, cls="plot-axes"),
        viewBox=f"0 0 {width} {height}",
        role="img",
        cls="plot bars",
    )


def _positive(
    points: Sequence[tuple[float, float]], log_x: bool, log_y: bool
) -> list[tuple[float, float]]:
    return [
        (x, y)
        for x, y in points
        if math.isfinite(x) and math.isfinite(y) and (x > 0 or not log_x) and (y > 0 or not log_y)
    ]


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    step = max(1, math.ceil(len(points) / MAX_POINTS))
    return points[::step] + (points[-1:] if (len(points) - 1) % step else [])


def _grid(across: _Axis, up: _Axis, x: str, y: str, width: int, height: int, top: int) -> Markup:
    foot, parts = height - BOTTOM, []
    for value, label in across.ticks():
        at = f"{across.at(value):.1f}"
        parts.append(tag("line", x1=at, x2=at, y1=top, y2=foot, cls="plot-line"))
        # A label at the right end would leave the picture.
        anchor = "end" if across.at(value) + 4 * len(label) > width else "middle"
        end = f"{width - 1}" if anchor == "end" else at
        parts.append(tag("text", label, x=end, y=foot + 15, text_anchor=anchor))
    for value, label in up.ticks():
        at = f"{up.at(value):.1f}"
        parts.append(tag("line", x1=LEFT, x2=width - RIGHT, y1=at, y2=at, cls="plot-line"))
        parts.append(tag("text", label, x=LEFT - 7, y=at, dy="0.32em", text_anchor="end"))
    middle = (LEFT + width - RIGHT) / 2
    parts.append(tag("text", x, x=f"{middle:.0f}", y=height - 6, text_anchor="middle"))
    centre = f"{(top + foot) / 2:.0f}"
    turned = f"rotate(-90 12 {centre})"
    parts.append(tag("text", y, x=12, y=centre, text_anchor="middle", transform=turned))
    return tag("g", parts, cls="plot-axes")


def _levels(levels: Mapping[str, float], up: _Axis, width: int) -> list[Markup]:
    parts = []
    for name, value in levels.items():
        if not up.low <= value <= up.high:
            continue
        at = up.at(value)
        ends = {"x1": LEFT, "x2": width - RIGHT, "y1": f"{at:.1f}", "y2": f"{at:.1f}"}
        parts.append(tag("line", **ends, cls="plot-level"))
        parts.append(tag("text", name, x=LEFT + 6, y=f"{at - 5:.1f}"))
    return parts


def _marked(points: Sequence[MarkedPoint], across: _Axis, up: _Axis, width: int) -> list[Markup]:
    """Circles, and the words of some; the strong one lies above the others."""
    parts = []
    for dot in sorted(points, key=lambda point: point.strong):
        x, y = across.at(dot.x), up.at(dot.y)
        look = {"fill": COLOURS[1], "r": 8} if dot.strong else {"fill": COLOURS[0], "r": 5}
        parts.append(tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", cls="plot-dot", **look))
        if dot.words:
            end = x > width / 2
            place = {"x": f"{x - 11 if end else x + 11:.1f}", "y": f"{y:.1f}", "dy": "0.32em"}
            parts.append(tag("text", dot.words, text_anchor="end" if end else "start", **place))
    return parts


def _entry_width(name: str) -> int:
    return 44 + 8 * len(name)


def _places(curves: Sequence[Curve], width: int) -> list[tuple[int, int]]:
    """Left end and row of each entry of the legend."""
    found, left, row = [], LEFT, 0
    for curve in curves:
        if left > LEFT and left + _entry_width(curve.name) > width:
            left, row = LEFT, row + 1
        found.append((left, row))
        left += _entry_width(curve.name)
    return found


def _legend_rows(curves: Sequence[Curve], width: int) -> int:
    return 1 + max((row for _, row in _places(curves, width)), default=0)


def _legend(curves: Sequence[Curve], width: int) -> list[Markup]:
    parts = []
    for i, (curve, (left, row)) in enumerate(zip(curves, _places(curves, width), strict=True)):
        y = 12 + ROW * row
        dash = _DASHES[i % len(_DASHES)]
        line = {"x1": left, "x2": left + 26, "y1": y, "y2": y, "stroke_dasharray": dash}
        parts.append(tag("line", **line, stroke=COLOURS[i % len(COLOURS)], stroke_width=2.5))
        parts.append(tag("text", curve.name, x=left + 32, y=y, dy="0.32em"))
    return parts
