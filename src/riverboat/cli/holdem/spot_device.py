"""`--device` of the commands on spots: which device, what is said about it, and its compiling."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.console import progress_bar

if TYPE_CHECKING:
    from riverboat.holdem.spots.spot_solver import SpotSolver

__all__ = ["DeviceOption", "chosen_device", "compiled_with_bar"]

DeviceOption = Annotated[
    str, typer.Option("--device", help="cpu, cuda (a GPU), or auto: a GPU where there is one.")
]


def chosen_device(wanted: str, *, quiet: bool) -> str:
    """ "cpu" or "cuda"; where `auto` finds no GPU it says so."""
    from riverboat.devices import choose_device, why_no_gpu

    chosen = choose_device(wanted)
    if wanted == "auto" and chosen == "cpu" and not quiet:
        print(f"On the CPU: {why_no_gpu()}", file=sys.stderr)
    return chosen


def compiled_with_bar(solver: SpotSolver, *, quiet: bool) -> float:
    """Make a solver ready; a GPU's kernels are compiled once for each kind of tree, with a bar."""
    if solver.device_name == "cpu" or quiet:
        return solver.compile()
    with progress_bar("state", quiet=False) as bar:
        task = bar.add_task("compiling for the GPU", total=1.0, state="")

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done / total, state=f"{done} of {total} kernels")

        return solver.compile(show)
