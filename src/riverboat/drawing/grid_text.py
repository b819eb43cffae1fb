"""A hand grid in the terminal, as wide as there is room; Rich draws it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.table import Table
from rich.text import Text

from riverboat.drawing.hand_grid import HAND_CLASSES, SIDE, HandCell, HandGrid
from riverboat.drawing.palette import PLAIN, ink_on, mixed

ABSENT = "#464646"
"""The colour of hands that are not in the range; cells fade towards it."""
NARROW = 3 * SIDE  # Columns that a grid needs at least


class GridText:
    """The actions of each class as colours side by side, with the class's name on them.

    Where there is room, a letter names the most frequent action: a capital if it is taken more
    than half of the time. Without colours a dot stands for a class that is not here.
    """

    def __init__(self, grid: HandGrid, chosen: int | None = None, *, legend: bool = False) -> None:
        """`chosen` is the number of the cell to mark; `legend` adds the title and the colours."""
        self.grid, self.chosen, self.legend = grid, chosen, legend

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = _room(options.max_width)
        if self.legend:
            yield from self._heading(room)
        plain = console.color_system is None
        for row in range(SIDE):
            line = Text(no_wrap=True)
            for number in range(SIDE * row, SIDE * row + SIDE):
                cell = self.grid.cells[number]
                letters = _letters(self.grid, cell, room, plain=plain)
                styles = _styles(self.grid, cell, room)
                for letter, style in zip(letters, styles, strict=True):
                    marked = Style(reverse=True, bold=True) if number == self.chosen else Style()
                    line.append(letter, style + marked)
            yield line

    def _heading(self, room: int) -> RenderResult:
        if room > 3 and self.grid.title:
            yield Text(self.grid.title)
        line = Text()
        for colour, words in self.grid.legend() or [(PLAIN, "in the range")]:
            line.append(f" {words} ", Style(bgcolor=colour, color=ink_on(colour)))
        yield line


class DifferenceText:
    """A number for each class of hands, green above zero and red below; a dot where none is."""

    def __init__(self, differences: Mapping[str, float], *, percent: bool = False) -> None:
        """`differences` by class; those of frequencies are shown in `percent`."""
        self.differences, self.percent = differences, percent

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = _room(options.max_width)
        for row in range(SIDE):
            line = Text(no_wrap=True)
            for name in HAND_CLASSES[SIDE * row : SIDE * row + SIDE]:
                number = self.differences.get(name, math.nan)
                number = 100 * number if self.percent else number
                style = "green" if number > 0 else "red" if number < 0 else "bright_black"
                line.append(f"{self._words(name, number, room):<{room}}", style)
            yield line

    def _words(self, name: str, number: float, room: int) -> str:
        if math.isnan(number):
            return "·"
        digits = 0 if self.percent or abs(number) >= 100 else 1 if abs(number) >= 10 else 2
        words = f"{number:+z.{digits}f}" if round(number, digits) else "0"
        # Where a number has no room, the class is there with its colour.
        return words if len(words) < room else name[: room - 1]


def side_by_side(grids: Sequence[HandGrid], width: int) -> Table:
    """Grids next to each other where there is room, else below each other, each with its title."""
    together = width >= len(grids) * NARROW + 2
    room = _room((width - 2) // len(grids) if together else width)
    table = Table.grid(padding=(0, 1))
    cells = []
    for grid in grids:
        cell = Table.grid()
        cell.add_column(width=SIDE * room)
        cell.add_row(Text(grid.title, style="bold"))
        cell.add_row(GridText(replace(grid, title=""), legend=True))
        cells.append(cell)
    for row in [cells] if together else [[cell] for cell in cells]:
        table.add_row(*row)
    return table


def _room(width: int) -> int:
    """Columns of a cell."""
    return max(3, min(6, width // SIDE))


def _letters(grid: HandGrid, cell: HandCell, room: int, *, plain: bool) -> str:
    """A cell's text, `room` letters long."""
    if plain and cell.fill <= 0:
        return f"{'·':<{room}}"
    mark = ""
    if cell.shares and cell.fill > 0:
        most = max(cell.shares, key=lambda action: cell.shares[action])
        mark = grid.labels[grid.actions.index(most)][:1]
        mark = mark.upper() if cell.shares[most] > 0.5 else mark
    if room < 5:
        return f"{cell.name:<3}{mark if plain else ''}"[:room].ljust(room)
    return f"{cell.name:<{room - 2}}{mark}".ljust(room)


def _styles(grid: HandGrid, cell: HandCell, room: int) -> list[Style]:
    """The style of each letter of a cell."""
    if cell.fill <= 0 or (grid.actions and not cell.shares):
        return [Style(color="bright_black")] * room
    colours = grid.colours if cell.shares else (PLAIN,)
    edges = list(accumulate(cell.shares.values())) or [1.0]
    styles = []
    for column in range(room):
        middle = (column + 0.5) / room
        which = next((i for i, edge in enumerate(edges) if middle < edge), len(edges) - 1)
        shade = mixed(ABSENT, colours[which], min(1.0, cell.fill))
        styles.append(Style(bgcolor=shade, color=ink_on(shade)))
    return styles
