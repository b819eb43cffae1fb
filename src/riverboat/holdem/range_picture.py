"""Hand grids with Matplotlib: a range, or what a strategy does with each class of hands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from riverboat.cards.combos import class_of_combos
from riverboat.cards.ranges import Range
from riverboat.drawing.figures import Picture, Theme, drawing, ink_on
from riverboat.drawing.hand_grid import HandCell, HandGrid, grid_of_range
from riverboat.errors import UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.walk import Decision, look
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.node_views import node_grid
from riverboat.holdem.spots.solved import SolvedSpot

SIDE = 13


def range_grid(hands: Any, *, title: str = "", theme: str = "light") -> Picture:
    """A range, or what a strategy does with each class of hands, as a grid.

    `hands` is a range or its text ("QQ+,AKs:0.5"), a blueprint (its first decision) or a point of
    it (`look`), a solved spot (its first node) or a node of it, or a HandGrid. A cell is filled as
    far as its hands are in the range; actions are side by side in it.
    """
    grid = _grid(hands)
    with drawing(theme, (6.6, 7.0)) as (figure, colours):
        axes = figure.add_subplot()
        axes.set(xlim=(0, SIDE), ylim=(SIDE, 0), title=title or grid.title)
        axes.set_aspect("equal")
        axes.set_axis_off()
        shades = grid.colours if grid.actions else (colours.colours[0],)
        for number, cell in enumerate(grid.cells):
            _cell(axes, number, cell, shades, colours)
        for shade, words in grid.legend():
            axes.add_patch(Rectangle((0, 0), 0, 0, color=shade, label=words))
        if grid.actions:
            columns = min(4, len(grid.actions))
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=columns)
        return figure


def _grid(hands: Any) -> HandGrid:
    if isinstance(hands, str):
        hands = Range.parse(hands)
    if isinstance(hands, Range):
        name = f"{hands.num_combos:,.6g} combos, {hands.share:.1%} of hands"
        every = np.ones(len(hands.weights), np.bool_)
        return grid_of_range(name, hands.weights, every, class_of_combos())
    if isinstance(hands, Path):
        from riverboat.strategies.kinds import load

        hands = load(hands)
    if isinstance(hands, Blueprint):
        hands = look(hands)
    if isinstance(hands, Decision):
        hands = hands.grid
    if isinstance(hands, SolvedSpot):
        hands = hands.at()
    if isinstance(hands, SpotCursor):
        hands = node_grid(hands)
    if not isinstance(hands, HandGrid):
        raise UsageError(
            f"{type(hands).__name__} is no range, no hold'em blueprint and no solved spot."
        )
    return hands


def _cell(axes: Axes, number: int, cell: HandCell, shades: Sequence[str], colours: Theme) -> None:
    """One cell; a class without known actions has one colour."""
    x, y, fill = number % SIDE, number // SIDE, min(1.0, cell.fill)
    axes.add_patch(Rectangle((x, y), 0.96, 0.96, color=colours.neutral, lw=0))
    left, widest = float(x), (0.0, "")
    parts = list(cell.shares.values()) or [1.0] * (len(shades) == 1)
    for part, shade in zip(parts, shades, strict=False):
        if part > 0 and fill > 0:
            width = 0.96 * part / sum(parts)
            axes.add_patch(
                Rectangle((left, y + 0.96 * (1 - fill)), width, 0.96 * fill, color=shade, lw=0)
            )
            left += width
            widest = max(widest, (width, shade))
    # The name goes where there is one colour behind it.
    inside = fill > 0.5 and widest[1]
    ink = ink_on(widest[1]) if inside else colours.ink if fill > 0 else colours.faint
    height = 0.5 if fill in (0.0, 1.0) else 0.74 if inside else 0.24
    axes.text(x + 0.48, y + height, cell.name, ha="center", va="center", fontsize=8, color=ink)
