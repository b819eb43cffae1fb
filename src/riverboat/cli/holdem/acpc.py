"""`riverboat acpc`: a dealer for other programs, players at other dealers' tables."""

from __future__ import annotations

import math
import sys
import time
from typing import Annotated

import numpy as np

from riverboat.cli.console import emit
from riverboat.cli.groups import App, HintingGroup
from riverboat.cli.options import (
    JsonFlag,
    argument,
    check_places,
    count_argument,
    count_option,
    number_option,
    option,
    seed_option,
)
from riverboat.errors import UsageError
from riverboat.holdem.acpc.client import connect, play_session
from riverboat.holdem.acpc.dealer import MatchOrder, host_match
from riverboat.holdem.acpc.definitions import load_game, write_game
from riverboat.holdem.acpc.lobby import listen
from riverboat.holdem.histories.phh import write_phh
from riverboat.players.roster import make_player

app = App(
    cls=HintingGroup,
    no_args_is_help=True,
    help="Hold'em over the protocol of the Annual Computer Poker Competition.",
)

AS_THERE = "With the competition's command line"


Match = Annotated[
    list[str] | None,
    argument(
        "NAME GAME HANDS SEED PLAYER PLAYER …: the command line of the competition's"
        " dealer, which writes NAME.log."
    ),
]
GameFile = Annotated[
    str | None, option("A .game file, or nolimit-2p (the default) … 10p, limit-2p …, kuhn …")
]
Hands = Annotated[int | None, count_option("--hands", "Hands in the match; default 1000.")]
CardSeed = Annotated[
    int | None, seed_option("Seed of the cards, as with the competition's dealer; default 0.")
]
Ports = Annotated[str, option("--port", "-p", "Ports of the seats with commas; 0: a free one.")]
ActionSeconds = Annotated[
    float | None, number_option("--timeout", "Seconds for an action; default 60.")
]
Quiet = Annotated[bool, option("-q", "Do not print all lines.", rich_help_panel=AS_THERE)]
NoLog = Annotated[bool, option("-l/-L", "Write no log.", rich_help_panel=AS_THERE)]
ActionTime = Annotated[
    int | None, count_option("--t_response", "ms for an action: 600000.", rich_help_panel=AS_THERE)
]
HandTime = Annotated[
    int | None, count_option("--t_hand", "ms for a hand: 600000.", rich_help_panel=AS_THERE)
]
MeanTime = Annotated[
    int | None,
    count_option("--t_per_hand", "ms per hand on average: 7000.", rich_help_panel=AS_THERE),
]
StartTime = Annotated[
    int,
    count_option("--start_timeout", "ms to wait for players.", min=-1, rich_help_panel=AS_THERE),
]


