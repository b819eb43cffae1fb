"""The 169 kinds of hands as a coloured grid in the terminal (drawing/hand_grid.py is the data)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

    from riverboat.drawing.hand_grid import RangeGrid


COLOURS = {"raise": (190, 50, 40), "call": (50, 140, 60), "fold": (60, 80, 150)}
ABSENT = (70, 70, 70)
HELD = (150, 110, 40)
NARROW = 39
"""Columns that a grid needs at least."""


class GridView:
    """A grid as wide as the terminal allows, up to six columns per hand.

    Red is raised or bet, green called or checked, blue folded, mixed in proportion. A cell's letter
    is upper case where an action is taken more than half of the time. Hands of which little comes
    to this decision are grey. A range without actions has one colour.
    """

    def __init__(self, grid: RangeGrid) -> None:
        self.grid = grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.style import Style
        from rich.text import Text

        from riverboat.cards.combos import CLASS_NAMES

        room = max(3, min(6, options.max_width // 13))
        text = Text(f"{self.grid.title}\n" if room > 3 and self.grid.title else "")
        for name, colour in (COLOURS if self.grid.actions else {"held": HELD}).items():
            text.append(f" {name} ", Style(bgcolor=_rgb(colour), color="white"))
        text.append("\n")
        reach = self.grid.reach.tolist()
        for hand, (name, shares) in enumerate(zip(CLASS_NAMES, self.grid.shares(), strict=True)):
            # A narrow cell has only its colours, a wider one a letter too.
            alone = not self.grid.actions
            here = min(1.0, reach[hand]) if any(shares) or alone else 0.0
            letter = _letter(shares) if here and not alone else " "
            cell = f"{name:<3}" if room < 5 else f"{name:<{room - 2}}{letter}"
            mixed = _mixed([*shares], here) if not alone else _faded(HELD, here)
            style = Style(bgcolor=_rgb(mixed), color="white" if here > 0.02 else "grey50")
            text.append(f"{cell:<{room}}", style)
            if hand % 13 == 12:
                text.append("\n")
        yield text


def _mixed(shares: Sequence[float], here: float) -> list[float]:
    """The colours of a cell mixed, faded by the part of the hand that comes here."""
    colours = list(COLOURS.values())
    full = [sum(s * c[i] for s, c in zip(shares, colours, strict=True)) for i in range(3)]
    return _faded(full, here)


def _faded(colour: Sequence[float], here: float) -> list[float]:
    return [here * part + (1 - here) * grey for part, grey in zip(colour, ABSENT, strict=True)]


def side_by_side(grids: Sequence[RangeGrid], width: int) -> Table:
    """Grids beside each other where there is room, else below each other; each with its title."""
    from rich.table import Table
    from rich.text import Text

    together = width >= len(grids) * NARROW + 2
    room = (width - 2) // len(grids) if together else width
    table = Table.grid(padding=(0, 1))
    cells = []
    for grid in grids:
        cell = Table.grid()
        cell.add_column(width=13 * max(3, min(6, room // 13)))
        cell.add_row(Text(grid.title, style="bold"))
        cell.add_row(GridView(replace(grid, title="")))
        cells.append(cell)
    for row in [cells] if together else [[cell] for cell in cells]:
        table.add_row(*row)
    return table


def _letter(shares: Sequence[float]) -> str:
    most = max(shares)
    letter = "rcf"[shares.index(most)]
    return letter.upper() if most > 0.5 else letter


def _rgb(colour: Sequence[float]) -> str:
    red, green, blue = (int(part) for part in colour)
    return f"rgb({red},{green},{blue})"
