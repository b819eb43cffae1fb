"""Groups of hands at a node of a solved spot, and hands that words find: `--groups`, `--find`.

Both `riverboat show` and `riverboat holdem view` have these options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.text import Text

from riverboat.cli.console import columns, emit, output
from riverboat.cli.options import count_option, option
from riverboat.cli.out_files import TABLES, check_out

if TYPE_CHECKING:
    from riverboat.holdem.spots.cursor import SpotCursor
    from riverboat.holdem.spots.node_groups import GroupRow, NodeGroups

GroupsFlag = Annotated[
    bool, option("--groups", "Hands of a spot in groups: made hand, draw, blocker, suits.")
]
Find = Annotated[
    str | None,
    option(
        "--find",
        "List the hands of a spot that fit: 'flush draw without A', 'top pair and hearts'.",
        metavar="WORDS",
    ),
]
HandLimit = Annotated[
    int | None, count_option("--limit", "Rows to show at most, by default 60; 0 shows all.", min=0)
]
ROWS = 60
LONGEST_RANGES = {2: 4000}
LONGEST_RANGE = 400
"""Characters of a range that are printed, by cards of a hand: of four there are many thousands."""
HEADINGS = {
    "made": "made hand", "draw": "draw", "blocker": "blocker", "suits": "suits"
}  # fmt: skip


@dataclass(frozen=True)
class GroupQuestion:
    """What the options ask for."""

    groups: bool
    find: str | None
    sort: str | None = None
    limit: int | None = None
    out: Path | None = None

    @property
    def asked(self) -> bool:
        return self.groups or self.find is not None


def show_groups(
    cursor: SpotCursor, who: int | None, question: GroupQuestion, path: Path, *, as_json: bool
) -> None:
    """Print groups, hands or both of a node."""
    from riverboat.holdem.spots.node_groups import node_groups

    check_out(question.out, TABLES)
    groups = node_groups(cursor, question.find, player=who)
    groups.check_order(question.sort)
    limit = ROWS if question.limit is None else question.limit
    if question.out is not None:
        groups.write(question.out, hands=not question.groups)
    if as_json:
        hands = limit if question.find is not None else None
        emit({"file": str(path), **groups.as_dict(question.sort, hands)})
        return
    console = output()
    _print_total(console, groups)
    if question.groups:
        from riverboat.cards.hand_groups import KINDS

        for kind in KINDS:
            rows = groups.groups(kind, question.sort)
            if len(rows) > 1 or kind == "made":
                console.print()
                _print_groups(console, groups, HEADINGS[kind], rows)
    if question.find is not None:
        console.print()
        _print_hands(console, groups, question.sort or "share", limit)
    if question.out is not None:
        console.print(f"The table is in {question.out}.")


def _print_total(console: Console, groups: NodeGroups) -> None:
    who, total = groups.names[groups.player].upper(), groups.total
    mine = total.players[groups.player]
    words = f"{mine.share:.1%} of {who}'s range" if groups.filter else f"{who}'s range"
    line = f"{words}: {mine.weight:.1f} combos, EV {mine.ev:z.3f}, equity {mine.equity:.1%}"
    for action, share in (total.strategy or {}).items():
        line += f", {action} {share:.1%}"
    console.print(Text(f"{groups.node}  ", "dim"), Text(line), sep="")
    if groups.filter:
        text = groups.range_text()
        most = LONGEST_RANGES.get(groups.hole_cards, LONGEST_RANGE)
        if len(text) > most:
            text = f"{text[:most].rpartition(',')[0]},… (all of it with --json)"
        console.print(f"[dim]as a range:[/dim] {text}", soft_wrap=True)


def _print_groups(
    console: Console, groups: NodeGroups, heading: str, rows: Sequence[GroupRow]
) -> None:
    heads = [heading]
    for name in groups.names:
        heads += [f">{name.upper()}", ">EV", ">equity"]
    table = columns(*heads, *(f">{action}" for action in groups.actions))
    for row in rows:
        cells = [row.name]
        for figures in row.players:
            here = figures.share > 0
            cells += [f"{figures.share:.1%}" if here else "–"]
            cells += [f"{figures.ev:z.2f}", f"{figures.equity:.1%}"] if here else ["", ""]
        strategy = row.strategy or {}
        cells += [f"{strategy[name]:.0%}" if strategy else "" for name in groups.actions]
        table.add_row(*cells)
    console.print(table)


def _print_hands(console: Console, groups: NodeGroups, sort: str, limit: int) -> None:
    rows = groups.hands(sort)
    shown = rows[: limit or None]
    cells: dict[str, list[str]] = {
        "draw": ["" if row.draw == "no draw" else row.draw for row in shown],
        ">outs": [str(row.outs or "") for row in shown],
        "blocker": ["" if row.blocker == "no blocker" else row.blocker for row in shown],
    }
    # On a river nothing is drawn to; the room is for what there is.
    used = {head: column for head, column in cells.items() if any(column)}
    heads = ["hand", ">share", ">EV", ">equity", "made hand", *used]
    table = columns(*heads, *(f">{action}" for action in groups.actions))
    table.columns[0].no_wrap = True
    table.columns[0].min_width = 2 * groups.hole_cards  # Never cut: it names the row
    digits = 2 if groups.hole_cards == 2 else 4  # One hand of four is a tiny part of a range
    for number, row in enumerate(shown):
        played = [f"{share:.0%}" for share in (row.strategy or {}).values()]
        table.add_row(
            row.cards, f"{row.share:.{digits}%}", f"{row.ev:z.2f}", f"{row.equity:.1%}", row.made,
            *(column[number] for column in used.values()), *played,
        )  # fmt: skip
    console.print(table)
    if 0 < limit < len(rows):
        console.print(f"… {len(rows) - limit:,} more; narrow with --find or --limit 0.")
