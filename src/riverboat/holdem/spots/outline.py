"""What a GPU found on the first street: little to fetch, quick to read.

The streets after it are solved again when they are read.
"""

from __future__ import annotations

from typing import Any

from riverboat.holdem.spots.cuda.two_way_passes import CudaTwoWayPasses
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.solver import SpotSolver
from riverboat.solvers.algorithms import AVERAGE


def outline(solver: SpotSolver) -> SolvedSpot:
    """The first street of a spot for two with its values; of a river all."""
    info = solver.info()
    if solver.num_streets == 1:
        return solver.result()
    solved = first_street(solver, info, streets_kept=1)
    solved.device = solver.device_name
    return solved


def first_street(solver: SpotSolver, info: dict[str, Any], **facts: Any) -> SolvedSpot:
    """The first street's averages and values; `facts` are those of SolvedSpot."""
    passes = solver.passes
    assert isinstance(passes, CudaTwoWayPasses)
    # The values are those of the averages, whatever was measured last.
    passes.means(AVERAGE)
    values = {f"0.{player}": passes.first_street_values(player)[None] for player in (0, 1)}
    return SolvedSpot(solver.layout, passes.first_averages(), info, values=values, **facts)
