"""Ranges and what is done with them, as the 13 × 13 grid players know: pairs on the diagonal,
suited hands above it, others below.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from riverboat.cards.combos import CLASS_NAMES
from riverboat.cards.ranges import Range
from riverboat.drawing.hand_grid import RangeGrid
from riverboat.errors import UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.walk import Decision, look
from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.reading.node_views import NodeGrid, node_grid
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.pictures.figures import Picture, Theme, drawing, ink_on

SIDE = 13


def range_grid(hands: Any, *, title: str = "", theme: str = "light") -> Picture:
    """A range, or what a strategy does with each kind of hand, as a grid.

    `hands` is a range or its text ("QQ+,AKs:0.5"), a blueprint (its first decision) or a point of
    it (`look`), a solved spot (its first node) or a node of it. A cell is filled as far as its
    hands are in the range; actions stand side by side in it.
    """
    if isinstance(hands, str):
        hands = Range.parse(hands)
    if isinstance(hands, Range):
        name = f"{hands.num_combos:,.6g} combos, {hands.share:.1%} of hands"
        fills = hands.grid().reshape(-1)
        return _draw(title or name, fills, None, (), (), theme)
    grid = _grid(hands)
    if isinstance(grid, RangeGrid):
        colours = [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in grid.colours()]
        words = [
            f"{label} {share:.0%}"
            for label, share in zip(grid.labels, grid.totals.values(), strict=True)
        ]
        return _draw(title or grid.title, grid.reach, grid.chances, colours, words, theme)
    fills = np.array([cell.fill for cell in grid.cells])
    parts = np.array([[cell.shares.get(a, 0.0) for a in grid.actions] for cell in grid.cells])
    name = f"node {grid.node}, {('out of', 'in')[grid.player]} position"
    return _draw(title or name, fills, parts, grid.colours, grid.actions, theme)


def _grid(hands: Any) -> RangeGrid | NodeGrid:
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
    if not isinstance(hands, RangeGrid | NodeGrid):
        raise UsageError(
            f"{type(hands).__name__} is no range, no hold'em blueprint and no solved spot."
        )
    return hands


def _draw(
    title: str,
    fills: NDArray[np.float64],
    parts: NDArray[np.float64] | None,
    shades: Sequence[str],
    words: Sequence[str],
    theme: str,
) -> Picture:
    """The grid: fills (169,) from 0 to 1, parts (169, A) of each action, or one colour for all."""
    with drawing(theme, (6.6, 7.0)) as (figure, colours):
        axes = figure.add_subplot()
        axes.set(xlim=(0, SIDE), ylim=(SIDE, 0), title=title)
        axes.set_aspect("equal")
        axes.set_axis_off()
        if parts is None:
            parts, shades = np.ones((len(CLASS_NAMES), 1)), (colours.colours[0],)
        for kind, name in enumerate(CLASS_NAMES):
            _cell(axes, kind, name, float(fills[kind]), parts[kind], shades, colours)
        for word, shade in zip(words, shades, strict=False):
            axes.add_patch(Rectangle((0, 0), 0, 0, color=shade, label=word))
        if words:
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=min(4, len(words)))
        return figure


def _cell(
    axes: Axes,
    kind: int,
    name: str,
    fill: float,
    parts: NDArray[np.float64],
    shades: Sequence[str],
    colours: Theme,
) -> None:
    x, y = kind % SIDE, kind // SIDE
    axes.add_patch(Rectangle((x, y), 0.96, 0.96, color=colours.neutral, lw=0))
    left, widest = float(x), (0.0, "")
    total = float(parts.sum())
    for part, shade in zip(parts.tolist(), shades, strict=True):
        if part > 0 and fill > 0:
            width = 0.96 * part / total
            axes.add_patch(
                Rectangle((left, y + 0.96 * (1 - fill)), width, 0.96 * fill, color=shade, lw=0)
            )
            left += width
            widest = max(widest, (width, shade))
    # The name stands where there is one colour behind it.
    inside = fill > 0.5 and widest[1]
    ink = ink_on(widest[1]) if inside else colours.ink if fill > 0 else colours.faint
    height = 0.5 if fill in (0.0, 1.0) else 0.74 if inside else 0.24
    axes.text(x + 0.48, y + height, name, ha="center", va="center", fontsize=8, color=ink)
