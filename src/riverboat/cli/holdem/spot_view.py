"""`riverboat holdem view` and `explore`: a solved spot as grids, lists and a tree to walk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.style import Style
from rich.text import Text

from riverboat.cards.combos import parse_combo
from riverboat.cards.ranges import Range
from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.holdem.spot_comparison import Compare, CompareNode, other_side, show_comparison
from riverboat.cli.holdem.spot_groups import Find, GroupQuestion, GroupsFlag, HandLimit, show_groups
from riverboat.cli.options import JsonFlag, Picture, argument, option
from riverboat.cli.out_files import PICTURES, check_out, write_picture
from riverboat.drawing.grid_text import GridText
from riverboat.drawing.palette import action_colours, ink_on
from riverboat.errors import UsageError
from riverboat.holdem.spots.node_views import node_facts, node_grid
from riverboat.holdem.spots.solved import load_spot
from riverboat.tui.spot_text import cards_text, whose_turn

if TYPE_CHECKING:
    from riverboat.holdem.spots.cursor import SpotCursor

app = App()

SolvedFile = Annotated[Path, argument("A solved spot.", metavar="FILE")]
NodeId = Annotated[
    str, option("--node", "The node, from r:0 on: r:0:c:b100, and cards, r:0:c:c:Ah.")
]
SORTS = {"weight": "weight", "ev": "ev", "equity": "equity", "hand": "hand"}


@app.command("view")
def view(
    path: SolvedFile,
    node: NodeId = "r:0",
    player: Annotated[
        str | None, option("oop or ip, or a player's name; the one who acts if left out.")
    ] = None,
    hands: Annotated[
        str | None, option("List these hands: AKs, 'QQ+', or all.", metavar="RANGE")
    ] = None,
    sort: Annotated[
        str | None,
        option("Order of the list: weight, ev, equity or hand; of groups also share or an action."),
    ] = None,
    groups: GroupsFlag = False,
    find: Find = None,
    limit: HandLimit = None,
    compare: Compare = None,
    compare_node: CompareNode = None,
    svg: Picture = None,
    as_json: JsonFlag = False,
) -> None:
    """Show a node of a solved spot: the strategy of each hand and its EV.

    The grid has pairs on its diagonal, suited hands above it and offsuit ones below. A cell's
    colours are its actions, as wide as they are frequent. EV is what a hand wins from here on.
    Hands of four cards are always shown in groups.

    With --groups hands are put into groups: what each group is of the range, its EV and equity for
    each player, and how often it takes each action. --find lists the hands that some words find;
    --out then writes the table (.csv, .parquet or .arrow). --compare shows what is different in
    another solved spot, or with --compare-node at another node.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem solve 3bet.toml --out 3bet.rb
    riverboat holdem view 3bet.rb
    riverboat holdem view 3bet.rb --node r:0:b59 --hands "JJ-99,AQs"
    riverboat holdem view 3bet.rb --groups --player ip
    riverboat holdem view 3bet.rb --find "flush draw without A" --sort ev
    riverboat holdem view 3bet.rb --node r:0:c --player ip --compare-node r:0:b59 --sort equity
    """
    question = GroupQuestion(groups, find, sort, limit, svg)
    other = other_side(compare, compare_node, path, node)
    if question.asked or other is not None:
        if hands is not None:
            raise UsageError(
                "--hands lists a range; with --groups, --find or --compare name it in --find."
            )
        cursor = load_spot(path).at(node)
        who = None if player is None else seat_of(cursor, player, "--player")
        if other is not None:
            show_comparison(cursor, who, other, question, path, as_json=as_json)
            return
        show_groups(cursor, who, question, path, as_json=as_json)
        return
    if limit is not None:
        raise UsageError("--limit is for --find; --hands lists all hands of its range.")
    sort = sort or "weight"
    if sort not in SORTS:
        raise UsageError(f"--sort takes {', '.join(SORTS)}, not {sort!r}.")
    check_out(svg, PICTURES)
    cursor = load_spot(path).at(node)
    who = None if player is None else seat_of(cursor, player, "--player")
    if cursor.solved.spot.hole_cards > 2:
        # No grid has room for hands of four cards.
        if hands is not None or svg is not None:
            option_name = "--hands" if hands is not None else "--out"
            raise UsageError(
                f"{option_name} draws on the grid of two cards; name hands of four with --find."
            )
        show_groups(cursor, who, replace(question, groups=True), path, as_json=as_json)
        return
    if svg is not None:
        grid = node_grid(cursor, who)
        write_picture(svg, grid.svg(), title=grid.title)
    if as_json:
        emit({"file": str(path), **node_facts(cursor, who)})
        return
    console = output()
    print_node(console, cursor, who)
    console.print(GridText(node_grid(cursor, who)))
    if hands is not None:
        _list_hands(console, cursor, who, hands, sort)
    if svg is not None:
        console.print(f"The grid is in {svg}.")


@app.command("explore")
def explore(path: SolvedFile, node: NodeId = "r:0") -> None:
    """Walk a solved spot on the screen: arrows move in the grid, keys play actions.

    \b
    Examples:
    riverboat example 3bet.toml
    riverboat holdem solve 3bet.toml --out 3bet.rb
    riverboat holdem explore 3bet.rb
    """
    from riverboat.tui.spot_explorer import SpotExplorer

    SpotExplorer(load_spot(path).at(node)).run()


def seat_of(cursor: SpotCursor, name: str, option: str) -> int:
    """The number of a player by name."""
    if name.lower() not in cursor.names:
        raise UsageError(f"{option} takes {' or '.join(cursor.names)}, not {name!r}.")
    return cursor.names.index(name.lower())


def print_node(console: Console, cursor: SpotCursor, who: int | None) -> None:
    """Board, pot, stacks, and the range as a whole."""
    shown = cursor.acting(who)
    stacks = "  ".join(
        f"{name.upper()} {stack:g}" for name, stack in zip(cursor.names, cursor.stacks, strict=True)
    )
    console.print(cards_text(cursor), Text(f"  pot {cursor.pot:g}   behind: {stacks}"), sep="")
    console.print(f"[dim]{cursor.node_id}[/dim]  {whose_turn(cursor)}", highlight=False)
    pots = cursor.shared_pots()
    if len(pots) > 1:
        named = [f"{chips:g} ({', '.join(names).upper()})" for chips, names in pots]
        console.print(f"pots: {', '.join(named)}", highlight=False)
    for player, name in enumerate(cursor.names):
        whole = cursor.summary(player)
        if player in cursor.node.folded:
            console.print(f"{name.upper():<4} has folded")
        elif whole.ev == whole.ev:
            console.print(
                f"{name.upper():<4} EV {whole.ev:z9.3f}   equity {whole.equity:6.1%}"
                f"   realised {whole.realisation:6.1%}"
            )
        else:
            console.print(f"{name.upper():<4} no hand reaches this node")
    whole = cursor.summary(shown)
    if whole.strategy:
        line = Text()
        for (action, share), colour in zip(
            whole.strategy.items(), action_colours(cursor.actions), strict=True
        ):
            line.append(f" {action} {share:.1%} ", Style(bgcolor=colour, color=ink_on(colour)))
            line.append(" ")
        console.print(line)


def _list_hands(
    console: Console, cursor: SpotCursor, who: int | None, wanted: str, sort: str
) -> None:
    rows = list(cursor.table(who).values())
    if wanted != "all":
        weights = Range.parse(wanted).weights
        rows = [row for row in rows if weights[parse_combo(row.hand)] > 0]
    if not rows:
        console.print("None of these hands reaches this node.")
        return
    key = SORTS[sort]
    rows.sort(key=lambda row: getattr(row, key), reverse=key != "hand")
    actions = [f">{action}" for action in cursor.actions if rows[0].strategy]
    table = columns("hand", ">weight", ">EV", ">equity", *actions)
    for row in rows:
        played = []
        if row.strategy and row.action_evs:
            played = [
                f"{share:4.0%} {row.action_evs[action]:9.3f}"
                for action, share in row.strategy.items()
            ]
        table.add_row(row.hand, f"{row.weight:.3f}", f"{row.ev:z.3f}", f"{row.equity:.1%}", *played)
    console.print(table)
