"""`riverboat train holdem`: MCCFR on an abstract hold'em game, with a view of what forms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.console import JsonFlag, emit, output
from riverboat.cli.holdem.abstraction_commands import street_progress

if TYPE_CHECKING:
    from rich.console import Group

    from riverboat.cli.holdem.grid import RangeGrid
    from riverboat.holdem.abstraction.betting_tree import BettingTree
    from riverboat.holdem.mccfr.mccfr import HoldemTrainer, TrainingState

app = typer.Typer()

CHECKPOINT_SECONDS = 60.0
VIEW_SECONDS = 2.0
STRENGTH_SECONDS = 15.0
STRENGTH_DEALS = 20_000
DEFAULT_CONFIG, DEFAULT_MINUTES = "headsup-small", 10.0


@app.command("holdem")
def holdem(
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="NAME|FILE.toml",
            help="headsup-small (the default), sixmax-small, headsup-100bb, or a file.",
        ),
    ] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0.0, help="Stop after so long; default 10.")
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", min=1, help="Stop after so many walks, in batches."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option("--threads", min=1, max=256, help="One, the default, is deterministic."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Makes chance repeatable; default 0.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Blueprint; default CONFIG.rb.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", metavar="FILE", help="Renewed every minute and at the end."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FILE", help="Go on from a checkpoint, exactly."),
    ] = None,
    memory: Annotated[
        float,
        typer.Option("--memory", min=0.0, max=1e6, help="Most gigabytes for regrets."),
    ] = 8.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report the size of the game.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Train a hold'em strategy by external-sampling MCCFR.

    An iteration is one player's walk over one deal. Ctrl-C keeps what was learned.

    Examples: riverboat train holdem --config headsup-small --minutes 10 --threads 2 ·
    riverboat train holdem --config mine.toml --checkpoint run.rb --out mine.rb
    """
    from riverboat.errors import UsageError
    from riverboat.holdem.mccfr.mccfr import HoldemTrainer
    from riverboat.strategies.files import check_writable

    if resume is not None and out is None and not dry_run:
        raise UsageError("--resume needs --out FILE for the blueprint.")
    target = out or Path(f"{Path(config or DEFAULT_CONFIG).stem}.rb")
    for name, path in (("--checkpoint", checkpoint), ("--resume", resume)):
        if path is not None and path.resolve() == target.resolve():
            raise UsageError(f"{name} and the blueprint are both {target}; give --out another.")
    for path in (target, checkpoint):
        if path is not None and not dry_run:
            check_writable(path)
    limit = int(memory * 1e9)
    if resume is None:
        source, told = config or DEFAULT_CONFIG, not (as_json or dry_run)
        trainer, size = _begin(source, seed or 0, threads or 1, limit, dry_run, told)
    else:
        with street_progress(quiet=as_json) as progress:
            going_on = HoldemTrainer.load(resume, memory_limit=limit, progress=progress)
        _check_same(going_on, config, seed, threads)
        trainer = going_on
        size = _size(trainer.abstract.tree, trainer.abstract.buckets.num_buckets)
        if not (as_json or dry_run):
            output().print(_size_line(size))
    if trainer is None or dry_run:
        _report(size, as_json)
        return
    seconds = (
        None
        if iterations is not None and minutes is None
        else 60 * (DEFAULT_MINUTES if minutes is None else minutes)
    )
    players = trainer.abstract.config.game.players
    deals = None if iterations is None else -(-iterations // players)
    stopped = _train(trainer, seconds, deals, target, checkpoint, quiet=as_json)
    facts = size | _outcome(trainer) | {"stopped": stopped, "out": str(target)}
    facts["checkpoint"] = str(checkpoint) if checkpoint else None
    _report(facts, as_json, trainer)
    if stopped:
        raise typer.Exit(130)


def _begin(
    config: str,
    seed: int,
    threads: int,
    memory: int,
    dry_run: bool,
    told: bool,
) -> tuple[HoldemTrainer | None, dict[str, Any]]:
    """A new trainer and the size of its game, told before card tables are built where it is known.

    A dry run has no trainer, and builds tables only where their size is not known otherwise.
    """
    from riverboat.holdem.abstraction.game_config import GamePlan, read_config
    from riverboat.holdem.mccfr.mccfr import HoldemTrainer

    plan = GamePlan.of(read_config(config), memory)
    if plan.num_buckets is not None:
        size = _size(plan.tree, plan.num_buckets)
        if told:
            output().print(_size_line(size))
        if dry_run:
            return None, size
    with street_progress(quiet=not told) as progress:
        abstract = plan.build(threads=threads, progress=progress)
    if plan.num_buckets is None:
        size = _size(plan.tree, abstract.buckets.num_buckets)
        if told:
            output().print(_size_line(size))
    return (None if dry_run else HoldemTrainer(abstract, seed=seed, threads=threads)), size


def _check_same(
    trainer: HoldemTrainer, config: str | None, seed: int | None, threads: int | None
) -> None:
    """Refuse options that say something else than the checkpoint does."""
    from riverboat.errors import UsageError
    from riverboat.holdem.abstraction.game_config import read_config

    mine = trainer.abstract.config
    if config is not None:
        asked = read_config(config)
        if (asked.game, asked.sizes, asked.training) != (mine.game, mine.sizes, mine.training):
            raise UsageError(
                f"The checkpoint is of another config than {config}; leave --config out."
            )
    if seed not in (None, trainer.seed) or threads not in (None, trainer.threads):
        raise UsageError(
            f"The checkpoint has seed {trainer.seed} and {trainer.threads} thread"
            f"{'s' * (trainer.threads != 1)}; go on with the same."
        )


def _size(tree: BettingTree, num_buckets: tuple[int, ...]) -> dict[str, Any]:
    return {
        "game": "holdem",
        "players": tree.game.players,
        "nodes": tree.num_nodes,
        "buckets": list(num_buckets),
        "infosets": tree.num_infosets(num_buckets),
        "bytes": tree.num_bytes(num_buckets),
    }


def _size_line(size: dict[str, Any]) -> str:
    buckets = "/".join(f"{count:,}" for count in size["buckets"])
    return (
        f"{size['players']} players, {size['nodes']:,} betting nodes, buckets {buckets}:"
        f" {size['infosets']:,} infosets, {size['bytes'] / 1e6:,.1f} MB"
    )


def _train(
    trainer: HoldemTrainer,
    seconds: float | None,
    deals: int | None,
    target: Path,
    checkpoint: Path | None,
    *,
    quiet: bool,
) -> bool:
    """Train until the limit or Ctrl-C, then write what was learned; whether it was stopped."""
    import sys
    import time

    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stderr)
    live = None
    if not quiet and console.is_terminal:
        live = Live(console=console, auto_refresh=False, transient=True)
    saved = shown = time.monotonic()
    view = View(trainer, seconds, deals)

    def progress(now: TrainingState) -> None:
        nonlocal saved, shown
        moment = time.monotonic()
        if checkpoint is not None and moment - saved > CHECKPOINT_SECONDS:
            trainer.save(checkpoint)
            saved = moment
        if live is not None and moment - shown > VIEW_SECONDS:
            live.update(view.render(now), refresh=True)
            shown = moment

    stopped = False
    try:
        if live is not None:
            live.start()
        trainer.run(deals=deals, seconds=seconds, progress=progress)
    except KeyboardInterrupt:
        stopped = True
    finally:
        if live is not None:
            live.stop()
    trainer.blueprint().save(target)
    if checkpoint is not None:
        trainer.save(checkpoint)
    return stopped


