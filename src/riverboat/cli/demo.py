"""`riverboat demo`: the main job in a minute: solve, measure, compare, and what to try next."""

from __future__ import annotations

import contextlib
import io
from typing import Annotated

import typer

from riverboat.cli.bars import work_bar
from riverboat.cli.bots import draw, train_and_meet
from riverboat.cli.console import columns, output
from riverboat.cli.main import command_tree
from riverboat.cli.options import option
from riverboat.cli.solve import solve_with_progress
from riverboat.games.registry import make_game

app = typer.Typer()

NEXT = (
    ("riverboat play leduc --hint", "play against the equilibrium, with advice"),
    ("riverboat solve liars_dice --target 1e-4 --out dice.rb", "a larger game, saved"),
    ("riverboat show dice.rb --match '6|'", "look at what was learned"),
    ("riverboat match kuhn random random --hands 10000", "let players meet"),
    ("riverboat games", "everything that can be solved and played"),
)


READY = (
    "solve kuhn --algorithm cfr+ --iterations 10",
    "solve kuhn --algorithm es-mccfr --iterations 10",
    "solve duel --iterations 10",
    "blackjack ev",
    "blackjack chart",
    "blackjack simulate --rounds 1e5 --count hilo",
    "mcts explain --hand 8,8 --up 10 --simulations 1000",
    "train twentyone --games 1e5",
    "equity AsAh KdKc",
    "equity QQ+ AKs --board 9s8d2s",
    "equity AsAh KdKc QdQh",
)
"""Commands that make everything compile that the others need."""


@app.command("demo")
def demo(
    compile_all: Annotated[
        bool, option("--compile", "Then compile what the other commands need, about a minute.")
    ] = False,
) -> None:
    """Solve Kuhn, Leduc and Showdown, show Showdown's table of bots, and say what to try next.

    Examples: riverboat demo · riverboat demo --compile
    """
    console = output()
    console.print(
        "[bold]Riverboat[/] solves games of hidden cards."
        " [dim]The first run on a machine compiles for a while.[/]\n"
    )
    heads = ("game", "algorithm", ">iterations", ">value", ">exploitability", ">s")
    table = columns(*heads, title="Equilibria")
    for name, algorithm in (
        ("kuhn", "auto"),
        ("leduc", "auto"),
        ("leduc", "sapcfr+"),
        ("showdown", "auto"),
        ("showdown", "dcfr"),
    ):
        result = solve_with_progress(make_game(name), None, algorithms=(algorithm,))[0]
        table.add_row(
            name,
            result.algorithm,
            f"{result.iterations:,}",
            f"{result.value[0]:+z.7f}",
            f"{result.exploitability:.2g}",
            f"{result.seconds:.3f}",
        )
    console.print(table)
    console.print(
        "[dim]Exact values: Kuhn −1/18, Leduc −0.0856064241, Showdown −2487353/76854960.[/]\n"
    )
    game = make_game("showdown")
    bots = train_and_meet(game, [100, 10_000, 1_000_000], "cs-cfr", 1_000_000, 0, quiet=False)
    console.print(draw(game, bots))
    console.print("\n[bold]What to try next[/]")
    for command, words in NEXT:
        console.print(f"  [cyan]{command}[/]\n      [dim]{words}[/]")
    if compile_all:
        _make_ready()


def _make_ready() -> None:
    """Run every kind of command once, unseen, so that none of them has to compile later."""
    with work_bar("compiling, once") as bar:
        for number, line in enumerate(READY):
            bar.show(number, len(READY), line)
            with contextlib.redirect_stdout(io.StringIO()):
                command_tree()(args=line.split(), standalone_mode=False)
        bar.show(len(READY), len(READY), "every command is ready")
