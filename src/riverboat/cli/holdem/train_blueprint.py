"""`riverboat train holdem`: MCCFR on an abstract hold'em game, with a view of what forms."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Group
from rich.text import Text

from riverboat.cli import options
from riverboat.cli.console import emit, exit_if_stopped, live_screen, output
from riverboat.cli.groups import App
from riverboat.cli.holdem.abstraction import street_progress
from riverboat.cli.options import check_places, count_option, number_option, option
from riverboat.cli.out_files import STRATEGY, check_out
from riverboat.drawing.grid_text import GridText
from riverboat.errors import UsageError
from riverboat.runtime.devices import parse_memory
from riverboat.solvers.run import Autosave, Limit, Progress, save_somewhere

if TYPE_CHECKING:
    from riverboat.holdem.blueprints.trainer import HoldemTrainer
    from riverboat.holdem.blueprints.trainer_report import GameSize, TrainingReport
    from riverboat.holdem.blueprints.training_jobs import TrainerMaker

app = App()

CHECKPOINT_SECONDS = 60.0
VIEW_SECONDS = 2.0
STRENGTH_SECONDS = 15.0
STRENGTH_DEALS = 20_000
DEFAULT_CONFIG, DEFAULT_MINUTES = "headsup-small", 10.0


@app.command("holdem")
def holdem(
    config: Annotated[
        str | None,
        option(
            "headsup-small (the default), sixmax-small, sixmax-book, headsup-100bb, or a file.",
            metavar="NAME|FILE.toml",
        ),
    ] = None,
    minutes: Annotated[
        float | None, number_option("--minutes", "Minutes to train; default 10.", min=0.0)
    ] = None,
    iterations: options.Iterations = None,
    threads: Annotated[
        int | None, count_option("--threads", "One, the default, is deterministic.", min=1, max=256)
    ] = None,
    seed: options.SeedIfGiven = None,
    out: Annotated[Path | None, option("Blueprint; default CONFIG.rb.")] = None,
    checkpoint: Annotated[Path | None, option("Renewed every minute and at the end.")] = None,
    resume: options.Resume = None,
    memory: options.Memory = "8GiB",
    dry_run: Annotated[bool, option("--dry-run", "Only report the size of the game.")] = False,
    ray: options.RayAddress = None,
    workers: options.Workers = None,
    parts: Annotated[
        int | None,
        count_option(
            "--parts",
            "With --workers or --ray: chunks of a round, about as many as cores; default 16.",
            min=1,
            max=65_535,
        ),
    ] = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Train a hold'em strategy by external-sampling MCCFR.

    An iteration is one player's walk over one deal. Ctrl-C keeps what was learned.

    With --workers or --ray the walks are spread over processes or a cluster. The result then
    depends on seed and parts alone, not on how many workers there are or which of them die.

    \b
    Examples:
    riverboat train holdem --dry-run
    riverboat train holdem --config headsup-small --minutes 10 --threads 2
    riverboat example short-stacks.toml
    riverboat train holdem --config short-stacks.toml --minutes 0.2 --checkpoint run.rb
    riverboat train holdem --config short-stacks.toml --minutes 0.2 --workers 2 --parts 4
    """
    from riverboat.holdem.blueprints.trainer_report import TrainingReport
    from riverboat.holdem.blueprints.training_jobs import open_maker

    if resume is not None and out is None and not dry_run:
        raise UsageError("--resume needs --out FILE for the blueprint.")
    target = out or Path(f"{Path(config or DEFAULT_CONFIG).stem}.rb")
    for name, path in (("--checkpoint", checkpoint), ("--resume", resume)):
        if path is not None and path.resolve() == target.resolve():
            raise UsageError(f"{name} and the blueprint are both {target}; give --out another.")
    if not dry_run:
        check_out(target, STRATEGY)
        check_places(checkpoint)
    if parts is not None and ray is None and workers is None:
        raise UsageError("--parts cuts what workers do; it needs --workers or --ray.")
    timed = iterations is None or minutes is not None
    seconds = 60 * (DEFAULT_MINUTES if minutes is None else minutes) if timed else None
    source = config if resume is not None else config or DEFAULT_CONFIG
    with open_maker(ray, workers, threads=threads, seed=seed, parts=parts) as maker:
        trainer = _open(maker, source, resume, parse_memory(memory or "8GiB"), dry_run, as_json)
        if trainer is None:
            return
        limit = Limit(iterations, None, seconds)
        saved = _train(trainer, limit, target, checkpoint, quiet=as_json)
        report = TrainingReport.of(trainer)
        if as_json:
            files = {"out": str(saved[0]), "checkpoint": str(saved[1]) if saved[1] else None}
            emit(report.as_dict() | files | maker.facts(trainer))
        else:
            _show(report, trainer, *saved, maker.words(trainer))
    exit_if_stopped(trainer.stopped)


