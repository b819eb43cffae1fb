"""Pictures of a search tree's top and of a memory's coverage, as lines of text and SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from riverboat.blackjack.charts import UPS
from riverboat.drawing.html import Markup, tag
from riverboat.drawing.palette import mixed
from riverboat.drawing.svg import path, rect, svg, text
from riverboat.evaluation.estimates import Z95

ROWS = (
    *(f"hard {total}" for total in range(5, 22)),
    *(f"soft {total}" for total in range(13, 22)),
    *(f"{card},{card}" for card in "23456789TA"),
)
"""Rows of a coverage chart: hard and soft totals, then pairs that may be split."""
INK, PAPER, FRAME, GOOD, FAINT = "#1c2430", "#ffffff", "#c3ccd8", "#1b7f4b", "#6b7686"
BAR = "#9ec5f4"
ACTION_COLOURS = {"S": "#c4433a", "H": "#2e7d32", "D": "#1967c1", "P": "#8e44ad", "I": "#787878"}


@dataclass(frozen=True)
class TreeNode:
    """An action or a hand of the tree; figures that do not apply are nan."""

    label: str
    visits: int
    value: float
    stderr: float = math.nan
    ucb: float = math.nan
    exact: float = math.nan
    best: bool = False
    children: tuple[TreeNode, ...] = ()


@dataclass(frozen=True)
class CoverageCell:
    """What is known of the hands of a row against an up card."""

    row: str
    up: str
    visits: float
    states: int
    best: str  # The best action's letter by most visits, or nothing
    probability: float  # Of the states known


def _figures(node: TreeNode) -> list[str]:
    parts = [f"{node.visits:,}" if node.visits else "", _signed(node.value)]
    if node.stderr == node.stderr:
        parts.append(f"± {Z95 * node.stderr:.4f}")
    if node.ucb == node.ucb:
        parts.append(f"ucb {node.ucb:+z.3f}")
    if node.exact == node.exact:
        parts.append(f"exact {node.exact:+z.5f}")
    return parts


def _signed(value: float) -> str:
    return f"{value:+z.5f}" if value == value else "–"


def tree_lines(root: TreeNode) -> Iterator[str]:
    """The tree with branches drawn in characters; a bar shows the share of visits."""
    yield f"{root.label}   value {_signed(root.value)}"
    yield f"   {'':<27}{'visits':>10}{'value':>10}{'± 95 %':>9}{'ucb':>8}{'exact':>10}"
    for i, action in enumerate(root.children):
        last = i == len(root.children) - 1
        share = action.visits / max(1, sum(child.visits for child in root.children))
        bar = ("█" * round(10 * share)).ljust(10, "·")
        mark = " ◀" if action.best else ""
        yield f"{'└' if last else '├'}─ {action.label:<12}{bar}     {_columns(action)}{mark}"
        stem = "   " if last else "│  "
        for j, child in enumerate(action.children):
            branch = "└" if j == len(action.children) - 1 else "├"
            yield f"{stem}{branch}─ {child.label:<24}{_columns(child)}".rstrip()


def _columns(node: TreeNode) -> str:
    visits = f"{node.visits:,}" if node.visits else ""
    error = f"{Z95 * node.stderr:.4f}" if node.stderr == node.stderr else ""
    ucb = f"{node.ucb:+z.3f}" if node.ucb == node.ucb else ""
    exact = f"{node.exact:+z.5f}" if node.exact == node.exact else ""
    return f"{visits:>10}{_signed(node.value):>10}{error:>9}{ucb:>8}{exact:>10}"


def tree_svg(root: TreeNode, title: str) -> Markup:
    """The tree from left to right: the hand, its actions, the hands one card on."""
    row, top = 24, 54
    heights = [max(2, len(action.children)) * row + 14 for action in root.children]
    height = top + sum(heights) + 16
    middle = top + sum(heights) / 2
    most = max((action.visits for action in root.children), default=1) or 1
    parts = [_text(16, 28, title, size=16, bold=True)]
    parts.append(_box(16, middle - 22, 130, 44, GOOD))
    parts.append(_text(26, middle - 4, root.label, bold=True))
    parts.append(_text(26, middle + 13, f"value {_signed(root.value)}", size=11))
    y = float(top)
    for action, tall in zip(root.children, heights, strict=True):
        centre = y + tall / 2 - 7
        width = 1 + 7 * math.sqrt(action.visits / most)
        colour = GOOD if action.best else FRAME
        parts.append(path(146, middle, 210, centre, width, colour))
        parts.append(_box(210, centre - 22, 330, 44, colour))
        parts.append(rect(211, centre + 14, 328 * action.visits / most, 7, BAR))
        parts.append(_text(220, centre - 6, action.label, bold=True))
        visits, value, *rest = _figures(action)
        parts.append(_text(300, centre - 6, f"{visits or 0} visits   {value}"))
        parts.append(_text(220, centre + 10, "   ".join(rest), size=11, fill=FAINT))
        for j, child in enumerate(action.children):
            at = y + j * row + row / 2
            share = 1 + 3 * math.sqrt(child.visits / max(1, action.visits))
            parts.append(path(540, centre, 590, at, share, FRAME))
            visits, value, *rest = _figures(child)
            parts.append(_text(596, at + 4, child.label, size=12))
            parts.append(_text(830, at + 4, visits, size=12, text_anchor="end"))
            parts.append(_text(910, at + 4, value, size=12, text_anchor="end"))
        y += tall
    return svg(930, height, parts, paper=PAPER)


def _level(visits: float) -> int:
    """0 unknown, then one level for each factor of ten, 5 from 10,000 visits on."""
    return 0 if visits <= 0 else min(5, 1 + int(math.log10(max(1.0, visits))))


def coverage_lines(cells: Sequence[CoverageCell]) -> Iterator[str]:
    """A row for each total: the best action, small where little is known, a dot for nothing."""
    known = {(cell.row, cell.up): cell for cell in cells}
    columns = UPS[1:] + UPS[0]
    yield " " * 9 + "".join(f"{up:>5}" for up in columns)
    for row in ROWS:
        texts = []
        for up in columns:
            cell = known.get((row, up))
            texts.append(f"{cell.best}{_level(cell.visits)}" if cell and cell.best else "·")
        yield f"{row:<9}" + "".join(f"{text:>5}" for text in texts)
    yield ""
    total = sum(cell.probability for cell in cells)
    states = sum(cell.states for cell in cells)
    yield "letter: the best action known; digit: 1 below 10 visits … 5 from 10,000 on"
    yield f"{states:,} states, which come up {100 * total:.1f} times in 100 deals, hits included"


def coverage_svg(cells: Sequence[CoverageCell], title: str) -> Markup:
    """A chart: the letter and hue are the best action, the strength is how well it is known."""
    known = {(cell.row, cell.up): cell for cell in cells}
    columns, wide, tall, left, top = UPS[1:] + UPS[0], 46, 20, 86, 70
    parts = [_text(16, 28, title, size=16, bold=True)]
    parts.append(
        _text(16, 46, "letter: best action; strength: visits, 1 to 10,000 and more", size=11)
    )
    for x, up in enumerate(columns):
        parts.append(_text(left + x * wide + wide / 2, top - 6, up, text_anchor="middle"))
    for y, row in enumerate(ROWS):
        at = top + y * tall + (8 if y >= 17 else 0) + (8 if y >= 26 else 0)
        parts.append(_text(left - 8, at + 14, row, size=12, text_anchor="end"))
        for x, up in enumerate(columns):
            cell = known.get((row, up))
            level = _level(cell.visits) if cell and cell.best else 0
            hue = ACTION_COLOURS.get(cell.best if cell else "", FAINT)
            fill = mixed(PAPER, hue, level / 5) if level else "#f1f3f6"
            parts.append(rect(left + x * wide, at, wide - 2, tall - 2, fill))
            if cell and level:
                middle, ink = left + x * wide + wide / 2 - 1, PAPER if level > 2 else INK
                style = {"size": 12, "text_anchor": "middle", "fill": ink}
                words = _text(middle, at + 14, cell.best, **style)
                tip = f"{row} against {up}: {cell.visits:,.0f} visits"
                parts.append(tag("g", tag("title", tip), words))
    height = top + tall * len(ROWS) + 32
    return svg(left + wide * 10 + 16, height, parts, paper=PAPER)


def _text(x: float, y: float, words: str, **attributes: Any) -> Markup:
    """Words in the picture's ink; blanks between figures are kept."""
    style: dict[str, Any] = {"size": 13, "fill": INK, "style": "white-space:pre"} | attributes
    return text(x, y, words, **style)


def _box(x: float, y: float, width: float, height: float, colour: str) -> Markup:
    return rect(x, y, width, height, PAPER, rx=6, stroke=colour, stroke_width=2)
