"""`riverboat match`: players against each other, with intervals."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from riverboat.arena.match import run_match
from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output
from riverboat.cli.options import argument
from riverboat.cli.play import seat_player
from riverboat.errors import UsageError
from riverboat.games.registry import game_class, make_game, parse_assignments
from riverboat.holdem.blueprints.shipped import game_of_players
from riverboat.jobs.crews import open_crew
from riverboat.jobs.simulations import split_match
from riverboat.players.player import LeaveTable

app = typer.Typer()


@app.command("match")
def match(
    game_name: options.GameName,
    specs: Annotated[
        list[str], argument("A file, random, human, or another player.", metavar="PLAYER…")
    ],
    hands: options.Hands = 10_000,
    parameters: options.Parameters = [],  # noqa: B006
    ray: options.RayAddress = None,
    workers: options.Workers = None,
    keep: options.Keep = None,
    seed: options.Seed = 0,
    as_json: options.JsonFlag = False,
) -> None:
    """Let players meet over many hands, seats rotating, and give mean and 95 % interval.

    A strategy's file of any kind is a player: a table, a Q table, a blueprint, a bot's memory.
    With --workers or --ray the hands are split; the result stays the same. --keep FOLDER lets a
    long match go on after a stop.

    Examples: riverboat match kuhn uniform random --hands 20000 ·
    riverboat match holdem blueprint:shipped holdem:rules --hands 1000
    """
    given = parse_assignments(parameters)
    # A hold'em blueprint among the players brings its own game.
    holdem = game_class(game_name).name == "holdem"
    game = game_of_players(specs, given) if holdem else make_game(game_name, given)
    # With --json standard output belongs to the one object, so a person is asked on the other.
    console = Console(stderr=True, highlight=False) if as_json else output()
    split = ray is not None or workers is not None or keep is not None
    if split and "human" in specs:
        raise UsageError("A person plays here; leave --workers, --ray and --keep out.")
    players = [seat_player(game, text, console) for text in specs]
    with work_bar(game.title, quiet=as_json or "human" in specs) as bar:
        step = min(max(1, hands // 200), 1000)

        def progress(done: int) -> None:
            if split or done % step == 0:
                bar.show(done, hands, f"{done:,} hands")

        try:
            if split:
                with open_crew(ray, workers) as crew:
                    log = split_match(
                        game, specs, hands, crew, seed=seed, folder=keep, progress=progress
                    )
            else:
                log = run_match(game, players, hands, seed=seed, progress=progress)
        except LeaveTable:
            raise UsageError(
                "The match was left before its first hand was over, so there is nothing to report."
            ) from None
    if as_json:
        emit(log.as_dict())
        exit_if_stopped(log.stopped)
        return

    played = "1 hand" if log.hands == 1 else f"{log.hands:,} hands"
    played += f" of {hands:,} (stopped)" * log.stopped
    seats = [f">as player {seat + 1}" for seat in range(game.num_players)]
    title = f"{game.title}, {played}"
    table = columns("player", ">per hand", ">95 %", *seats, title=title, pad_edge=True)
    for row in log.rows():
        table.add_row(*row)
    output().print(table)
    exit_if_stopped(log.stopped and "human" not in specs)