def _open(
    maker: TrainerMaker,
    config: str | None,
    resume: Path | None,
    memory: int,
    dry_run: bool,
    as_json: bool,
) -> HoldemTrainer | None:
    """The trainer, new or from a checkpoint, after printing its game's size; None for a dry run."""
    from riverboat.holdem.blueprints.trainer_report import GameSize

    if resume is None:
        trainer, size = _begin(maker, str(config), memory, dry_run, not (as_json or dry_run))
    else:
        with street_progress(quiet=as_json) as progress:
            trainer = maker.load(resume, memory, progress, config)
        size = GameSize.of(trainer.abstract.tree, trainer.abstract.buckets.num_buckets)
        if not (as_json or dry_run):
            output().print(str(size))
    if not dry_run:
        return trainer
    emit(size.as_dict()) if as_json else output().print(str(size))
    return None


def _begin(
    maker: TrainerMaker, config: str, memory: int, dry_run: bool, shown: bool
) -> tuple[HoldemTrainer | None, GameSize]:
    """A new trainer and the size of its game, shown before card tables are built if it is known.

    A dry run has no trainer, and builds tables only where their size is not known otherwise.
    """
    from riverboat.holdem.blueprints.game_config import GamePlan, read_config
    from riverboat.holdem.blueprints.trainer_report import GameSize

    plan = GamePlan.of(read_config(config), memory)
    if plan.num_buckets is not None:
        size = GameSize.of(plan.tree, plan.num_buckets)
        if shown:
            output().print(str(size))
        if dry_run:
            return None, size
    with street_progress(quiet=not shown) as progress:
        abstract = plan.build(threads=maker.threads or 1, progress=progress)
    if plan.num_buckets is None:
        size = GameSize.of(plan.tree, abstract.buckets.num_buckets)
        if shown:
            output().print(str(size))
    return (None if dry_run else maker.new(abstract)), size


def _train(
    trainer: HoldemTrainer, limit: Limit, target: Path, checkpoint: Path | None, *, quiet: bool
) -> tuple[Path, Path | None]:
    """Train until the limit or a stop, write what was learned, and say where to."""
    live = live_screen(quiet=quiet)
    shown, view = time.monotonic(), View(trainer)
    autosave = None
    if checkpoint is not None:
        autosave = Autosave(trainer.save, checkpoint, every=CHECKPOINT_SECONDS)

    def progress(now: Progress) -> None:
        nonlocal shown
        if live is not None and time.monotonic() - shown > VIEW_SECONDS:
            live.update(view.render(now), refresh=True)
            shown = time.monotonic()

    try:
        if live is not None:
            live.start()
        trainer.run(limit, progress, autosave)
    finally:
        if live is not None:
            live.stop()
    blueprint = trainer.blueprint()
    return save_somewhere(blueprint.save, target), autosave.finish() if autosave else None


class View:
    """What is shown while training: speed, infosets touched, a strength figure, the first range."""

    def __init__(self, trainer: HoldemTrainer) -> None:
        self.trainer = trainer
        self.measured, self.strength = 0.0, "…"

    def render(self, now: Progress) -> Group:
        from riverboat.holdem.blueprints.abstract_play import against
        from riverboat.holdem.blueprints.trainer_report import opening_grid

        trainer = self.trainer
        if time.monotonic() - self.measured > STRENGTH_SECONDS:
            self.strength = str(against(trainer.abstract, trainer.table, deals=STRENGTH_DEALS))
            self.measured = time.monotonic()
        lines = Text(
            f"{now.share:4.0%}  {now.iterations:,} iterations"
            f"  {now.rate:,.0f}/s  {now.seconds:,.0f} s\n"
            f"infosets touched {trainer.sweep():,} of {trainer.abstract.num_infosets:,}\n"
            f"against always-call, inside the abstraction {self.strength}\n"
        )
        grid = opening_grid(trainer)
        return Group(lines, GridText(grid, legend=True)) if grid is not None else Group(lines)


def _show(
    report: TrainingReport,
    trainer: HoldemTrainer,
    target: Path,
    checkpoint: Path | None,
    more_lines: list[str],
) -> None:
    from riverboat.holdem.blueprints.trainer_report import opening_grid

    console = output()
    if report.stopped:
        console.print("[yellow]Stopped early; this is what was learned so far.[/]")
    grid = opening_grid(trainer)
    if grid is not None:
        console.print(GridText(grid, legend=True))
    for line in [*report.lines(), *more_lines]:
        console.print(line)
    lines = [f"saved {target}: riverboat play holdem --against blueprint:{target}"]
    if checkpoint:
        more = f"--resume {checkpoint} --checkpoint {checkpoint} --out {target}"
        crew = " (with --workers or --ray)" if more_lines else ""
        lines.append(f"to go on{crew}: riverboat train holdem {more}")
    console.print("\n".join(lines), markup=False, soft_wrap=True)
