"""The options of every command whose work can be split: --ray and --workers.

`--device` of every command that can compute on a GPU, and what is said about the choice.

Options that would do nothing beside others are refused, not passed over.

The options that all blackjack commands share.

What all commands of `riverboat plot` share: where the picture goes and how it looks.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat import pictures
from riverboat.blackjack.rules import PRESETS
from riverboat.errors import UnknownNameError, UsageError
from riverboat.runtime.devices import choose_device, why_no_gpu
from riverboat.strategies.files import check_writable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from riverboat.jobs.job_list import JobProgress
    from riverboat.solvers.result import SolveResult

__all__ = [
    "Changes",
    "Count",
    "DeviceOption",
    "Keep",
    "NumHands",
    "Out",
    "Preset",
    "Ramp",
    "RayAddress",
    "Strategy",
    "Theme",
    "Title",
    "Workers",
    "check",
    "chosen_device",
    "crew_state",
    "explain_device",
    "given",
    "refuse_idle",
    "tree_device",
    "write",
]


RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Split the work on a Ray cluster: auto (this machine's), local, or HOST:PORT.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        max=100_000,
        help="Split the work: local processes, or with --ray the most jobs at the same time.",
    ),
]
Keep = Annotated[
    Path | None,
    typer.Option(
        "--keep",
        metavar="FOLDER",
        help="Keep what was played there; the same command again plays what is missing.",
    ),
]


def crew_state(now: JobProgress) -> str:
    """Who works, and what had to be done again, in a few words."""
    again = f" · {now.retried} done again" if now.retried else ""
    known = f" · {now.known} were there" if now.known else ""
    return f"{now.done} of {now.total}{known} · {now.workers} at work{again}"


DeviceOption = Annotated[
    str, typer.Option("--device", help="cpu, cuda (a GPU), or auto: a GPU where there is one.")
]


def chosen_device(wanted: str, *, quiet: bool) -> str:
    """ "cpu" or "cuda"; where `auto` finds no GPU it says so."""

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


def given(context: typer.Context, name: str) -> bool:
    """Whether somebody has written this option."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_idle(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse those of the named options that were given."""

    for parameter in context.command.params:
        if parameter.name in names and given(context, parameter.name):
            raise UsageError(f"{parameter.opts[0]} {why}.")


def _complete(incomplete: str) -> list[str]:

    return [name for name in PRESETS if name.startswith(incomplete)]


Preset = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="PRESET",
        help="A rule set by name, e.g. vegas-6d-s17.",
        autocompletion=_complete,
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a rule, e.g. h17=true; repeatable."),
]
Strategy = Annotated[
    str,
    typer.Option(
        "--strategy",
        metavar="CHART",
        help="best for the rules, published, or a rule of thumb: mimic-dealer, never-bust.",
    ),
]
Count = Annotated[
    str | None, typer.Option("--count", metavar="SYSTEM", help="Count: hilo, ko, zen, …")
]
Ramp = Annotated[
    str | None, typer.Option("--ramp", help="Bets by the count, e.g. '1 2@1 4@2 8@3'.")
]
NumHands = Annotated[
    int, typer.Option("--hands", min=1, help="Hands you have; above 1 after a split.")
]


Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="A file ending in svg, png or pdf.")
]
Theme = Annotated[str, typer.Option("--theme", help="light or dark.")]
Title = Annotated[str, typer.Option("--title", help="In place of the picture's own.")]


def check(out: Path, theme: str) -> None:
    """Refuse what cannot be, before the work."""

    pictures.check_format(out.suffix)
    check_writable(out)
    if theme not in pictures.THEMES:
        raise UnknownNameError.among("theme", theme, pictures.THEMES)


def write(figure: Figure, out: Path) -> None:
    """Write the picture and say so."""

    pictures.save(figure, out)
    print(f"{out} written")
