"""`riverboat demo`: CFR learns Kuhn poker on the screen, Leduc is solved, and what to type next.

On a terminal the first part is drawn live and takes LEARNING_SECONDS on any machine: iterations are
the same everywhere, a slow machine draws fewer frames. Elsewhere (a pipe, CI) the same facts are
printed as plain lines, without a pause.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from riverboat.cli.bars import MARKS, PLAIN_MARKS, chart, work_bar
from riverboat.cli.console import columns, exit_if_stopped, output
from riverboat.cli.groups import App
from riverboat.cli.main import command_tree
from riverboat.cli.options import option
from riverboat.errors import how_to_install
from riverboat.games.registry import make_game
from riverboat.solvers.cfr import CFRSolver
from riverboat.solvers.solve import solve
from riverboat.trees.game_tree import build_tree
from riverboat.trees.sequence_form import sequence_form

app = App()

ITERATIONS = 100_000
"""Of CFR on Kuhn."""
AXIS_END = 1e-5
"""Where the axis of exploitability ends; CFR comes close to it in ITERATIONS."""
LEARNING_SECONDS = 15.0
FRAMES = 150
AXIS_ROWS = 6
"""One for each power of ten from 1 to AXIS_END."""
MAX_WIDTH = 78
MILESTONES = (1, 10, 100, 1000, 10_000, ITERATIONS)

VALUE = -1 / 18
"""Of Kuhn for the first player (Kuhn 1950)."""
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


@dataclass(frozen=True)
class Published:
    """A time that other authors measured and published."""

    program: str
    seconds: float
    exploitability: float
    source: str


OPENSPIEL = Published(
    "OpenSpiel, CFR in C++",
    1000.0001599788666,
    0.0004949170538954134,
    "github.com/uoftcprg/gpugt, data/leduc-poker.csv, commit 4192ed4",
)
"""The last row of "OpenSpiel (C++)" in that file of 2026-05-04: plain CFR, ended by its time limit.

Measured by the authors of that repository, not by those of OpenSpiel.
"""


@app.command("demo")
def demo(
    compile_all: Annotated[
        bool, option("--compile", "Then compile what the other commands need, about a minute.")
    ] = False,
) -> None:
    """Watch CFR learn Kuhn poker, solve Leduc next to OpenSpiel's time, and play: twenty seconds.

    \b
    Examples:
    riverboat demo
    riverboat demo --compile
    """
    console = output()
    learn_kuhn(console)
    solve_leduc(console)
    say_what_next(console)
    if compile_all:
        _make_ready()


@dataclass(frozen=True)
class Lesson:
    """What CFR has learned of Kuhn after some iterations."""

    iterations: int
    exploitability: float
    jack: float
    """How often the first player bets with a jack, a bluff."""
    king: float
    value: float
    """Of a hand for the first player when both play the average strategy."""


def lessons(marks: Iterable[int]) -> Iterator[Lesson]:
    """Run CFR on Kuhn and yield what is learned at each of these iterations, in rising order."""
    solver = CFRSolver(sequence_form(build_tree(make_game("kuhn"))), "cfr")
    for mark in marks:
        solver.iterate(mark - solver.iterations)
        strategy, evaluation = solver.strategy(), solver.evaluation()
        yield Lesson(
            solver.iterations,
            evaluation.exploitability,
            strategy["J|"]["b"],
            strategy["K|"]["b"],
            evaluation.value[0],
        )


def frame_marks(frames: int = FRAMES) -> list[int]:
    """Iterations to stop at for a picture: evenly spaced on a logarithmic axis."""
    return sorted({round(ITERATIONS ** (i / (frames - 1))) for i in range(frames)})


def learn_kuhn(console: Console) -> None:
    """Show CFR learning Kuhn: live on a terminal, as a table elsewhere."""
    _heading(console, "1", "CFR learns to bluff")
    _say(
        console,
        "Kuhn poker: a jack, a queen and a king, one card each, one chip in the pot from each"
        " player, one bet of one chip. CFR (counterfactual regret minimization) knows the rules"
        " only and plays against itself.\n",
    )
    list(lessons([1]))  # compiles, before the clock runs
    if console.is_terminal and not console.is_dumb_terminal and sys.stdout.isatty():
        last = _learn_live(console)
    else:
        last = _learn_plainly(console)
    _say(
        console,
        f"\nThe first player bets a jack, the worst card, {last.jack:.1%} of the time: a bluff."
        f" The king bets {last.king / last.jack:.2f} times as often. Theory: any rate of bluffs up"
        " to 1/3, and the king 3 times as often. A perfect opponent wins"
        f" {last.exploitability:.1e} chips per hand from this strategy. Value of a hand:"
        f" {last.value:+.5f}, in theory -1/18 = {VALUE:+.5f}.",
    )


def _learn_live(console: Console) -> Lesson:
    marks = frame_marks()
    seen: list[Lesson] = []
    start = time.monotonic()
    with Live(console=console, auto_refresh=False) as live:
        for number, lesson in enumerate(lessons(marks), 1):
            seen.append(lesson)
            ahead = LEARNING_SECONDS * number / len(marks) - (time.monotonic() - start)
            if ahead < 0 and number < len(marks):
                continue  # a slow machine draws fewer frames
            live.update(picture(seen, console.width, plain=_is_plain(console)), refresh=True)
            if ahead > 0:
                time.sleep(ahead)
    return seen[-1]


def _learn_plainly(console: Console) -> Lesson:
    heads = (">iterations", ">exploitability", ">jack bets", ">king bets", ">value")
    table = columns(*heads)
    seen = list(lessons(MILESTONES))
    for lesson in seen:
        table.add_row(
            f"{lesson.iterations:,}",
            f"{lesson.exploitability:.1e}",
            f"{lesson.jack:.1%}",
            f"{lesson.king:.1%}",
            f"{lesson.value:+.5f}",
        )
    console.print(table)
    return seen[-1]


def picture(seen: list[Lesson], width: int, *, plain: bool = False) -> Group:
    """The screen after these lessons: the curve so far, and two bars with what they settle at."""
    width = min(width, MAX_WIDTH)
    last = seen[-1]
    points = [(lesson.iterations, lesson.exploitability) for lesson in seen]
    curve = chart(
        {"exploitability": points},
        width,
        rows=AXIS_ROWS,
        marks=PLAIN_MARKS if plain else MARKS,
        corner=(ITERATIONS, AXIS_END),
    )
    length = width - 29
    ratio = f"{last.king / last.jack:.2f} {'x' if plain else '×'} jack"
    return Group(
        Text("Exploitability: what a perfect opponent wins per hand", no_wrap=True),
        *curve[:-1],
        Text(f"        {last.exploitability:.1e} after {last.iterations:,}"),
        Text(),
        _bar("jack bets", last.jack, length, "yellow", "a bluff", plain=plain),
        _bar("king bets", last.king, length, "green", ratio, plain=plain),
    )


def _bar(
    name: str, share: float, length: int, style: str, words: str, *, plain: bool = False
) -> Text:
    full = round(length * share)
    line = Text(f"{name} ")
    line.append(("#" if plain else "━") * full, style=style)
    line.append(("." if plain else "─") * (length - full), style="dim")
    return line.append(f" {share:5.1%} {words}", style=style)


def solve_leduc(console: Console) -> None:
    """Solve Leduc by the default solver and by DCFR; print both next to OpenSpiel's time."""
    _heading(console, "2", "A larger game: Leduc poker")
    game = make_game("leduc")
    target = OPENSPIEL.exploitability
    solve(game, algorithm="dcfr", iterations=1)  # compiles, before the clock runs
    table = columns("program", ">seconds", ">exploitability")
    for algorithm, name in (("dcfr", "Riverboat, DCFR"), ("auto", "Riverboat, default solver")):
        result = solve(game, algorithm=algorithm, target=target)
        exit_if_stopped(result.stopped)
        table.add_row(name, f"{result.seconds:.2f}", f"{result.exploitability:.1e}")
    table.add_row(OPENSPIEL.program, f"{OPENSPIEL.seconds:,.0f}", f"{target:.1e}")
    console.print(table)
    _say(
        console,
        f"\nCompared: seconds until the exploitability is at most {target:.1e}. Riverboat: measured"
        " now, on this machine. OpenSpiel: published by others, on their machine"
        f" ({OPENSPIEL.source}). The algorithms differ too, so this is no measure of the code"
        " alone; the same algorithm in both, in one run: python benchmarks/cfr_peers.py.",
    )


