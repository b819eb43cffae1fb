"""`riverboat show`: look at a file of any kind."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Console
from rich.text import Text

from riverboat.cli import options
from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.holdem.spot_comparison import Compare, CompareNode, other_side, show_comparison
from riverboat.cli.holdem.spot_groups import Find, GroupQuestion, GroupsFlag, show_groups
from riverboat.cli.options import JsonFlag, argument, count_option, option
from riverboat.cli.out_files import TABLES, check_out
from riverboat.cli.public_view import COLOURS, show_public
from riverboat.errors import UsageError
from riverboat.games.registry import make_game
from riverboat.strategies.kinds import kind_of, load_table
from riverboat.strategies.public_strategy import PublicStrategy

if TYPE_CHECKING:
    from riverboat.games.base import Game
    from riverboat.holdem.spots.cursor import SpotCursor
    from riverboat.strategies.any_strategy import AnyStrategy


app = App()

ROWS = 60
_FEW = 4  # Up to this number all actions are shown; beyond it, those that are played
_SHOWN = 0.0005  # From this probability on an action counts as played


@app.command("show")
def show(
    file: Annotated[Path, argument("A file of any kind.", metavar="FILE")],
    node: Annotated[
        str,
        argument(
            "What to show of it: a spot's node (r:0:c), a line before the flop (f-f or btn), a"
            " blueprint's betting (r6c), a street, the moves on a public tree (s,h7), an infoset,"
            " the number of a study's chapter.",
            metavar="NODE",
        ),
    ] = "",
    match: Annotated[str, option("Only infosets whose key contains this text.")] = "",
    player: Annotated[
        int | None, count_option("--player", "Only this player's infosets.", min=1)
    ] = None,
    limit: Annotated[
        int | None,
        count_option("--limit", "Rows to show at most, by default 60; 0 shows all.", min=0),
    ] = None,
    groups: GroupsFlag = False,
    find: Find = None,
    compare: Compare = None,
    compare_node: CompareNode = None,
    sort: Annotated[
        str | None, option("Order of groups and hands: share, ev, equity, name, an action.")
    ] = None,
    out: Annotated[Path | None, option("Write groups or hands: .csv, .parquet or .arrow.")] = None,
    path: Annotated[str, option("On a public tree: the node after these moves.", hidden=True)] = "",
    imports: options.Imports = None,
    as_json: JsonFlag = False,
) -> None:
    """Show a file of any kind, or one of its nodes.

    A table of infosets is shown with each infoset's probabilities as bars, and how it was made; a
    strategy on a public tree (the duel's) is walked node by node. A solved spot, a solution or a
    book before the flop, a card abstraction and a blueprint's decision are shown as by `riverboat
    holdem view`, `preflop`, `book` and `show` and by `riverboat abstraction show`, which have
    options of their own. Of a solved spot --groups and --find put hands into groups and list those
    that some words find: `riverboat show 3bet.rb r:0 --find "flush draw without A"`.

    \b
    Examples:
    riverboat solve kuhn --out kuhn.rb
    riverboat show kuhn.rb --match K
    riverboat show kuhn.rb "K|"
    """
    check_out(out, TABLES)
    options.import_programs(imports)
    question = GroupQuestion(groups, find, sort, limit, out)
    other = other_side(compare, compare_node, file, node or "r:0")
    if other is not None:
        cursor = _spot_cursor(file, node, "--compare is", match=match, player=player)
        show_comparison(cursor, None, other, question, file, as_json=as_json)
        return
    if question.asked:
        cursor = _spot_cursor(file, node, "--groups and --find are", match=match, player=player)
        show_groups(cursor, None, question, file, as_json=as_json)
        return
    if sort is not None or out is not None:
        name = "--out" if sort is None else "--sort"
        raise UsageError(f"{name} is for --groups, --find and --compare.")
    options_given = {"--match": match, "--player": player, "--limit": limit, "--path": path}
    if kind_of(file).name == "study":
        from riverboat.cli.study import show_study

        for name, value in options_given.items():
            if value not in (None, ""):
                raise UsageError(f"{name} is for tables of infosets, and {file} is a study.")
        show_study(file, node, as_json=as_json)
        return
    command = command_for(file, node)
    if command:
        for name, value in options_given.items():
            if value not in (None, ""):
                raise UsageError(
                    f"{name} is for tables of infosets; riverboat {command} {file} has options of"
                    " its own."
                )
        _show_with(command, file, node, as_json=as_json)
        return
    strategy = load_table(file)
    if isinstance(strategy, PublicStrategy):
        if match or player is not None:
            raise UsageError(
                f"{file} is on a public tree: walk it by NODE or --path; --match and --player are"
                " for tables."
            )
        show_public(strategy, path=node or path, as_json=as_json)
        return
    if path:
        raise UsageError(f"--path is for public trees; {file} is a table: narrow it with --match.")
    if node:
        rows = [(who, key) for who, key in strategy if key == node and player in (None, who + 1)]
        if not rows:
            raise UsageError(f"{file} has no infoset {node!r}; --match TEXT lists similar ones.")
        matching = len(rows)
    else:
        rows, matching = _chosen(strategy, match, player, ROWS if limit is None else limit)
    if as_json:
        emit(_facts(strategy, rows, matching))
        return
    console = output()
    _print_origin(console, strategy)
    _print_infosets(console, strategy, rows, matching)


def command_for(file: Path, node: str = "") -> str:
    """The command that shows a file of this kind; empty where `show` itself does."""
    kind = kind_of(file)
    if kind.view == "holdem preflop":
        from riverboat.holdem.preflop.solution import BOOK, PreflopSolution

        is_book = PreflopSolution.load(file).spec.get("game") == BOOK
        return "holdem book" if is_book else kind.view
    if kind.name == "blueprint" and node:
        return "holdem show"
    return kind.view


def _spot_cursor(
    file: Path, node: str, options_are: str, *, match: str, player: int | None
) -> SpotCursor:
    """A spot's node, for options that other files do not have."""
    if kind_of(file).view != "holdem view":
        raise UsageError(f"{options_are} for solved spots, which {file} is not.")
    for name, value in {"--match": match, "--player": player}.items():
        if value not in (None, ""):
            raise UsageError(
                f"{name} is for tables of infosets; riverboat holdem view {file} takes --player."
            )
    from riverboat.holdem.spots.solved import load_spot

    return load_spot(file).at(node or "r:0")


def _show_with(command: str, file: Path, node: str, *, as_json: bool) -> None:
    """Show a file, or a node of it, as the command of its kind does."""
    if command == "holdem view":
        from riverboat.cli.holdem.spot_view import view

        view(file, node or "r:0", as_json=as_json)
    elif command == "holdem book":
        from riverboat.cli.holdem.book import book

        book(str(file), node or None, as_json=as_json)
    elif command == "holdem preflop":
        from riverboat.cli.holdem.preflop import preflop

        preflop(file, line=node or None, as_json=as_json)
    elif command == "holdem show":
        from riverboat.cli.holdem.blueprints import show as show_decision

        show_decision(str(file), node, as_json=as_json)
    elif command == "abstraction show":
        from riverboat.cli.holdem.abstraction import show_command

        show_command(str(file), node or None, as_json=as_json)
    else:
        raise UsageError(f"{file} is shown by riverboat {command}.")


def _chosen(
    strategy: AnyStrategy, match: str, player: int | None, limit: int
) -> tuple[list[tuple[int, str]], int]:
    """The infosets to show and how many match; a large strategy is not walked without need."""
    if not match and player is None:
        return list(islice(strategy, limit or None)), len(strategy)
    rows = [(who, key) for who, key in strategy if match in key and player in (None, who + 1)]
    return rows[: limit or None], len(rows)


def _facts(strategy: AnyStrategy, rows: list[tuple[int, str]], matching: int) -> dict[str, Any]:
    return {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
        "infosets": [
            {"player": who, "infoset": key, "actions": strategy.lookup(who, key)}
            for who, key in rows
        ],
        "matching": matching,
    }


def _print_origin(console: Console, strategy: AnyStrategy) -> None:
    console.print(strategy.title, style="bold", markup=False)
    info, words = strategy.info, []
    if "algorithm" in info:
        words.append(f"{info['algorithm']}, {info.get('iterations', 0):,} iterations")
    elif "method" in info:
        words.append(f"{info['method']}, {info.get('games', 0):,} games")
    if "value" in info:
        words.append("value " + " ".join(f"{v:+z.6f}" for v in info["value"]))
    if "exploitability" in info:
        words.append(f"exploitability {info['exploitability']:.3g}")
    if words:
        console.print(" · ".join(words), style="dim", markup=False)
    console.print()


def _print_infosets(
    console: Console, strategy: AnyStrategy, rows: list[tuple[int, str]], matching: int
) -> None:
    if not rows:
        console.print("No infoset matches.")
        return
    game = make_game(strategy.game, strategy.parameters)
    table = columns(">player", "infoset", "strategy")
    width = console.width - max(len(key) for _, key in rows) - 12
    free = {(row["player"], row["infoset"]): row["mix"] for row in strategy.info.get("free", ())}
    for who, key in rows:
        chances = strategy.lookup(who, key) or {}
        bars = _bars(game, chances, width)
        if (who, key) in free:
            mix = {action: free[who, key][action] for action in chances}
            bars.append("\n" + _freedom(game, mix), style="dim")
        table.add_row(str(who + 1), key, bars)
    console.print(table)
    if free:
        console.print(
            f"\nThere are many equilibria: at {len(free):,} infosets others mix differently."
            " This one answers mistakes best.",
            style="dim",
        )
    if matching > len(rows):
        console.print(f"… {matching - len(rows):,} more; narrow with --match or --limit 0.")


def _freedom(game: Game, mix: dict[str, list[float]]) -> str:
    """`others: bet 0–33 %`: between what the equilibria known lie."""
    moved = [(action, low, high) for action, (low, high) in mix.items() if high - low > 0.005]
    if len(mix) == 2:
        moved = moved[-1:]
    words = [
        f"{game.action_label(action)} {100 * low:.0f}–{100 * high:.0f} %"
        for action, low, high in moved
    ]
    return "free here: " + (", ".join(words) or "by less than half a percent")


def _bars(game: Game, probabilities: dict[str, float], width: int) -> Text:
    """Each action as a coloured block bar with its percentage, in lines of at most `width`."""
    chosen = [
        (i, game.action_label(action), probability)
        for i, (action, probability) in enumerate(probabilities.items())
        if len(probabilities) <= _FEW or probability >= _SHOWN
    ]
    text, used = Text(), 0
    for i, label, probability in chosen:
        size = len(label) + 21
        if used and used + size - 3 > width:
            text.append("\n")
            used = 0
        used += size
        colour = COLOURS[i % len(COLOURS)]
        full = round(probability * 10)
        text.append(f"{label} ", style=colour)
        text.append("█" * full + "·" * (10 - full), style=colour)
        text.append(f" {probability:6.1%}   ")
    text.rstrip()
    return text
