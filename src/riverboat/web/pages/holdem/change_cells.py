"""Differences as cells of a grid and of tables, in one scale of two colours around none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riverboat.cards.combos import CLASS_NAMES
from riverboat.drawing.html import signed
from riverboat.web.pages.holdem.class_grid import GridCell, short

if TYPE_CHECKING:
    from riverboat.holdem.spots.node_comparison import Difference, NodeComparison, SideFigures

FIGURES = {"ev": "EV", "equity": "Equity", "weight": "Weight"}
"""What cells can show besides the actions: its name in the address, and in words."""
FAINTEST, STRONGEST = 8, 80
MIN_PART = 0.005
"""Below this part of the largest difference no shade is drawn."""
ROUNDING = 1e-9
NO_SIDES = "– → –"


@dataclass(frozen=True)
class ChangeCell:
    """A figure on both sides and its change, in words, with the shade of the change."""

    change: str
    sides: str
    shade: str  # Classes of the style sheet; empty for none


@dataclass(frozen=True)
class ChangeRow:
    """A line of a table."""

    name: str
    cells: list[ChangeCell]


@dataclass(frozen=True)
class ChangeGrid:
    """The 169 classes by how much a figure differs."""

    cells: list[GridCell]
    most: str  # The largest difference, at both ends of the scale
    one_sided: bool  # Whether some classes are there on one side alone


def change_grid(compared: NodeComparison, figure: str) -> ChangeGrid:
    """The grid of a figure, "ev", "equity", "weight" or an action."""
    rows = {row.name: row for row in compared.classes()}
    most = largest(list(rows.values()), figure)
    cells = []
    for name in CLASS_NAMES:
        row = rows.get(name)
        if row is None:
            words = f"{name}: reaches neither node"
            cells.append(GridCell(name, words, empty=True))
            continue
        value = difference(row, figure)
        if math.isnan(value):
            cells.append(GridCell(name, _missing(row, figure), figure="·", mark="one-side"))
            continue
        heat, mark = shade(value, most)
        text = short(value) if figure in ("ev", "weight") else signed(100 * value, 0)
        text = text if value and heat else "0"
        words = f"{name}: {change_words(value, figure)}, {sides_words(row, figure)}"
        cells.append(GridCell(name, words, figure=text, heat=heat, mark=mark))
    alone = any(math.isnan(difference(row, figure)) for row in rows.values())
    return ChangeGrid(cells, change_words(most, figure).lstrip("+"), alone)


def change_rows(rows: Sequence[Difference], columns: Sequence[str]) -> list[ChangeRow]:
    """Lines of a table; each column has a scale of its own."""
    most = {figure: largest(rows, figure) for figure in columns}
    return [
        ChangeRow(row.name, [_cell(row, figure, most[figure]) for figure in columns])
        for row in rows
    ]


def difference(row: Difference, figure: str) -> float:
    """The change of a figure or of an action's frequency; NaN where there is none."""
    if figure in FIGURES:
        return float(getattr(row, figure))
    return row.strategy.get(figure, math.nan)


def largest(rows: Sequence[Difference], figure: str) -> float:
    """The largest difference of some rows, whatever its sign."""
    values = (abs(difference(row, figure)) for row in rows)
    return max((value for value in values if not math.isnan(value)), default=0.0)


def shade(value: float, most: float) -> tuple[int | None, str]:
    """Per cent of a colour, and which: more or less. None where there is no difference to see."""
    if most <= ROUNDING or abs(value) < MIN_PART * most:
        return None, "same"
    heat = FAINTEST + round((STRONGEST - FAINTEST) * abs(value) / most)
    return heat, "more" if value > 0 else "less"


def change_words(value: float, figure: str) -> str:
    """A difference as people write it; none has no sign."""
    digits, scale = (2, 1) if figure == "ev" else (1, 1 if figure == "weight" else 100)
    words = f"{0:.{digits}f}" if not round(scale * value, digits) else signed(scale * value, digits)
    return words if scale == 1 else f"{words}\u00a0%"


def sides_words(row: Difference, figure: str) -> str:
    """The figure on both sides: "12.30 → 14.10"."""
    return f"{_side(row.first, figure)} → {_side(row.second, figure)}"


def _side(side: SideFigures | None, figure: str) -> str:
    value = math.nan
    if side is not None:
        whole = figure in FIGURES
        value = getattr(side, figure) if whole else (side.strategy or {}).get(figure, math.nan)
    if math.isnan(value):
        return "–"
    digits, scale = (2, 1) if figure == "ev" else (1, 1 if figure == "weight" else 100)
    words = f"{scale * value:z.{digits}f}".replace("-", "−")
    return words if scale == 1 else f"{words}\u00a0%"


def _cell(row: Difference, figure: str, most: float) -> ChangeCell:
    value, sides = difference(row, figure), sides_words(row, figure)
    if math.isnan(value):
        return ChangeCell("", "" if sides == NO_SIDES else sides, "")
    heat, mark = shade(value, most)
    tint = "" if heat is None else f"heat p{heat} {mark}"
    return ChangeCell(change_words(value, figure), sides_words(row, figure), tint)


def _missing(row: Difference, figure: str) -> str:
    """Why a class has no difference."""
    if row.first is None or row.second is None:
        which = "second" if row.first is None else "first"
        return f"{row.name}: in the {which} alone"
    return f"{row.name}: nothing to compare, {sides_words(row, figure)}"
