"""`riverboat games`: what can be played and solved."""

from __future__ import annotations

import typer

app = typer.Typer()


@app.command("games")
def games() -> None:
    """List the games."""
    from riverboat.games.registry import GAMES, game_class

    for name in GAMES:
        print(f"{name:<12} {game_class(name).title}")
