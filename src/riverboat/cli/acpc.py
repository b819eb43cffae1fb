"""`riverboat acpc`: our dealer for other people's bots, our players at other people's tables."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    help="Hold'em over the protocol of the Annual Computer Poker Competition.",
)

GameOption = Annotated[
    str, typer.Option(help="A .game file, or nolimit-2p … nolimit-10p, limit-2p …, kuhn, leduc.")
]


@app.command("dealer")
def dealer(
    game: GameOption = "nolimit-2p",
    hands: Annotated[int, typer.Option(help="Hands in the match.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the cards.")] = 0,
    port: Annotated[
        str, typer.Option(help="Ports of the seats with commas between; 0 takes free ones.")
    ] = "0",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    names: Annotated[str, typer.Option(help="Names of the seats with commas between.")] = "",
    log: Annotated[str, typer.Option(help="File for the log of the match.")] = "",
    phh: Annotated[str, typer.Option(help="File for the hands as PHH.")] = "",
    timeout: Annotated[float, typer.Option(help="Seconds for an action.")] = 60.0,
    start_timeout: Annotated[
        float, typer.Option(help="Seconds to wait for the players; 0 for no limit.")
    ] = 0.0,
    fixed_seats: Annotated[bool, typer.Option(help="Leave the button where it is.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, the ports on stderr.")
    ] = False,
) -> None:
    """Deal a match. The first line printed is the seats' ports, the last one the score."""
    import sys

    from riverboat.arena.acpc_dealer import AcpcMatch, listen, seat_players
    from riverboat.arena.protocols.acpc import format_score
    from riverboat.arena.protocols.acpc_games import load_game
    from riverboat.errors import UsageError
    from riverboat.games.holdem import HoldemState
    from riverboat.interop.phh import write_phh, write_phhs
    from riverboat.strategies.files import atomic_write, check_writable

    played = load_game(game)
    players = played.players
    seats = names.split(",") if names else [f"player{seat + 1}" for seat in range(players)]
    try:
        ports = [int(text) for text in port.split(",")]
    except ValueError:
        raise UsageError(f"--port takes numbers with commas between, not {port!r}.") from None
    ports = ports * players if ports == [0] else ports
    if len(ports) != players or not all(0 <= number < 65536 for number in ports):
        raise UsageError(f"--port takes 0 or {players} ports from 1 to 65535, one a seat.")
    for path in filter(None, (log, phh)):
        check_writable(path)
    histories: list[str] = []
    if phh:
        write_phh(played.start())

    def complain(text: str) -> None:
        print(f"riverboat: {text}", file=sys.stderr)

    def finished(state: HoldemState, hand: int, at: list[str]) -> None:
        if phh:
            histories.append(write_phh(state, players=at, hand=hand))

    match = AcpcMatch(
        played, hands, seed, seats, timeout, fixed_seats, f"riverboat {game}", complain, finished
    )
    with listen(host, ports) as listeners:
        numbers = " ".join(str(listener.getsockname()[1]) for listener in listeners)
        print(numbers, file=sys.stderr if json else sys.stdout, flush=True)
        connections = seat_players(listeners, start_timeout or None, complain)
    try:
        match.play(connections)
    finally:
        for connection in connections:
            connection.close()
        if log:
            atomic_write(log, match.result().log_text)
        if phh:
            atomic_write(phh, write_phhs(histories))
    result = match.result()
    if json:
        from json import dumps

        scores = dict(zip(result.names, result.totals, strict=True))
        facts = {"game": game, "hands": result.hands, "seed": seed, "chips": scores}
        print(dumps(facts | {"complaints": list(result.complaints)}))
    else:
        print(format_score(result.totals, result.names))


@app.command("player")
def player(
    host: Annotated[str, typer.Argument(help="The dealer's address.")],
    port: Annotated[int, typer.Argument(help="The port of our seat.")],
    player: Annotated[
        str, typer.Option(help="Who plays, e.g. holdem:rules or strategy:FILE.")
    ] = "holdem:rules",
    game: GameOption = "nolimit-2p",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the player's choices.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Sit down at a dealer's table and play until it closes."""
    import numpy as np

    from riverboat.arena.acpc_player import connect, play_session
    from riverboat.arena.protocols.acpc_games import load_game
    from riverboat.players.registry import make_player

    played = load_game(game)
    seated = make_player(played, player)
    connection = connect(host, port)
    try:
        session = play_session(connection, played, seated, np.random.default_rng(seed))
    finally:
        connection.close()
    if json:
        from json import dumps

        facts = {"player": player, "hands": session.hands, "chips": session.chips}
        print(dumps(facts | {"actions": session.actions, "ignored": session.ignored}))
        return
    each = session.chips / session.hands if session.hands else 0.0
    print(f"{player}: {session.hands} hands, {session.chips:+g} chips, {each:+.4g} a hand")
    if session.ignored:
        print(f"{session.ignored} lines were not states of the game {game}; is it the dealer's?")
