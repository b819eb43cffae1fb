"""The options that several commands have, each declared once: they mean the same everywhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riverboat.cli.numbers import LARGEST, MAX_COUNT, MAX_NUMBER, Number, WholeNumber
from riverboat.errors import UsageError
from riverboat.runtime.devices import choose_device, why_no_gpu
from riverboat.runtime.plugins import load_program
from riverboat.runtime.storage import check_writable

if TYPE_CHECKING:
    from riverboat.jobs.job_list import JobProgress
    from riverboat.solvers.result import SolveResult


def option(*names_and_help: str, **settings: Any) -> Any:
    """An option by its names, if it has others than its own, and what help says of it."""
    *names, words = names_and_help
    return typer.Option(*names, help=words, **settings)


def argument(words: str, **settings: Any) -> Any:
    """An argument by what help says of it."""
    return typer.Argument(help=words, **settings)


def count_option(
    *names_and_help: str, min: int | None = None, max: int | None = None, **settings: Any
) -> Any:
    """An option that takes a whole number, from 0 to MAX_COUNT unless it says otherwise."""
    return option(
        *names_and_help,
        parser=WholeNumber(names_and_help[0], min or 0, MAX_COUNT if max is None else max),
        **{"min": min, "max": max, "metavar": "N", **settings},
    )


def number_option(
    *names_and_help: str, min: float | None = None, max: float | None = None, **settings: Any
) -> Any:
    """An option that takes a number, from 0 to MAX_NUMBER unless it says otherwise."""
    return option(
        *names_and_help,
        parser=Number(names_and_help[0], min or 0, MAX_NUMBER if max is None else max),
        **{"min": min, "max": max, "metavar": "X", **settings},
    )


def count_argument(name: str, words: str, min: int | None = None, max: int | None = None) -> Any:
    """An argument that takes a whole number."""
    parser = WholeNumber(name, min or 0, MAX_COUNT if max is None else max)
    return argument(words, metavar=name, parser=parser, min=min, max=max)


def number_argument(name: str, words: str) -> Any:
    """An argument that takes a number."""
    return argument(words, metavar=name, parser=Number(name, 0, MAX_NUMBER))


def seed_option(words: str) -> Any:
    """A seed: any number that a generator takes."""
    return option("--seed", words, metavar="N", parser=WholeNumber("--seed", 0, LARGEST))


def _complete_game(incomplete: str) -> list[str]:
    from riverboat.games.registry import GAMES

    return [name for name in GAMES if name.startswith(incomplete)]


def _complete_preset(incomplete: str) -> list[str]:
    from riverboat.blackjack.rules import PRESETS

    return [name for name in PRESETS if name.startswith(incomplete)]


GameName = Annotated[
    str,
    argument(
        "See `riverboat games`; openspiel:NAME for a game of OpenSpiel.",
        metavar="GAME",
        autocompletion=_complete_game,
    ),
]
Parameters = Annotated[
    list[str],
    option(
        "--set",
        "-p",
        "--parameter",
        "Set a parameter of the game or a rule of the table; repeatable.",
        metavar="NAME=VALUE",
    ),
]
Changes = Annotated[
    list[str] | None,
    option(
        "--set",
        "-p",
        "Set a parameter of the game or a rule of the table, e.g. h17=true; repeatable.",
        metavar="NAME=VALUE",
    ),
]
Imports = Annotated[
    list[str] | None,
    option(
        "--import",
        "Import a file that registers a game or player of your own; repeatable.",
        metavar="FILE.py",
    ),
]
JsonFlag = Annotated[bool, option("--json", "Print one JSON object.")]
Port = Annotated[int, count_option("--port", "TCP port; 0 takes a free one.", min=0, max=65535)]
Seed = Annotated[int, seed_option("The same seed gives the same run.")]
SeedIfGiven = Annotated[int | None, seed_option("The same seed gives the same run; default 0.")]
Person = Annotated[
    str | None,
    option("--person", "Your name: answers are remembered, misses come again days later."),
]
Only = Annotated[
    list[str] | None,
    option("--only", "What to ask, as street=turn or mistakes; repeatable.", metavar="GROUP"),
]
Hands = Annotated[int, count_option("--hands", "Number of hands.", min=1, max=10**9)]
Seconds = Annotated[float | None, number_option("--seconds", "Stop after this many seconds.")]
Resume = Annotated[Path | None, option("--resume", "Go on from a saved file.")]
Memory = Annotated[
    str | None,
    option("--memory", "Memory that may be used: 4GiB, 800MB, or a number of GiB.", metavar="SIZE"),
]
Threads = Annotated[int, count_option("--threads", "Threads to compute with.", min=1, max=256)]
ThreadsIfGiven = Annotated[
    int | None, count_option("--threads", "Threads to compute with; default 1.", min=1, max=256)
]
Target = Annotated[
    str | None,
    option(
        "--target",
        "Stop at this exploitability (twenty-one: regret), in chips; X% of a spot's pot.",
        metavar="X",
    ),
]
Iterations = Annotated[
    int | None, count_option("--iterations", "Stop after N iterations in all.", min=1)
]
Picture = Annotated[
    Path | None, option("--out", "--svg", "Draw it to a file: .svg, .html, .pdf or .png.")
]

RangeForm = Annotated[
    str | None,
    option(
        "--as",
        "Write the range of the last action, or of --action: plain, pio, gto+, eval7, equilab.",
        metavar="FORM",
    ),
]
RangeAction = Annotated[
    str | None, option("--action", "The action whose range --as writes, e.g. c or r2.5.")
]
PrizePlaces = Annotated[
    str | None,
    option("--payouts", "Count prizes by ICM, not chips; first place first.", metavar="P1,P2,…"),
]
PrizeOthers = Annotated[
    str | None,
    option("--others", "Stacks that play for the prizes, but not here.", metavar="S1,S2,…"),
]
Bounty = Annotated[
    str | None,
    option("--bounty", "What knocking out a player pays; or one for each seat.", metavar="B"),
]


def numbers(text: str, name: str) -> list[float]:
    """Numbers with commas between them."""
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f"{name} takes numbers such as 50,30,20, not {text!r}.") from None


def prizes(
    places: str | None, others: str | None, bounty: str | None
) -> dict[str, list[float]] | None:
    """The prizes of --payouts, --others and --bounty; None without the first."""
    if places is None:
        refuse("needs prizes: give --payouts, too", others=others, bounty=bounty)
        return None
    given = {"payouts": places, "others": others, "bounty": bounty}
    lists = {name: numbers(text, f"--{name}") for name, text in given.items() if text is not None}
    return {"places": lists.pop("payouts"), **lists}


def chips(target: str | None) -> float | None:
    """The number of a `--target` that is no share of a pot."""
    try:
        return None if target is None else float(target)
    except ValueError:
        raise UsageError(f"--target takes a number such as 1e-4, not {target!r}.") from None


RayAddress = Annotated[
    str | None,
    option(
        "--ray",
        "Split the work on a Ray cluster: auto (this machine's), local, or HOST:PORT.",
        metavar="ADDRESS",
    ),
]
Workers = Annotated[
    int | None,
    count_option(
        "--workers",
        "Split the work: local processes, or with --ray the most jobs at the same time.",
        min=1,
        max=100_000,
    ),
]
Keep = Annotated[
    Path | None,
    option(
        "--keep",
        "Keep what was played there; the same command again plays what is missing.",
        metavar="FOLDER",
    ),
]


def crew_state(now: JobProgress) -> str:
    """Who works, and what had to be done again, in a few words."""
    again = f" · {now.retried} done again" if now.retried else ""
    known = f" · {now.known} were there" if now.known else ""
    return f"{now.done} of {now.total}{known} · {now.workers} at work{again}"


DeviceOption = Annotated[
    str, option("--device", "cpu, cuda (a GPU), or auto: a GPU where there is one.")
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


def import_programs(files: Iterable[str] | None) -> None:
    """Import the files of --import, so that what they register is known."""
    for file in files or ():
        load_program(file)


def given(context: typer.Context, name: str) -> bool:
    """Whether the option was given on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_idle(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse those of the named options that were given."""
    for parameter in context.command.params:
        if parameter.name in names and given(context, parameter.name):
            raise UsageError(f"{parameter.opts[0]} {why}.")


def refuse(why: str, **options: object) -> None:
    """Refuse those of the options that are not None: they would do nothing."""
    for name, value in options.items():
        if value is not None:
            raise UsageError(f"--{name} {why}.")


def check_places(*places: str | Path | None) -> None:
    """Refuse places that cannot be written before hours are spent on what goes there."""
    for path in places:
        if path is not None:
            check_writable(path)


Preset = Annotated[
    str,
    option(
        "--rules",
        "A rule set by name, e.g. vegas-6d-s17.",
        metavar="PRESET",
        autocompletion=_complete_preset,
    ),
]
Strategy = Annotated[
    str,
    option(
        "--strategy",
        "best for the rules, published, or a rule of thumb: mimic-dealer, never-bust.",
        metavar="CHART",
    ),
]
Count = Annotated[str | None, option("--count", "Count: hilo, ko, zen, …", metavar="SYSTEM")]
Ramp = Annotated[str | None, option("--ramp", "Bets by the count, e.g. '1 2@1 4@2 8@3'.")]
NumHands = Annotated[int, count_option("--hands", "Hands you have; above 1 after a split.", min=1)]
