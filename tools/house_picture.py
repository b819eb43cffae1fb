"""The picture of the house for docs/design.md: `python tools/house.py --svg FILE`.

Each layer is a row, each room a box as wide as its number of lines, each folder inside it a line
of text with its doors. An arrow is a room that imports another, as thick as the number of imports.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from textwrap import wrap

from house import CORE, FLOOR, OUTSIDE, PRODUCTS, SCREENS, House

WIDTH, MARGIN, GAP, BETWEEN = 1120, 16, 8, 56
LINE, HEAD = 15, 40
MIN_WIDTH = 108
LAYERS = (
    ("the screens", SCREENS, "#8a5a83"),
    ("the outside", OUTSIDE, "#a8743a"),
    ("the products", PRODUCTS, "#3a7d6f"),
    ("the core, left to right", CORE, "#3f6a9c"),
    ("the floor", FLOOR, "#6b7280"),
)
MIN_ARROW = 12
"""Imports below which an arrow is left out: the picture shows the main traffic."""


def draw_house(house: House) -> str:
    """Return the SVG."""
    boxes: dict[str, tuple[float, float, float, float]] = {}
    parts: list[str] = []
    top = float(MARGIN)
    for title, rooms, colour in LAYERS:
        widths = _widths([_size(house, room) for room in rooms])
        rows = [_lines(house, room, width) for room, width in zip(rooms, widths, strict=True)]
        height = HEAD + LINE * max(map(len, rows)) + 6
        parts.append(_text(MARGIN, top + 12, title, size=12, fill="#6b7280"))
        left = float(MARGIN)
        for room, width, lines in zip(rooms, widths, rows, strict=True):
            boxes[room] = (left, top + 20, width, height)
            parts.append(_box(house, room, boxes[room], lines, colour))
            left += width + GAP
        top += height + 20 + BETWEEN
    arrows = "".join(_arrows(house, boxes))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {WIDTH} {top - BETWEEN + MARGIN:.0f}" font-family="system-ui, sans-serif">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#94a3b8"/></marker></defs>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{arrows}{"".join(parts)}</svg>\n'
    )


def _size(house: House, room: str) -> int:
    return sum(n for module, n in house.lines.items() if module.split(".")[0] == room)


def _widths(sizes: list[int]) -> list[float]:
    """Widths in proportion to the sizes, none below what its text needs."""
    room = WIDTH - 2 * MARGIN - GAP * (len(sizes) - 1)
    free = room - MIN_WIDTH * len(sizes)
    return [MIN_WIDTH + free * size / sum(sizes) for size in sizes]


def _lines(house: House, room: str, width: float) -> list[str]:
    """The folders of a room with their doors, wrapped to the width of its box."""
    found: list[str] = []
    for folder, doors in sorted(house.doors.items()):
        if folder.split(".")[0] == room:
            name = folder.removeprefix(room).removeprefix(".")
            text = " ".join([f"{name}:" if doors else name, *doors] if name else doors)
            found += wrap(text, int((width - 12) / 5.4), subsequent_indent="   ")
    return found


def _box(
    house: House, room: str, box: tuple[float, float, float, float], lines: list[str], colour: str
) -> str:
    x, y, width, height = box
    modules = sum(module.split(".")[0] == room for module in house.lines)
    facts = f"{_size(house, room):,} lines, {modules} files"
    frame = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6"'
    return (
        f'<rect {frame} fill="#ffffff"/>'
        f'<rect {frame} fill="{colour}" fill-opacity="0.1" stroke="{colour}"/>'
        + _text(x + 8, y + 17, room, size=14, fill=colour, bold=True)
        + _text(x + 8, y + 31, facts, size=10, fill="#6b7280")
        + "".join(
            _text(x + 8, y + HEAD + LINE * k + 8, line, size=10) for k, line in enumerate(lines)
        )
    )


def _arrows(house: House, boxes: dict[str, tuple[float, float, float, float]]) -> list[str]:
    traffic: Counter[tuple[str, str]] = Counter()
    for a, b in house.imports:
        pair = a.split(".")[0], b.split(".")[0]
        if pair[0] != pair[1] and pair[0] in boxes and pair[1] in boxes:
            traffic[pair] += 1
    drawn = []
    for (a, b), count in sorted(traffic.items()):
        (ax, ay, aw, ah), (bx, by, bw, _) = boxes[a], boxes[b]
        if count < MIN_ARROW or by <= ay:
            continue
        start, end = (ax + aw / 2, ay + ah), (bx + bw / 2, by)
        bend = (end[1] - start[1]) / 2
        drawn.append(
            f'<path d="M{start[0]:.0f} {start[1]:.0f}C{start[0]:.0f} {start[1] + bend:.0f} '
            f'{end[0]:.0f} {end[1] - bend:.0f} {end[0]:.0f} {end[1] - 3:.0f}" fill="none" '
            f'stroke="#94a3b8" stroke-opacity="0.6" stroke-width="{min(count / 14, 9):.1f}" '
            f'marker-end="url(#tip)"><title>{a} → {b}: {count} imports</title></path>'
        )
    return drawn


def _text(
    x: float, y: float, words: str, *, size: int, fill: str = "#1f2937", bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}"{weight}'
    return f'<text {place} xml:space="preserve">{escape(words)}</text>'
