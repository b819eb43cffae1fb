"""`riverboat train twentyone`: a Q table learned by millions of games, with its exact regret."""

from __future__ import annotations

import time
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from riverboat import pictures
from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import emit, exit_if_stopped, facts_table, output
from riverboat.cli.groups import App
from riverboat.cli.options import chips, count_option, option
from riverboat.cli.out_files import STRATEGY, check_out, check_plot
from riverboat.errors import UsageError
from riverboat.runtime.storage import unused_path
from riverboat.solvers.run import Autosave, Limit, Progress, save_somewhere
from riverboat.twentyone.game import VALUES
from riverboat.twentyone.learning.information import labels

if TYPE_CHECKING:
    from riverboat.twentyone.learning.learner import Trainer
    from riverboat.twentyone.learning.regret import Checkpoint

app = App()


@app.command("twentyone")
@app.command("train")
def twentyone(
    method: Annotated[
        str | None, option("literal, on-policy (default), off-policy, q-learning, sarsa.")
    ] = None,
    state: Annotated[str | None, option("points (default), soft or composition.")] = None,
    objective: Annotated[str | None, option("reward (default) or wins.")] = None,
    games: Annotated[
        int | None,
        count_option(
            "--games",
            "Games to play, default 10,000,000 (more of them with --q).",
            min=0,
            max=10**15,
        ),
    ] = None,
    target: options.Target = None,
    seconds: options.Seconds = None,
    seed: options.SeedIfGiven = None,
    q: Annotated[Path | None, option("Go on from this table (.csv: start from it).")] = None,
    out: Annotated[Path | None, option("Save the Q table here.")] = None,
    csv: Annotated[Path | None, option("Write the table as CSV too.")] = None,
    plot: Annotated[Path | None, option("Draw the regret curve (.svg, .png, .pdf).")] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Learn twenty-one by playing it and measure the result exactly.

    The regret is what the table's greedy play loses per game compared with the best play that
    uses the same information. With --out the table is saved every few seconds and when the run is
    stopped (Ctrl-C, SIGTERM, SIGHUP); --q goes on as if nothing had happened.

    \b
    Examples:
    riverboat train twentyone --state soft --out q.rb
    riverboat train twentyone --q q.rb --games 5e6 --out q.rb --csv q.csv
    """
    from riverboat.twentyone.learning.learner import open_trainer
    from riverboat.twentyone.learning.regret import training_facts

    check_out(out, STRATEGY)
    check_out(csv, ("csv",), "--csv")
    check_plot(plot)
    trainer = open_trainer(q, method=method, state=state, objective=objective, seed=seed)
    before = trainer.games
    limit = _limit(trainer, games, chips(target), seconds)
    measured, spent, stopped = _train(trainer, limit, out, quiet=as_json)
    if stopped and out is None:
        out = unused_path("twentyone-stopped")
    out = _save(trainer, out, csv, plot)
    facts = training_facts(trainer, measured) | {
        "seconds": spent,
        "games_per_second": (trainer.games - before) / spent,
        "stopped": stopped,
        "out": str(out) if out else None,
        "csv": str(csv) if csv else None,
        "plot": str(plot) if plot else None,
    }
    emit(facts) if as_json else _show(trainer, facts)
    exit_if_stopped(stopped)


def _limit(
    trainer: Trainer, games: int | None, target: float | None, seconds: float | None
) -> Limit | None:
    """When to stop; None where nothing is to be played."""
    if games is not None and (target is not None or seconds is not None):
        raise UsageError("Give one limit only: --games, --target or --seconds.")
    if target is None and seconds is None:
        games = 10_000_000 if games is None else games
        return Limit(iterations=trainer.games + games) if games else None
    return Limit.one_of(None, target, seconds)


def _train(
    trainer: Trainer, limit: Limit | None, out: Path | None, *, quiet: bool
) -> tuple[Checkpoint, float, bool]:
    """Train behind a progress bar, saving on the way; an interrupt ends it and loses nothing."""
    from riverboat.twentyone.learning.regret import checkpoint, train

    trainer.run(0)  # Compiling and the exact solution are not training time.
    measured = checkpoint(trainer.table, trainer.games)
    began = time.perf_counter()
    autosave = None if out is None else Autosave(lambda path: trainer.table.save(path), out)
    with work_bar(f"twenty-one, {trainer.method}", quiet=quiet) as bar:

        def show(now: Progress) -> None:
            text = f"{now.iterations:,} games · regret {now.exploitability:.2e}"
            bar.show(now.share, 1.0, text)

        if limit is not None:
            measured = train(trainer, limit, show, autosave)
    return measured, time.perf_counter() - began, measured.stopped


def _save(trainer: Trainer, out: Path | None, csv: Path | None, plot: Path | None) -> Path | None:
    """Write what was asked for; where the table went."""
    table = trainer.table
    if out is not None:
        out = save_somewhere(table.save, out)
    if csv is not None:
        table.to_csv(csv)
    if plot is not None:
        title = f"Twenty-one: {table.state}, {table.objective}"
        pictures.save(pictures.curves(title, {trainer.method: trainer.curve}), plot)
    return out


def _show(trainer: Trainer, facts: dict[str, Any]) -> None:
    console = output()
    if facts["stopped"]:
        console.print("[yellow]Stopped early; this is what was learned so far.[/]")
    lines = facts_table()
    lines.add_row("method", f"{facts['method']}, state {facts['state']}, seed {facts['seed']}")
    rate = f"{facts['seconds']:.3g} s, {facts['games_per_second'] / 1e6:.1f} million per second"
    lines.add_row("games", f"{facts['games']:,}  [dim]last {rate}[/]")
    lines.add_row(
        "outcome", f"win {facts['win']:.6f}  push {facts['push']:.6f}  lose {facts['lose']:.6f}"
    )
    lines.add_row(facts["objective"], f"{facts['value']:+z.7f}  best {facts['optimum']:+z.7f}")
    lines.add_row("regret", f"{facts['regret']:.2e} per game")
    decades = [(games, regret) for games, regret in facts["curve"] if str(games)[0] == "1"]
    if decades:
        curve = ", ".join(f"1e{len(str(games)) - 1} {regret:.1e}" for games, regret in decades)
        lines.add_row("on the way", f"[dim]{curve}[/]")
    if facts["limit"] is not None:
        lines.add_row("", f"[dim]random play's averages end at {facts['limit']:+z.7f}[/]")
    for name in ("out", "csv", "plot"):
        if facts[name]:
            lines.add_row("saved", str(facts[name]))
    console.print(lines)
    if facts["state"] != "composition":
        console.print(_chart(trainer))


def _chart(trainer: Trainer) -> str:
    """The greedy play as a grid, equal rows as one: H hits, s stands, · was never tried."""
    table = trainer.table
    rows = zip(labels(table.state), table.greedy().reshape(-1, 10).tolist(), strict=True)
    lines = ["\n            " + "  ".join(VALUES)]
    for decisions, group in groupby(rows, key=lambda row: row[1]):
        names = [label for label, _ in group]
        name = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        lines.append(f"{name:>10}  " + "  ".join("sH·"[decision] for decision in decisions))
    return "\n".join(lines)