def say_what_next(console: Console) -> None:
    """Print the commands to type next, as they work from this folder."""
    _heading(console, "3", "Now play it")
    program = program_name()
    web = "the same in a browser"
    if find_spec("fastapi") is None:
        web += f"; first: {how_to_install('web')}"
    for line, words in (
        ("play kuhn --hint", "play the equilibrium; every move is priced"),
        ("learn", "twelve lessons: see why it bluffs"),
        ("solve leduc -a cfr -a dcfr --target 1e-3", "let two algorithms race"),
        ("web", web),
    ):
        console.print(f"  {program} {line}", style="cyan", soft_wrap=True, markup=False)
        console.print(Text(f"      {words}", style="dim"), soft_wrap=True)


def program_name() -> str:
    """This program as it is typed here: `riverboat` where that starts it, or the path to it."""
    called = Path(sys.argv[0])
    if called.stem != "riverboat":
        return "riverboat"
    on_path = shutil.which("riverboat")
    if on_path is not None and Path(on_path).resolve() == called.resolve():
        return "riverboat"
    with contextlib.suppress(ValueError):
        return os.path.relpath(called)
    return str(called)


def _heading(console: Console, number: str, words: str) -> None:
    console.print()
    console.print(Text(f"{number}  {words}", style="bold"))


def _say(console: Console, words: str) -> None:
    """Print a paragraph, as wide as the picture at most and without spaces at the ends of lines."""
    begin, end = ("\n" * words.startswith("\n"), "\n" * words.endswith("\n"))
    filled = textwrap.fill(words.strip(), min(console.width, MAX_WIDTH), break_on_hyphens=False)
    console.print(begin + filled + end, soft_wrap=True, markup=False)


def _is_plain(console: Console) -> bool:
    return "utf" not in (console.encoding or "").lower()


def _make_ready() -> None:
    """Run every kind of command once, unseen, so that none of them has to compile later."""
    with work_bar("compiling, once") as bar:
        for number, line in enumerate(READY):
            bar.show(number, len(READY), line)
            with contextlib.redirect_stdout(io.StringIO()):
                command_tree()(args=line.split(), standalone_mode=False)
        bar.show(len(READY), len(READY), "every command is ready")
