"""The bar while a spot's kernels are compiled for a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riverboat.cli.console import progress_bar

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot_solver import SpotSolver

__all__ = ["compiled_with_bar"]


def compiled_with_bar(solver: SpotSolver, *, quiet: bool) -> float:
    """Make a solver ready; a GPU's kernels are compiled once for each kind of tree, with a bar."""
    if solver.device_name == "cpu" or quiet:
        return solver.compile()
    with progress_bar("state", quiet=False) as bar:
        task = bar.add_task("compiling for the GPU", total=1.0, state="")

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done / total, state=f"{done} of {total} kernels")

        return solver.compile(show)
