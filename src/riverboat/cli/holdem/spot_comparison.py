"""Two nodes of solved spots next to each other: `--compare` of `show` and `holdem view`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.text import Text

from riverboat.cli.console import columns, emit, output
from riverboat.cli.holdem.spot_groups import HEADINGS, ROWS, GroupQuestion
from riverboat.cli.options import option
from riverboat.cli.out_files import TABLES, check_out
from riverboat.drawing.grid_text import DifferenceText
from riverboat.errors import UsageError

if TYPE_CHECKING:
    from riverboat.holdem.spots.cursor import SpotCursor
    from riverboat.holdem.spots.node_comparison import Difference, NodeComparison, SideFigures

Compare = Annotated[
    Path | None,
    option("--compare", "Compare with another solved spot, or with another node of this one."),
]
CompareNode = Annotated[
    str | None,
    option("--compare-node", "The node of the other file; by default the same.", metavar="NODE"),
]


@dataclass(frozen=True)
class Other:
    """The second side of a comparison."""

    file: Path
    node: str


def other_side(
    compare: Path | None, compare_node: str | None, file: Path, node: str
) -> Other | None:
    """What the options name; --compare-node alone is a node of the same file."""
    if compare is None and compare_node is None:
        return None
    return Other(compare or file, compare_node or node)


def show_comparison(
    cursor: SpotCursor, who: int | None, other: Other, question: GroupQuestion, path: Path,
    *, as_json: bool,
) -> None:  # fmt: skip
    """Print the differences between two nodes: sums, and the grid, groups or hands."""
    from riverboat.holdem.spots.node_comparison import compare_nodes, differences_of
    from riverboat.holdem.spots.solved import load_spot
    from riverboat.strategies.kinds import kind_of

    check_out(question.out, TABLES)
    if kind_of(other.file).view != "holdem view":
        raise UsageError(f"--compare takes a solved spot, which {other.file} is not.")
    solved = cursor.solved if other.file == path else load_spot(other.file)
    second = cursor.go(other.node) if solved is cursor.solved else solved.at(other.node)
    compared = compare_nodes(cursor, second, question.find, player=who)
    compared.check_order(question.sort)
    grid = not question.asked and compared.has_classes
    if question.out is not None:
        hands = question.find is not None and not question.groups
        compared.write(question.out, "hands" if hands else "classes" if grid else "groups")
    if as_json:
        limit = ROWS if question.limit is None else question.limit
        facts = compared.as_dict(question.sort, limit if question.find is not None else None)
        emit({"files": [str(path), str(other.file)], **facts})
        return
    console = output()
    _print_head(console, compared, path, other)
    _print_rows(console, compared, "player", list(compared.totals.values()))
    sort = question.sort or "ev"
    if grid:
        figure = "ev" if sort == "name" else sort
        console.print(f"\n{_title(figure)} by class of hands, the second less the first")
        percent = figure != "ev" and figure != "weight"
        differences = differences_of(compared.classes(), figure)
        console.print(DifferenceText(differences, percent=percent))
    if question.groups or not (question.asked or grid):
        from riverboat.cards.hand_groups import KINDS

        for kind in KINDS:
            rows = compared.groups(kind, question.sort)
            if len(rows) > 1 or kind == "made":
                console.print()
                _print_rows(console, compared, HEADINGS[kind], rows)
    if question.find is not None:
        limit = ROWS if question.limit is None else question.limit
        rows = compared.hands(sort)
        console.print()
        _print_rows(console, compared, "hand", rows[: limit or None])
        if 0 < limit < len(rows):
            console.print(f"… {len(rows) - limit:,} more; narrow with --find or --limit 0.")
    if question.out is not None:
        console.print(f"The table is in {question.out}.")


def _title(figure: str) -> str:
    return {"ev": "EV"}.get(figure, figure.capitalize())


def _print_head(console: Console, compared: NodeComparison, path: Path, other: Other) -> None:
    for number, (file, node) in enumerate(zip((path, other.file), compared.nodes, strict=True), 1):
        console.print(Text(f"{number}  ", "dim"), Text(f"{file}  {node}"), sep="")
    for number, actions in enumerate(compared.one_sided, 1):
        if actions and all(side.actions for side in compared.sides):
            console.print(f"only in {number}: {', '.join(actions)}")
    if compared.sides[0].actions and not compared.sides[1].actions:
        console.print(f"{compared.player.upper()} acts in 1 only.")
    console.print()


def _print_rows(
    console: Console, compared: NodeComparison, heading: str, rows: Sequence[Difference]
) -> None:
    heads = [heading, ">combos", ">diff", ">EV", ">diff", ">equity", ">diff"]
    for action in compared.actions:
        heads += [f">{action}", ">diff"]
    table = columns(*heads, padding=(0, 1, 0, 0))
    for row in rows:
        side = row.second or row.first
        assert side is not None
        cells = [
            row.name.upper() if heading == "player" else row.name,
            f"{side.weight:.1f}" if row.second else "–", f"{row.weight:+z.1f}",
            f"{side.ev:z.2f}" if row.second else "–", _signed(row.ev, ".2f"),
            f"{side.equity:.1%}" if row.second else "–", _signed(row.equity, ".1%"),
        ]  # fmt: skip
        for action in compared.actions:
            cells += _played(row.second, row, action)
        table.add_row(*cells)
    console.print(table)


def _played(side: SideFigures | None, row: Difference, action: str) -> list[str]:
    share = None if side is None else (side.strategy or {}).get(action)
    change = row.strategy.get(action)
    return ["" if share is None else f"{share:.0%}", "" if change is None else f"{change:+z.0%}"]


def _signed(number: float, form: str) -> str:
    return format(number, f"+z{form}") if number == number else ""
