"""The options that all blackjack commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Changes", "Count", "NumHands", "Preset", "Ramp", "Strategy"]


def _complete(incomplete: str) -> list[str]:
    from riverboat.blackjack.rules import PRESETS

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