class View:
    """What is shown while training: speed, infosets touched, a strength figure, the first range."""

    def __init__(self, trainer: HoldemTrainer, seconds: float | None, deals: int | None) -> None:
        self.trainer, self.seconds, self.deals = trainer, seconds, deals
        self.first, self.began = trainer.deals, trainer.seconds
        self.measured, self.strength = 0.0, "…"

    def render(self, now: TrainingState) -> Group:
        import time

        from rich.console import Group
        from rich.text import Text

        trainer = self.trainer
        if time.monotonic() - self.measured > STRENGTH_SECONDS:
            from riverboat.holdem.strength.abstract_play import against

            self.strength = str(against(trainer.abstract, trainer.table, deals=STRENGTH_DEALS))
            self.measured = time.monotonic()
        done = trainer.deals - self.first
        share = (
            done / self.deals if self.deals else (now.seconds - self.began) / (self.seconds or 1)
        )
        lines = Text(
            f"{min(share, 1):4.0%}  {now.iterations:,} iterations"
            f"  {now.iterations_per_second:,.0f}/s  {now.seconds:,.0f} s\n"
            f"infosets touched {trainer.sweep():,} of {trainer.abstract.num_infosets:,}\n"
            f"against always-call, inside the abstraction {self.strength}\n"
        )
        grid = range_grid(trainer)
        return Group(lines, grid) if grid is not None else Group(lines)


