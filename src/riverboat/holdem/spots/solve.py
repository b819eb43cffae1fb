"""A whole solve in one call: memory, limits, progress, checkpoints, resume.

>>> solved = solve_spot(Spot.load("3bet.toml"), target="0.3%", threads=2)   # doctest: +SKIP
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from riverboat.errors import UsageError
from riverboat.holdem.spots.engine.solver import (
    DEFAULT_TARGET,
    SpotProgress,
    SpotSolver,
    parse_target,
    solver_kind,
)
from riverboat.holdem.spots.locks import Lock
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.devices import choose_device, machine_memory
from riverboat.solvers.run import Limit

__all__ = ["open_solver", "parse_memory", "run_solver", "solve_spot", "spot_limit"]

CHECKPOINT_SECONDS = 30.0
"""How often a running solve renews its file, unless writing takes a twentieth of that long."""
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)
_POWERS = {"": 3, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_memory(text: str) -> int:
    """Bytes from "4GiB", "800 MB" or "4" (GiB)."""
    found = _MEMORY.fullmatch(text.strip())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"{text!r} is no amount of memory; write for example 4GiB or 800MB.")
    decimal = (found[3] or "ib").lower() == "b" and found[2]
    return int(float(found[1]) * (1000 if decimal else 1024) ** _POWERS[found[2].lower()])


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
    limit = memory
    if chosen == "cpu" and memory is None:
        limit = machine_memory() or 1 << 62
    if resume is None:
        if spot is None:
            raise UsageError("Give a spot to solve, or a file to go on from.")
        return solver_kind(chosen)(spot, threads=threads, memory=limit, locks=locks)
    solver = SpotSolver.load(resume, threads=threads, device=chosen)
    if locks and tuple(locks) != solver.locks:
        raise UsageError(f"{resume} was solved with other locks; solve anew with these.")
    if spot is not None and spot != solver.spot:
        raise UsageError(f"{resume} holds another spot; go on with it alone, or solve anew.")
    return solver


def run_solver(
    solver: SpotSolver,
    limit: Limit,
    *,
    progress: Callable[[SpotProgress], None] | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> None:
    """Run to a limit and renew the checkpoint on the way; at the end it holds everything."""
    last = time.monotonic()
    pause = checkpoint_seconds

    def beat(now: SpotProgress) -> None:
        nonlocal last, pause
        if progress is not None:
            progress(now)
        if checkpoint is not None and time.monotonic() - last >= pause:
            start = time.monotonic()
            solver.save(checkpoint)
            last = time.monotonic()
            pause = max(checkpoint_seconds, 20 * (last - start))

    solver.run(limit, beat)
    if checkpoint is not None:
        solver.save(checkpoint)


def solve_spot(
    spot: Spot,
    *,
    target: str | float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    memory: int | str | None = None,
    progress: Callable[[SpotProgress], None] | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    locks: Sequence[Lock] = (),
    device: str = "cpu",
) -> SolvedSpot:
    """Solve a spot on a device "cpu", "cuda" or "auto", and give what was found."""
    allowed = parse_memory(memory) if isinstance(memory, str) else memory
    solver = open_solver(
        spot, threads=threads, memory=allowed, resume=resume, locks=locks, device=device
    )
    limit = spot_limit(spot.pot, target, iterations, seconds)
    solver.compile()
    run_solver(solver, limit, progress=progress, checkpoint=checkpoint)
    return solver.result()
