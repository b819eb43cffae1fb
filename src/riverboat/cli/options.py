"""The options that several commands have, each declared once, so that it means the same everywhere.

`HIDDEN` has the old names of options: they are taken, and help does not show them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.errors import UsageError
from riverboat.runtime.devices import choose_device, why_no_gpu

if TYPE_CHECKING:
    from riverboat.jobs.job_list import JobProgress
    from riverboat.solvers.result import SolveResult


HIDDEN = {
    "--set": ("--parameter",),
    "--abstraction": ("-a",),
    "--bot": ("--player",),
    "--from-memory": ("--memory",),
    "--max-characters": ("--limit",),
    "--out": ("--svg", "--output"),
    "--port": ("-p",),
    "--turn-limit": ("--limit",),
}
"""Name of an option → its other names that help leaves out."""


def _complete_game(incomplete: str) -> list[str]:
    from riverboat.games.registry import GAMES

    return [name for name in GAMES if name.startswith(incomplete)]


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="See `riverboat games`; openspiel:NAME for a game of OpenSpiel.",
        autocompletion=_complete_game,
    ),
]
Parameters = Annotated[
    list[str],
    typer.Option(
        "--set",
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        help="Set a parameter of the game or a rule of the table; repeatable.",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-p",
        metavar="NAME=VALUE",
        help="Set a parameter of the game or a rule of the table, e.g. h17=true; repeatable.",
    ),
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="TCP port; 0 takes a free one.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same run.")]
SeedIfGiven = Annotated[
    int | None, typer.Option("--seed", min=0, help="The same seed gives the same run; default 0.")
]
Hands = Annotated[int, typer.Option("--hands", min=1, help="Number of hands.")]
Seconds = Annotated[float | None, typer.Option("--seconds", help="Stop after this many seconds.")]
Resume = Annotated[
    Path | None, typer.Option("--resume", metavar="FILE", help="Go on from a saved file.")
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="SIZE", help="Memory that may be used: 4GiB, 800MB, or a number of GiB."
    ),
]
Threads = Annotated[int, typer.Option("--threads", min=1, max=256, help="Threads to compute with.")]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="X",
        help="Stop at this exploitability (twenty-one: regret), in chips; X% of a spot's pot.",
    ),
]
Iterations = Annotated[
    int | None, typer.Option("--iterations", min=1, help="Stop after N iterations in all.")
]
Picture = Annotated[
    Path | None, typer.Option("--out", "--svg", metavar="FILE", help="Draw it as SVG.")
]


def chips(target: str | None) -> float | None:
    """The number of a `--target` that is no share of a pot."""
    try:
        return None if target is None else float(target)
    except ValueError:
        raise UsageError(f"--target takes a number such as 1e-4, not {target!r}.") from None


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


def _complete_preset(incomplete: str) -> list[str]:
    from riverboat.blackjack.rules import PRESETS

    return [name for name in PRESETS if name.startswith(incomplete)]


Preset = Annotated[
    str,
    typer.Option(
        "--rules",
        metavar="PRESET",
        help="A rule set by name, e.g. vegas-6d-s17.",
        autocompletion=_complete_preset,
    ),
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
