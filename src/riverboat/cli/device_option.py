"""`--device` of every command that can compute on a GPU, and what is said about the choice."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

__all__ = ["DeviceOption", "chosen_device"]

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
