"""Pictures of twenty-one: `riverboat plot value-surface`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from riverboat.cli.options import Out, Theme, Title, check, write

app = typer.Typer()


@app.command("value-surface")
def value_surface(
    out: Out,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A Q table; without it one is trained.")
    ] = None,
    games: Annotated[int | None, typer.Option("--games", min=1, help="Default 500,000.")] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="literal, on-policy, q-learning, sarsa, …")
    ] = None,
    state: Annotated[
        str | None, typer.Option("--state", help="points, soft (default) or composition.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Makes chance repeatable.")
    ] = None,
    title: Title = "",
    theme: Theme = "light",
) -> None:
    """The learned value of twenty-one's hands as surfaces, with the exact ones below.

    Examples: riverboat plot value-surface --games 500000 --out surface.svg ·
    riverboat plot value-surface q.rb --out mine.png
    """
    from riverboat import pictures
    from riverboat.errors import UsageError
    from riverboat.twentyone.learning.regret import train_table

    check(out, theme)
    learned: Any = file
    if file is None:
        learned = train_table(
            games or 500_000,
            method=method or "on-policy",
            state=state or "soft",
            seed=seed or 0,
        )
    elif any(option is not None for option in (games, method, state, seed)):
        raise UsageError("--games, --method, --state and --seed train a table; leave the file out.")
    write(pictures.value_surface(learned, title=title, theme=theme), out)
