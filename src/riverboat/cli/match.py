"""`riverboat match`: players against each other, with intervals; many players in a round robin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from riverboat.arena.match import MatchLog, run_match
from riverboat.arena.meetings import split_match, split_round_robin
from riverboat.arena.round_robin import RoundRobin
from riverboat.cli import options
from riverboat.cli.bars import work_bar
from riverboat.cli.console import columns, emit, exit_if_stopped, output, own_prints_aside
from riverboat.cli.groups import App
from riverboat.cli.options import argument, number_option, option, refuse
from riverboat.cli.play import seat_player
from riverboat.errors import UsageError
from riverboat.games.base import Game
from riverboat.games.registry import game_class, make_game, parse_assignments
from riverboat.holdem.blueprints.shipped import game_of_players
from riverboat.holdem.rules.prizes import for_prizes
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import Crew
from riverboat.players.language_model import LanguageModelPlayer
from riverboat.players.own_bots import MOVE_SECONDS
from riverboat.players.player import LeaveTable, Player

app = App()
MAX_COLUMNS = 8  # Players whose payoffs against each other are shown


@app.command("match")
def match(
    game_name: options.GameName,
    specs: Annotated[
        list[str],
        argument("A file, random, my_bot.py:MyBot, human, or another player.", metavar="PLAYER"),
    ],
    hands: options.Hands = 10_000,
    duplicate: Annotated[
        bool, option("--duplicate", "Play each deal from both seats, as with three and more.")
    ] = False,
    move_seconds: Annotated[
        float | None,
        number_option(
            "--move-seconds",
            "Round robin: seconds a bot of your own has for a decision; default 10.",
        ),
    ] = None,
    payouts: options.PrizePlaces = None,
    others: options.PrizeOthers = None,
    bounty: options.Bounty = None,
    parameters: options.Parameters = [],  # noqa: B006
    ray: options.RayAddress = None,
    workers: options.Workers = None,
    keep: options.Keep = None,
    seed: options.Seed = 0,
    imports: options.Imports = None,
    as_json: options.JsonFlag = False,
) -> None:
    """Let players meet over many hands, seats rotating, and give mean and 95 % interval.

    A strategy's file of any kind is a player: a table, a Q table, a blueprint, a bot's memory.
    With --workers or --ray the hands are split; the result stays the same. --keep FOLDER lets a
    long match go on after a stop.

    More players than seats play a round robin: --hands per pairing, each deal from both seats, a
    table of payoffs (hold'em: mbb/g, thousandths of a big blind a game) and Elo ratings.

    With --payouts hold'em is played for prizes: a hand counts by what it changes in prizes (ICM).

    \b
    Examples:
    riverboat match kuhn uniform random --hands 20000
    riverboat match holdem blueprint:shipped holdem:rules --hands 1000
    riverboat match holdem holdem:rules holdem:call holdem:random --hands 500
    riverboat match holdem holdem:rules holdem:call -p stacks=60,20 --payouts 70,30 --hands 500
    """
    options.import_programs(imports)
    prizes = options.prizes(payouts, others, bounty)
    game = _game(game_name, specs, parse_assignments(parameters), prizes, as_json)
    # With --json standard output belongs to the one object, so a person is asked on the other.
    console = Console(stderr=True, highlight=False) if as_json else output()
    if "human" in specs and (ray is not None or workers is not None or keep is not None):
        raise UsageError("A person plays here; leave --workers, --ray and --keep out.")
    with own_prints_aside(as_json):
        players = [seat_player(game, text, console) for text in specs]
    if duplicate or (len(specs) > game.num_players == 2):
        if keep is not None:
            raise UsageError("--keep is for a match of as many players as the game has seats.")
        with own_prints_aside(as_json), open_crew(ray, workers) as crew:
            standings = _round_robin(
                game, specs, hands, crew, seed, move_seconds or MOVE_SECONDS, as_json
            )
        _show_round_robin(standings, as_json)
        return
    refuse(
        "is for a round robin: add --duplicate or more players", **{"move-seconds": move_seconds}
    )
    log = _match(game, specs, players, hands, seed, ray, workers, keep, as_json)
    usage = {model.name: model.usage for model in players if isinstance(model, LanguageModelPlayer)}
    if as_json:
        models = {name: figures.as_dict() for name, figures in usage.items()}
        emit({**log.as_dict(), **({"language_models": models} if models else {})})
        exit_if_stopped(log.stopped)
        return

    played = "1 hand" if log.hands == 1 else f"{log.hands:,} hands"
    played += f" of {hands:,} (stopped)" * log.stopped
    _show_match(log, f"{game.title}, {played}")
    for name, figures in usage.items():
        if figures.decisions:
            output().print(f"{name}: {figures.words()}", markup=False, emoji=False)
    exit_if_stopped(log.stopped and "human" not in specs)


def _game(
    game_name: str,
    specs: list[str],
    given: Mapping[str, str],
    prizes: Mapping[str, Any] | None,
    as_json: bool,
) -> Game:
    """The game that is played: a hold'em blueprint among the players brings its own."""
    if game_class(game_name).name == "holdem":
        table = game_of_players(specs, given)
        return for_prizes(table, prizes) if prizes else table
    if prizes is not None:
        raise UsageError("--payouts is for hold'em.")
    with own_prints_aside(as_json):
        return make_game(game_name, given)


def _match(
    game: Game,
    specs: list[str],
    players: Sequence[Player],
    hands: int,
    seed: int,
    ray: str | None,
    workers: int | None,
    keep: Path | None,
    as_json: bool,
) -> MatchLog:
    """Play the hands, here or split among processes."""
    quiet = as_json or "human" in specs
    step = min(max(1, hands // 200), 1000)
    with own_prints_aside(as_json), work_bar(game.title, quiet=quiet) as bar:
        if ray is not None or workers is not None or keep is not None:
            with open_crew(ray, workers) as crew:
                return split_match(
                    game,
                    specs,
                    hands,
                    crew,
                    seed=seed,
                    folder=keep,
                    progress=lambda done: bar.show(done, hands, f"{done:,} hands"),
                )

        def progress(done: int) -> None:
            if done % step == 0:
                bar.show(done, hands, f"{done:,} hands")

        try:
            return run_match(game, players, hands, seed=seed, progress=progress)
        except LeaveTable:
            raise UsageError(
                "The match was left before its first hand was over, so there is nothing to report."
            ) from None


def _show_match(log: MatchLog, title: str) -> None:
    """The table, or two where the means by seat make it wider than the terminal."""
    console, count = output(), len(log.players)

    def shown(heads: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> Table:
        aligned = (heads[0], *(f">{head}" for head in heads[1:]))
        table = columns(*aligned, title=title, pad_edge=True)
        for row in rows:
            table.add_row(*map(escape, row))
        return table

    rows = log.rows()
    whole = shown(log.heads, rows, title)
    widest = console.options.update(max_width=1_000)
    if console.measure(whole, options=widest).maximum <= console.width:
        console.print(whole)
        return
    console.print(shown(log.heads[:-count], [row[:-count] for row in rows], title))
    seats = ("as player", *map(str, range(1, count + 1)))
    by_seat = [(row[0], *row[-count:]) for row in rows]
    console.print(shown(seats, by_seat, log.heads[1].replace("/hand", " per hand")))


def _round_robin(
    game: Game,
    specs: list[str],
    hands: int,
    crew: Crew,
    seed: int,
    move_seconds: float,
    as_json: bool,
) -> RoundRobin:
    with work_bar(game.title, quiet=as_json) as bar:
        return split_round_robin(
            game,
            specs,
            -(-hands // 2),
            crew,
            seed=seed,
            move_seconds=move_seconds,
            progress=lambda done, wanted: bar.show(done, wanted, f"{done:,} hands"),
        )


def _show_round_robin(standings: RoundRobin, as_json: bool) -> None:
    if as_json:
        emit(standings.as_dict())
        exit_if_stopped(standings.stopped)
        return
    heads = ("player", f">{standings.unit}", ">95 %", ">Elo", ">95 %")
    table = columns(">", *heads, title=standings.title, pad_edge=True)
    for rank, row in enumerate(standings.rows(), 1):
        table.add_row(str(rank), *map(escape, row))
    output().print(table)
    if 2 < len(standings.players) <= MAX_COLUMNS:
        places = [str(rank) for rank in range(1, len(standings.players) + 1)]
        title = f"row against column, {standings.unit}"
        table = columns(">", *(f">{rank}" for rank in places), title=title, pad_edge=True)
        for row_place, row in zip(places, standings.payoff_rows(), strict=True):
            table.add_row(row_place, *row[1:])
        output().print(table)
    for note in standings.notes():
        output().print(note, markup=False)
    exit_if_stopped(standings.stopped)
