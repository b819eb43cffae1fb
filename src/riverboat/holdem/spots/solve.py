"""A whole solve in one call: memory, limits, progress, checkpoints, resume.

>>> solved = solve_spot(Spot.load("3bet.toml"), target="0.3%", threads=2)   # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from riverboat.errors import FileFormatError, StorageError, TooLargeError, UsageError
from riverboat.holdem.spots.cost import default_memory
from riverboat.holdem.spots.locks import Lock, as_locks
from riverboat.holdem.spots.schedule import DEFAULT_TARGET, parse_target
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.devices import choose_device, parse_memory
from riverboat.solvers.run import Autosave, Limit, ProgressCallback, save_somewhere

CHECKPOINT_SECONDS = 30.0
"""Between two checkpoints, unless writing one takes more than a twentieth of that."""


def spot_limit(
    pot: float,
    target: str | float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
) -> Limit:
    """Where to stop; without any limit at 0.3 % of the pot. The first one reached counts.

    A target is chips, or a text such as "0.3%" of the pot.
    """
    chips = parse_target(target, pot) if isinstance(target, str) else target
    if chips is None and iterations is None and seconds is None:
        chips = DEFAULT_TARGET * pot
    return Limit(iterations, chips, seconds)


def open_solver(
    spot: Spot | None,
    *,
    threads: int = 1,
    memory: int | None = None,
    resume: str | Path | None = None,
    locks: Sequence[Lock] = (),
    device: str = "cpu",
) -> SpotSolver:
    """A new solver, or the one in a file; the spot, where given too, must be the file's.

    `device` is "cpu", "cuda" or "auto", which takes a GPU where there is one.
    """
    chosen = choose_device(device)
    if chosen != "cpu" or memory is not None:
        return _open(spot, chosen, threads, memory, resume, locks)
    try:
        return _open(spot, chosen, threads, default_memory(), resume, locks)
    except TooLargeError as error:
        raise TooLargeError(
            f"{str(error).removesuffix('.')}, or allow more with --memory (memory= in Python):"
            " without it a solve takes at most half of the machine's memory, and only what is free."
        ) from None


def _open(
    spot: Spot | None,
    chosen: str,
    threads: int,
    limit: int | None,
    resume: str | Path | None,
    locks: Sequence[Lock],
) -> SpotSolver:
    if resume is not None:
        _check_room_to_load(resume, limit)
        solver = SpotSolver.load(resume, device=chosen, threads=threads)
        _check_same(resume, spot, locks, solver.spot, solver.locks)
        return solver
    if spot is None:
        raise UsageError("Give a spot to solve, or a file to go on from.")
    return make_solver(spot, device=chosen, threads=threads, memory=limit, locks=locks)


def _check_room_to_load(path: str | Path, limit: int | None) -> None:
    """Refuse a file whose numbers, which a solver takes over, exceed the memory allowed."""
    with suppress(OSError):
        size = Path(path).stat().st_size
        if limit is not None and size > limit:
            raise TooLargeError(
                f"{path} takes {size / 2**30:.2f} GiB of memory, more than the"
                f" {limit / 2**30:.2f} GiB allowed; solve the spot with fewer sizes or smaller"
                " ranges."
            )


def _check_same(
    resume: str | Path,
    spot: Spot | None,
    locks: Sequence[Lock],
    kept: Spot,
    kept_locks: Sequence[Lock],
) -> None:
    if locks and tuple(locks) != tuple(kept_locks):
        raise UsageError(f"{resume} was solved with other locks; solve anew with these.")
    if spot is not None and spot != kept:
        raise UsageError(f"{resume} holds another spot; go on with it alone, or solve anew.")


def run_solver(
    solver: SpotSolver,
    limit: Limit,
    *,
    progress: ProgressCallback | None = None,
    checkpoint: str | Path | None = None,
    every: float = CHECKPOINT_SECONDS,
    finishing: Callable[[str], None] | None = None,
    without: str | None = None,
) -> Path | None:
    """Run to a limit and renew the checkpoint on the way; at the end it holds everything.

    Args:
        checkpoint: The file; a full disk is reported, and writing is tried again.
        without: "rivers" or "turns": the file never holds more than the streets before, on the way
            neither. It is read as a solved spot, but a solver cannot go on from it.
        every: Seconds between two checkpoints; more where writing takes long.
        finishing: Called with "measuring" and "saving" before what follows the last iteration.

    Returns:
        Where the file is: the checkpoint's path, or another where that could not be written.
    """

    def report(stage: str) -> None:
        if finishing is not None:
            finishing(stage)

    def save_kept(path: Path, stale: bool = False) -> None:
        solver.result(stale=stale).save(path, without=without)

    if without is not None and solver.spot.num_players > 2:
        raise UsageError("A spot of three players is kept whole; leave out --drop-streets.")
    saving = None
    if checkpoint is not None:
        save = solver.save_checkpoint if without is None else partial(save_kept, stale=True)
        saving = Autosave(save, checkpoint, every=every)
    solver.run(limit, progress, autosave=saving, finishing=lambda: report("measuring"))
    if saving is None or checkpoint is None:
        return None
    report("saving")
    return save_somewhere(solver.save if without is None else save_kept, checkpoint)


def go_on(spot: Spot, checkpoint: str | Path, **options: Any) -> SpotSolver:
    """The solver in a checkpoint of this spot and these locks; a new one where there is none.

    `options` are those of `open_solver`. A checkpoint that is damaged, or of another spot, counts
    as none: a page that was killed while it solved loses at most the seconds since the last one.
    """
    try:
        return open_solver(spot, resume=checkpoint, **options)
    except (FileFormatError, StorageError, UsageError):
        return open_solver(spot, **options)


def solve_spot(
    spot: Spot,
    *,
    target: str | float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    memory: int | str | None = None,
    progress: ProgressCallback | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    locks: Sequence[Lock | str] = (),
    device: str = "cpu",
) -> SolvedSpot:
    """Solve a spot; the first limit that is reached counts, 0.3 % of the pot without any.

    Args:
        target: Exploitability in chips, or a text such as "0.3%" of the pot. For three players: the
            sum of what each could gain by a best response.
        iterations: Limit of iterations, those before a resume included.
        seconds: Limit of time.
        threads: Threads on the CPU.
        memory: Bytes, or a text such as "4GiB"; by default half of the machine's
            memory, if that is free; a spot that needs more is refused.
        progress: Called ten times a second with a solvers.run.Progress.
        checkpoint: A file that is renewed on the way and holds everything at the end.
        resume: Such a file to go on from.
        locks: Nodes whose strategy is given: a Lock, or its text as in `parse_lock`.
        device: "cpu", "cuda" or "auto", which takes a GPU where there is one.
    """
    allowed = parse_memory(memory) if isinstance(memory, str) else memory
    given = as_locks(locks)
    solver = open_solver(
        spot, threads=threads, memory=allowed, resume=resume, locks=given, device=device
    )
    limit = spot_limit(spot.stake, target, iterations, seconds)
    solver.compile()
    run_solver(solver, limit, progress=progress, checkpoint=checkpoint)
    return solver.result()
