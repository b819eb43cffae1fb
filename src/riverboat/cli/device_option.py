"""`--device` of every command that can compute on a GPU, and what is said about the choice."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from riverboat.solvers.result import SolveResult

__all__ = ["DeviceOption", "chosen_device", "explain_device", "tree_device"]

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


def tree_device(wanted: str, *, quiet: bool) -> str:
    """The same for solvers of game trees, to which `auto` is left where there is a GPU."""
    return wanted if chosen_device(wanted, quiet=quiet) == "cuda" else "cpu"


def explain_device(result: SolveResult[Any], *, quiet: bool) -> None:
    """Say why `auto` left a GPU alone."""
    note = result.strategy.info.get("device_note")
    if note and not quiet:
        print(f"On the CPU: {note}", file=sys.stderr)