def range_grid(trainer: HoldemTrainer) -> RangeGrid | None:
    """The opener's hands before the flop: how often each is raised, called and folded."""
    import numpy as np

    if trainer.abstract.buckets.num_buckets[0] != 169:
        return None
    from riverboat.cli.holdem.grid import first_range

    tree = trainer.abstract.tree
    row, offset, count = tree.infosets[0].tolist()
    stride, first = int(tree.strides[row]), int(trainer.starts[row])
    rows = trainer.table[first : int(trainer.starts[row + 1])].reshape(169, stride)
    averages = rows[:, offset + count : offset + 2 * count].astype(np.float64)
    total = averages.sum(axis=1, keepdims=True)
    chances = np.divide(averages, total, where=total > 0, out=np.full(averages.shape, 1 / count))
    return first_range(tree.actions(0).tolist(), chances)


def _outcome(trainer: HoldemTrainer) -> dict[str, Any]:
    from riverboat.holdem.strength.abstract_play import UNIFORM, against, seat_values

    abstract, table = trainer.abstract, trainer.table
    rate = trainer.iterations / trainer.seconds if trainer.seconds else 0.0
    seats = seat_values(abstract, table)
    simple = {
        "call": against(abstract, table),
        "random": against(abstract, table, UNIFORM),
    }
    return {
        "iterations": trainer.iterations,
        "deals": trainer.deals,
        "seconds": trainer.seconds,
        "iterations_per_second": rate,
        "threads": trainer.threads,
        "seed": trainer.seed,
        "touched": trainer.sweep(),
        "seats_mbb": [seat.mean for seat in seats],
        "seats_ci95": [seat.ci95 for seat in seats],
        "against_mbb": {name: found.mean for name, found in simple.items()},
        "against_ci95": {name: found.ci95 for name, found in simple.items()},
    }


def _report(facts: dict[str, Any], as_json: bool, trainer: HoldemTrainer | None = None) -> None:
    if as_json:
        emit(facts)
        return
    console = output()
    if trainer is None:
        console.print(_size_line(facts))
        return
    if facts["stopped"]:
        console.print("[yellow]Stopped early; this is what was learned so far.[/]")
    grid = range_grid(trainer)
    if grid is not None:
        console.print(grid)
    console.print(
        f"{facts['iterations']:,} iterations in {facts['seconds']:,.1f} s"
        f" ({facts['iterations_per_second']:,.0f}/s), {facts['touched']:,} infosets touched"
    )
    seats = "  ".join(
        f"{mean:+,.0f}\u00a0±\u00a0{width:,.0f}"
        for mean, width in zip(facts["seats_mbb"], facts["seats_ci95"], strict=True)
    )
    console.print(f"self-play by seat, mbb/g: {seats}")
    simple = ", ".join(
        f"{name} {mean:+,.0f}\u00a0±\u00a0{facts['against_ci95'][name]:,.0f}"
        for name, mean in facts["against_mbb"].items()
    )
    console.print(f"inside the abstraction against {simple} mbb/g")
    out, checkpoint = facts["out"], facts["checkpoint"]
    lines = [f"saved {out}: riverboat play holdem --against blueprint:{out}"]
    if checkpoint:
        more = f"--resume {checkpoint} --checkpoint {checkpoint} --out {out}"
        lines.append(f"to go on: riverboat train holdem {more}")
    console.print("\n".join(lines), markup=False, soft_wrap=True)
