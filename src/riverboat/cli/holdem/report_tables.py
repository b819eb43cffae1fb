"""Reports in the terminal: a line for each board, means below, and the groups of all players."""

from __future__ import annotations

import math
from typing import Annotated, Any

from riverboat.cli.console import columns, output
from riverboat.cli.options import option
from riverboat.holdem.spots.report_table import UNWEIGHTED, ReportTable, group_names

GroupsFlag = Annotated[
    bool, option("--groups", "Print what made hands and draws all players hold, in the mean.")
]


def print_table(table: ReportTable, *, groups: bool) -> None:
    """Print figures, textures left out: they can be seen. Files have all columns."""
    console = output()
    left_out = {f"{player} {name}" for player, own in table.groups.items() for name in own}
    if len(table.players) == 2:  # The other's is what is left
        left_out.add(f"equity_{table.players[1]}")
    shown = [
        name
        for name in table.columns
        if name not in (*UNWEIGHTED, *left_out) and (name in table.figures or name == "weight")
    ]
    grid = columns(table.key, *(f">{name}" for name in shown))
    for i, line in enumerate(table.lines):
        grid.add_row(line.name, *(_cell(table, name, table.columns[name][i]) for name in shown))
    means = table.means()
    grid.add_section()
    cells = (_cell(table, name, means[name]) if name in means else "" for name in shown)
    grid.add_row("mean", *cells, style="bold")
    console.print(grid)
    if groups:
        _print_groups(table, means)


def _print_groups(table: ReportTable, means: dict[str, float]) -> None:
    held = {name for own in table.groups.values() for name in own}
    names = sorted(held, key=group_names().index)
    grid = columns("group", *(f">{player}" for player in table.players))
    for name in names:
        shares = (means.get(f"{player} {name}", 0.0) for player in table.players)
        grid.add_row(name, *(f"{share:.1%}" for share in shares))
    output().print()
    output().print(grid)


def _cell(table: ReportTable, column: str, value: Any) -> str:
    if math.isnan(value):
        return "–"
    if table.is_share(column) or (column == "weight" and table.key == "cards"):
        return f"{value:.1%}"
    return f"{value:z.3f}" if value != int(value) else f"{value:g}"
