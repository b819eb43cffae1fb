"""`riverboat holdem strength|show`: how good a blueprint is, and what it does where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from riverboat.cli.bars import Bar, progress_bars, waiting
from riverboat.cli.console import columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.holdem.abstraction import street_progress
from riverboat.cli.options import (
    JsonFlag,
    RayAddress,
    Seed,
    Threads,
    Workers,
    argument,
    count_option,
    option,
)
from riverboat.cli.out_files import PICTURES, check_out, write_picture
from riverboat.drawing.grid_text import GridText
from riverboat.errors import UsageError
from riverboat.jobs.crews import open_crew

if TYPE_CHECKING:
    from riverboat.holdem.blueprints.walk import Decision

app = App(help="Solve spots, walk blueprints, measure strength.")

BlueprintFile = Annotated[
    str, argument("A blueprint; without one, the shipped one.", metavar="FILE")
]


Against = Annotated[
    str | None,
    option(
        "Sparring partners or players, with commas between: rules, search:FILE. For a"
        " searching player: blueprint, which is its own."
    ),
]
Deals = Annotated[
    int | None,
    count_option(
        "--deals",
        "Deals of each match, played from every seat; 1000. For a searching player boards"
        " with all hands; 20.",
        min=0,
        max=10**8,
    ),
]
LbrBoards = Annotated[
    int | None,
    count_option("--lbr", "Boards of local best response (two players); 100.", min=0, max=10**7),
]
Raises = Annotated[
    str,
    option("Sizes by which local best response raises; against search also fc (none) and many."),
]
Baseline = Annotated[
    str | None,
    option(
        "Another blueprint, measured by local best response on the same boards.", metavar="FILE"
    ),
]
Response = Annotated[
    int,
    count_option("--response", "Deals to learn a response in the abstraction.", min=0, max=10**10),
]


@app.command("strength")
def strength(
    path: BlueprintFile = "shipped",
    against: Against = None,
    deals: Deals = None,
    lbr: LbrBoards = None,
    raises: Raises = "0.5p,1p,a",
    baseline: Baseline = None,
    response: Response = 0,
    threads: Threads = 1,
    ray: RayAddress = None,
    workers: Workers = None,
    seed: Seed = 0,
    as_json: JsonFlag = False,
) -> None:
    """Measure a blueprint: matches with duplicate deals, local best response, a learned response.

    Instead of a file you can name a searching player: search:FILE. It is measured by local best
    response, next to its blueprint on the same boards (about 5 s for each), and with --against
    blueprint by a match of all hands on sampled boards (about a minute for each).

    Figures are thousandths of a big blind per game (mbb/g) with 95 % intervals. They are played in
    the full game, except for the response and the seats, which belong to the abstract one and need
    its card tables: the seats are left out where those have not been built. With --workers or
    --ray deals and boards are split; the figures stay the same.

    \b
    Examples:
    riverboat holdem strength --deals 200 --lbr 10
    riverboat holdem strength shipped --deals 5000 --lbr 300 --threads 2
    riverboat holdem strength "search:shipped?iterations=40" --lbr 20 --raises 0.33p,0.75p,a
    riverboat holdem strength search:shipped --against blueprint --deals 20
    """
    from riverboat.holdem.search.measure_jobs import measure_player

    split = ray is not None or workers is not None
    with (
        open_crew(ray, workers) as crew,
        street_progress(quiet=as_json) as tables,
        progress_bars(quiet=as_json) as bars,
    ):

        def stage(title: str, total: int, what: str) -> Callable[[int], None]:
            bar = Bar(bars, title)
            bar.show(0, None, f"0 of {total:,} {what}")
            return lambda done: bar.show(done, total, f"{done:,} {what}")

        blueprint, figures = measure_player(
            path,
            against=against,
            deals=deals,
            boards=lbr,
            raises=raises,
            baseline=baseline,
            response=response,
            threads=threads,
            seed=seed,
            stage=stage,
            tables=tables,
            crew=crew if split else None,
        )
    if as_json:
        info = dict(blueprint.info)
        emit({"file": path, "info": info, "seed": seed, "figures": figures.as_dict()})
        return
    table = columns("", ">mean", ">95 %", ">from", title=f"{path}, mbb/g", pad_edge=True)
    for row in figures.rows():
        table.add_row(*row)
    output().print(table)


@app.command("show")
def show(
    path: BlueprintFile = "shipped",
    line: Annotated[
        str,
        option("--path", "The betting so far, as in r6c: f, c, r with amount.", metavar="BETTING"),
    ] = "",
    board: Annotated[str, option('The board of that path: "Qs Js 2d".', metavar="CARDS")] = "",
    hand: Annotated[str, option('Only what is done with this: "AsKd".', metavar="CARDS")] = "",
    out: Annotated[
        Path | None, option("Draw the grid to a file: .svg, .html, .pdf or .png.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Walk through a blueprint: what the player to act does with each hand, at any decision.

    Hands that do not reach this decision are grey. Below the grid is how often each action is
    taken in all, and the --path that leads on from it.

    \b
    Examples:
    riverboat holdem show
    riverboat holdem show --path r6 --hand AsKd
    riverboat holdem show --path r6c --board "Qs Js 2d" --out flop.svg
    """
    from riverboat.holdem.blueprints.blueprint import Blueprint
    from riverboat.holdem.blueprints.walk import look

    check_out(out, PICTURES)
    if hand and out is not None:
        raise UsageError("--out draws the grid of all hands; leave out --hand.")
    with street_progress(quiet=as_json) as progress:
        blueprint = Blueprint.load(path, progress=progress)
    with waiting("reading the blueprint", quiet=as_json):
        decision = look(blueprint, line, board)
    if hand:
        _show_hand(decision, hand, as_json)
        return
    if out is not None:
        write_picture(out, decision.grid.svg(), title=decision.grid.title)
    if as_json:
        emit({"file": path, "info": dict(blueprint.info), **decision.as_dict()})
    elif out is not None:
        output().print(f"saved {out}", markup=False, soft_wrap=True)
    else:
        _show_decision(decision)


def _show_hand(decision: Decision, hand: str, as_json: bool) -> None:
    chances = decision.hand(hand)
    if as_json:
        emit({"path": decision.state.history, "hand": hand, "actions": chances})
        return
    console = output()
    console.print(f"{hand}: {decision.title}", markup=False, soft_wrap=True)
    for label, chance in zip(decision.labels, chances.values(), strict=True):
        console.print(f"  {label:<14} {chance:6.1%}  {'█' * round(30 * chance)}", markup=False)


def _show_decision(decision: Decision) -> None:
    console, grid = output(), decision.grid
    console.print(GridText(grid, legend=True))
    following = decision.next_paths()
    for (action, share), label in zip(grid.totals.items(), decision.labels, strict=True):
        onward = f"  --path {following[action]}" if action in following else ""
        console.print(f"{label:<14} {share:6.1%}{onward}", markup=False, soft_wrap=True)
    if decision.foreign:
        words = ", ".join(decision.foreign)
        console.print(
            f"{words}: not a bet of the blueprint's own, so it says nothing about the range",
            style="dim",
        )
