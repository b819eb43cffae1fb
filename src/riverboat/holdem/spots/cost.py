"""What a solve of a spot takes: memory, time and the size of its file, known before it starts.

Without a limit of its own a solve takes at most half of the machine's memory, and no more than what
is free when it starts (`default_memory`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from riverboat.holdem.spots.layout import bytes_text as bytes_text
from riverboat.holdem.spots.solved import kept_bytes
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.runtime.devices import free_memory, machine_memory

if TYPE_CHECKING:
    from riverboat.solvers.run import Limit

UPDATE_SECONDS = 4e-9
"""Of one core, for each hand and action of an iteration; measured with two players,"""
UPDATE_SECONDS_OF_THREE = 1e-7  # and with three
USUAL_ITERATIONS = 200  # To 0.3 % of the pot: 100 to 350 in the spots that were measured
TARGET_POWER = 0.6  # Iterations grow as this power of 1 / target


@dataclass(frozen=True)
class SolveCost:
    """What a solve takes."""

    memory: int  # Bytes
    file: int  # Bytes of the file that is written while it runs, and at the end
    seconds: float | None  # Roughly, on an idle machine; None on a GPU

    @property
    def text(self) -> str:
        """Memory and time in words."""
        time = "" if self.seconds is None else f" and roughly {seconds_text(self.seconds)}"
        return f"The solve takes {bytes_text(self.memory)} of memory{time}"


def solve_cost(solver: SpotSolver, limit: Limit, *, without: str | None = None) -> SolveCost:
    """What a solve up to a limit takes; `without` names the streets that the file leaves out."""
    size = solver.size
    two = solver.spot.num_players == 2
    file = kept_bytes(solver.layout, int16=two and solver.int16, without=without)
    update_seconds = UPDATE_SECONDS if two else UPDATE_SECONDS_OF_THREE
    if solver.device_name != "cpu":
        return SolveCost(solver.memory_bytes, file, None)
    iterations = float("inf")
    if limit.target is not None:
        iterations = (0.003 * solver.spot.stake / limit.target) ** TARGET_POWER * USUAL_ITERATIONS
    if limit.iterations is not None:
        iterations = min(iterations, limit.iterations)
    iterations_left = max(0.0, iterations - solver.iterations)
    threads = solver.threads if solver.num_streets > 1 else 1
    seconds = iterations_left * update_seconds * size.updates / threads
    return SolveCost(solver.memory_bytes, file, min(seconds, limit.seconds or float("inf")))


def default_memory() -> int:
    """Bytes that a solve takes without being told: half of the machine's, and what is free now."""
    whole = machine_memory()
    half = 1 << 62 if whole is None else whole // 2
    free = free_memory()
    return half if free is None else min(half, free)


def seconds_text(seconds: float) -> str:
    """As "a second", "40 seconds", "12 minutes" or "5 hours"."""
    if seconds < 1.5:
        return "a second"
    for name, unit in (("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0)):
        if seconds >= 2 * unit or unit == 1.0:
            return f"{seconds / unit:.0f} {name}"
    raise AssertionError
