"""`riverboat blackjack sweep`: a grid of rules and what a round is worth under each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.console import JsonFlag, emit, output, progress_bar
from riverboat.cli.options import Changes, Preset, RayAddress, Workers, crew_state

if TYPE_CHECKING:
    from riverboat.jobs.job_list import JobProgress

app = typer.Typer()


@app.command("sweep")
def sweep(
    over: Annotated[
        list[str],
        typer.Option(
            "--over", metavar="NAME=A,B,…", help="A rule and the values it takes; repeatable."
        ),
    ] = [],  # noqa: B006
    rules: Preset = "vegas-6d-s17",
    changes: Changes = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw the table as a picture.")
    ] = None,
    ray: RayAddress = None,
    workers: Workers = None,
    as_json: JsonFlag = False,
) -> None:
    """What a round is worth with perfect play under every combination of rules, exactly.

    The last rule stands across, the others down. Figures are parts of the bet in %.

    Examples: riverboat blackjack sweep --over decks=1,2,6 --over h17=false,true ·
    riverboat blackjack sweep --over surrender=none,late --over das=true,false --svg rules.svg
    """
    from riverboat.blackjack.exact.rule_sweep import parse_grid
    from riverboat.jobs.crews import open_crew
    from riverboat.jobs.simulations import sweep_rules
    from riverboat.strategies.files import atomic_write, check_writable

    if svg is not None:
        check_writable(svg)
    grid = parse_grid(rules, over, changes or ())
    with open_crew(ray, workers) as crew, progress_bar("state", quiet=as_json) as bar:
        task = bar.add_task("tables", total=len(grid.tables), state="")

        def show(now: JobProgress) -> None:
            bar.update(task, completed=now.done, state=crew_state(now))

        found = sweep_rules(grid, crew, progress=show)
    if svg is not None:
        fixed = f" ({', '.join(changes)})" if changes else ""
        atomic_write(svg, found.svg(f"{rules}{fixed}: what a round is worth"))
    if as_json:
        emit({"preset": rules, "svg": None if svg is None else str(svg), **found.as_dict()})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    heading, lines = found.lines()
    for name in heading:
        table.add_column(name, justify="right")
    for line in lines:
        table.add_row(*line)
    console = output()
    console.print(table)
    best = found.grid.tables[found.best]
    value = 100 * found.values[found.best]
    console.print(f"best for the player: {best.summary}, {value:+.4f} % of the bet", markup=False)
    if svg is not None:
        console.print(f"The picture is in {svg}.", markup=False, soft_wrap=True)