@app.command("dealer")
def dealer(
    match: Match = None,
    game: GameFile = None,
    hands: Hands = None,
    seed: CardSeed = None,
    port: Ports = "0",
    host: Annotated[str, option("Address to listen on.")] = "127.0.0.1",
    names: Annotated[str, option("Names of the seats with commas between.")] = "",
    log: Annotated[str, option("File for the log of the match.")] = "",
    phh: Annotated[str, option("File for the hands as PHH.")] = "",
    timeout: ActionSeconds = None,
    start_timeout: Annotated[
        float, number_option("--start-timeout", "Seconds to wait for players; 0: no limit.")
    ] = 0.0,
    fixed_seats: Annotated[
        bool, option("--fixed-seats", "-f", "Leave the button where it is.")
    ] = False,
    as_json: JsonFlag = False,
    quiet: Quiet = False,
    no_log: NoLog = False,
    t_response: ActionTime = None,
    t_hand: HandTime = None,
    t_per_hand: MeanTime = None,
    start_ms: StartTime = -1,
) -> None:
    """Deal a match. The first line printed is the seats' ports, the last one the score.

    \b
    Examples:
    riverboat acpc dealer --hands 1000 --seed 1
    riverboat acpc dealer --game limit-3p --names Ann,Bob,Eve --log match.log
    """
    form = "the competition's command line" if match else "options of our own"
    ours = {"--game": game, "--hands": hands, "--seed": seed, "--names": names or None}
    theirs = {"-q": quiet or None, "-l": no_log or None}
    for option_name, value in (ours if match else theirs).items():
        if value is not None:
            raise UsageError(f"{option_name} does nothing with {form}; leave it out.")
    if match:
        order, usual = MatchOrder.parse(match), (600.0, 600.0, 7.0)
        log = "" if no_log else log or f"{order.name}.log"
    else:
        seats, usual = names.split(",") if names else None, (60.0, math.inf, math.inf)
        num_hands = 1000 if hands is None else hands
        order = MatchOrder("riverboat", game or "nolimit-2p", num_hands, seed or 0, seats)
    action_ms = t_response if timeout is None else timeout * 1000
    asked = zip((action_ms, t_hand, t_per_hand), usual, strict=True)
    table = order.match(
        [seconds if ms is None else ms / 1000 for ms, seconds in asked], fixed_seats=fixed_seats
    )
    table.complain = _complain
    if match:
        _note(table.log)
        table.trace = table.trace if quiet else _trace
    check_places(log or None, phh or None)
    if phh:
        write_phh(table.game.start())  # Refuses a game that PHH does not know before it is played.
    wait = start_ms / 1000 if start_ms > 0 else start_timeout
    with listen(host, _ports(port, table.game.players)) as listeners:
        numbers = " ".join(str(listener.getsockname()[1]) for listener in listeners)
        print(numbers, file=sys.stderr if as_json else sys.stdout, flush=True)
        result = host_match(table, listeners, wait=wait or None, log=log or None, phh=phh or None)
    if as_json:
        emit({"game": order.game, "seed": order.seed, **result.as_dict()})
    else:
        print(result.score)
    if match:
        _note([result.score])


def _ports(text: str, players: int) -> list[int]:
    try:
        ports = [int(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f"--port takes numbers with commas between, not {text!r}.") from None
    if len(ports) > players or not all(0 <= number < 65536 for number in ports):
        raise UsageError(f"--port takes up to {players} ports from 0 to 65535, one for each seat.")
    return ports + [0] * (players - len(ports))


def _complain(text: str) -> None:
    _note([f"riverboat: {text}"])


def _trace(way: str, seat: int, line: str) -> None:
    _note([f"{way} {seat} at {time.time():.6f} {line}"])


def _note(lines: list[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr)


@app.command("player")
def player(
    host: Annotated[str, argument("The dealer's address.")],
    port: Annotated[int, count_argument("PORT", "The port of our seat.", min=1, max=65535)],
    player: Annotated[
        str,
        option(
            "--bot",
            "--player",
            "Who plays, e.g. holdem:rules, blueprint:FILE or search:FILE.",
            metavar="SPEC",
        ),
    ] = "holdem:rules",
    game: Annotated[
        str, option("A .game file, or nolimit-2p … 10p, limit-2p … 10p, kuhn, leduc.")
    ] = "nolimit-2p",
    seed: Annotated[int, seed_option("Seed of the player's choices.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Sit down at a dealer's table and play until it closes.

    \b
    Example:
    riverboat acpc player 127.0.0.1 7001 --bot holdem:rules
    """
    played = load_game(game)
    seated = make_player(played, player)
    connection = connect(host, port)
    try:
        session = play_session(connection, played, seated, np.random.default_rng(seed))
    finally:
        connection.close()
    if as_json:
        facts = {"player": player, "hands": session.hands, "chips": session.chips}
        emit(facts | {"actions": session.actions, "ignored": session.ignored})
        return
    per_hand = session.chips / session.hands if session.hands else 0.0
    print(f"{player}: {session.hands} hands, {session.chips:+g} chips, {per_hand:+z.4g} per hand")
    if session.ignored:
        print(f"{session.ignored} lines were not states of the game {game}; is it the dealer's?")


@app.command("game")
def game(name: Annotated[str, argument("One of ours, e.g. nolimit-6p, or a .game file.")]) -> None:
    """Print a game's definition, which the competition's programs read.

    \b
    Example:
    riverboat acpc game nolimit-6p
    """
    print(write_game(load_game(name)), end="")
