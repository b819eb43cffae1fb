"""`riverboat games`: what can be played and solved."""

from __future__ import annotations

from typing import Any

from riverboat.cli import options
from riverboat.cli.console import assignments, columns, emit, output
from riverboat.cli.groups import App
from riverboat.cli.options import JsonFlag
from riverboat.games.base import parameters_of
from riverboat.games.registry import known_games, make_game

app = App()


@app.command("games")
def games(imports: options.Imports = None, as_json: JsonFlag = False) -> None:
    """List the games with their parameters and defaults.

    \b
    Example:
    riverboat games --json
    """
    options.import_programs(imports)
    rows: list[dict[str, Any]] = []
    for name in known_games():
        game = make_game(name)
        rows.append(
            {
                "name": name,
                "title": game.title,
                "players": game.num_players,
                "parameters": parameters_of(game),
            }
        )
    if as_json:
        emit({"games": rows})
        return

    table = columns("game", "title", ">players", "parameters (--set name=value)")
    for row in rows:
        given = assignments(row["parameters"])
        table.add_row(f"[cyan]{row['name']}[/]", row["title"], str(row["players"]), given)
    console = output()
    console.print(table)
    console.print("\nNext: [bold]riverboat solve kuhn[/]  or  [bold]riverboat play leduc[/]")
