"""The 169 classes of hands as a template draws them: `class_grid` in holdem/class_grid.html.

Colours are attributes of SVG, so that a page needs no inline style.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from riverboat.drawing.hand_grid import HandCell, HandGrid
from riverboat.drawing.html import signed
from riverboat.drawing.palette import ink_on

INK_SHARE = 0.25
"""From this share on a colour reaches under the letters of its cell."""
SAME = 0.95
"""From this share on a class is said to take one action always."""


@dataclass(frozen=True)
class Bar:
    """A part of a cell in the colour of an action; in per cent of the cell."""

    left: float
    width: float
    colour: str


@dataclass(frozen=True)
class GridCell:
    """One class of hands as it is drawn."""

    name: str
    words: str  # For people who do not see it
    bars: tuple[Bar, ...] = ()
    top: float = 0.0  # Per cent of the cell above the bars
    ink: str = ""  # "light" or "dark" letters where colours are behind them
    figure: str = ""
    heat: int | None = None  # Per cent of the strongest shade
    empty: bool = False
    mark: str = ""  # "locked", or "locked in-part" where some hands of the class are


def action_cells(grid: HandGrid) -> list[GridCell]:
    """Actions side by side, filled from below by how much of the class is there."""
    return [_action_cell(grid, cell) for cell in grid.cells]


def _action_cell(grid: HandGrid, cell: HandCell) -> GridCell:
    words = cell_words(grid, cell)
    if not cell.shares or cell.fill <= 1e-6:
        return GridCell(cell.name, words, empty=True)
    bars, left = [], 0.0
    for share, colour in zip(cell.shares.values(), grid.colours, strict=True):
        if share >= 0.0005:
            bars.append(Bar(round(100 * left, 1), round(100 * share, 1), colour))
        left += share
    most = max(cell.shares.values())
    return GridCell(
        cell.name,
        words,
        tuple(bars),
        round(100 - 100 * min(1.0, cell.fill), 1),
        _ink(grid, cell),
        f"{100 * most:.0f}" if most < SAME else "",
    )


def _ink(grid: HandGrid, cell: HandCell) -> str:
    """Letters that can be read on all colours behind them, where the cell is filled."""
    if cell.fill < 0.5:
        return ""
    pairs = zip(grid.colours, cell.shares.values(), strict=True)
    dark = any(ink_on(colour) == "#ffffff" for colour, share in pairs if share > INK_SHARE)
    return "light" if dark else "dark"


def value_cells(grid: HandGrid) -> list[GridCell]:
    """The EV of each class as a shade and a figure."""
    known = [cell.ev for cell in grid.cells if not math.isnan(cell.ev) and cell.fill > 0]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    cells = []
    for cell in grid.cells:
        words = cell_words(grid, cell)
        if cell.fill <= 0:
            cells.append(GridCell(cell.name, words, empty=True))
        elif math.isnan(cell.ev):
            cells.append(GridCell(cell.name, words, figure="?"))
        else:
            share = (cell.ev - low) / ((high - low) or 1.0)
            cells.append(
                GridCell(cell.name, words, figure=short(cell.ev), heat=8 + round(72 * share))
            )
    return cells


def cell_words(grid: HandGrid, cell: HandCell) -> str:
    """A class in words: "AKs: fold 0%, all-in 100%, EV +1.78"."""
    if cell.fill <= 0 or not cell.shares:
        return f"{cell.name}: does not get here, or too seldom to be trained"
    pairs = zip(grid.labels, cell.shares.values(), strict=True)
    words = ", ".join(f"{label} {share:.0%}" for label, share in pairs)
    value = "" if math.isnan(cell.ev) else f", EV {signed(cell.ev, 2)}"
    return f"{cell.name}: {words}{value}"


def short(value: float) -> str:
    """A figure that fits a cell."""
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return signed(value, digits)
