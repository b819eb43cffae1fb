"""`riverboat twentyone table`: sit at a table or watch one, full screen or in lines."""

from __future__ import annotations

import os
import secrets
import sys
import threading
import time
from typing import TYPE_CHECKING, Annotated

import typer

from riverboat.cli.groups import App
from riverboat.cli.options import argument, count_option, option, refuse_idle, seed_option
from riverboat.errors import ParameterError, UsageError
from riverboat.tui.twentyone_sources import LocalSource, LogSource, RemoteSource, Source
from riverboat.twentyone.events import Acted, Dealt, Ended, Event, Finished, Folded, Settled
from riverboat.twentyone.game import is_soft, points
from riverboat.twentyone.learning.players import seat_named, stream_of_seat
from riverboat.twentyone.wire.client import connect
from riverboat.twentyone.wire.codec import check_token

if TYPE_CHECKING:
    from riverboat.tui.twentyone_scene import Scene


HELP = "h hits, s stands, ? gives a hint, q leaves"
TICK = 0.02


def score_line(scene: Scene) -> str:
    """What the person has to show for it, or nothing."""
    mine = scene.mine
    games = mine.wins + mine.pushes + mine.losses if mine is not None else 0
    if mine is None or not games:
        return ""
    return (
        f"{games:,} game{'s' * (games != 1)}: {mine.wins:,} won, {mine.pushes:,} pushed,"
        f" {mine.losses:,} lost; score {mine.score:+,}."
    )


def play_plainly(source: Source) -> Scene:
    """Play or watch to the end, or until the person has had enough; the scene then."""
    if isinstance(source, RemoteSource):
        threading.Thread(target=source.run, daemon=True).start()
    scene, over = source.start, False
    try:
        while not over:
            source.poll()
            while source.events and not over:
                event = source.events.popleft()
                if isinstance(event, Ended):
                    print(f"It is over: {event.reason}.")
                    over = True
                    continue
                scene.apply(event)
                _print_event(scene, event)
                over = isinstance(event, Finished) and source.me >= 0
            if source.asked and not source.events:
                over = not _ask(source, scene)
            elif not over:
                time.sleep(TICK)
    except KeyboardInterrupt:
        print()
    finally:
        source.close()
    return scene


def _print_event(scene: Scene, event: Event) -> None:
    """An event in a line, where it says something new."""

    def shown(cards: list[str]) -> str:
        soft = " soft" if is_soft(cards) and points(cards) < 21 else ""
        return f"{' '.join(cards)} ({points(cards)}{soft})"

    def who(seat: int) -> str:
        return "you" if seat == scene.me else scene.seats[seat].name

    if isinstance(event, Dealt):
        print(f"\nRound {event.round:,}. The dealer shows {event.up}.")
        for number, hand in enumerate(event.hands):
            if hand:
                print(f"  {who(number)}: {shown(hand)}")
    elif isinstance(event, Acted):
        hand = scene.seats[event.seat].cards
        s = "" if event.seat == scene.me else "s"
        did = f"hit{s}: {shown(hand)}" if event.card else f"stand{s}"
        print(f"  {who(event.seat)} {did}" + (", bust" if points(hand) > 21 else ""))
    elif isinstance(event, Folded):
        print(f"  {who(event.seat)}: folded out, {event.reason}")
    elif isinstance(event, Settled):
        if "??" not in event.dealer and event.dealer:
            print(f"  dealer: {shown(event.dealer)}")
        for number, seat in enumerate(scene.seats):
            print(f"  {who(number)}: {seat.state}, score {seat.score:+,}")


def _ask(source: Source, scene: Scene) -> bool:
    """One question to the person; False to leave."""
    from riverboat.twentyone.learning.optimum import hint_for

    print(f"hit or stand ({HELP})? ", end="", flush=True)
    line = sys.stdin.readline()
    word = line.strip().lower()
    if not line or word in ("q", "quit", "leave"):
        print()
        return False
    if word in ("h", "hit", "s", "stand"):
        source.answer(word.startswith("h"))
    elif word == "?":
        mine = scene.mine
        if mine is None:
            raise UsageError("There is no hand to give a hint about.")
        print(f"  best: {hint_for(mine.cards, scene.dealer[-1])}")
    else:
        print(f"  {HELP}")
    return True


app = App()


@app.command("table")
def table(
    context: typer.Context,
    bots: Annotated[
        list[str] | None, argument("Players next to you, e.g. basic random q:FILE.")
    ] = None,
    name: Annotated[str, option("Your name at the table.")] = "you",
    games: Annotated[int, count_option("--games", "Games to play.")] = 100,
    seed: Annotated[int | None, seed_option("Seed of the cards; chosen if absent.")] = None,
    connect: Annotated[str | None, option("Sit at a dealer: HOST:PORT.")] = None,
    token: Annotated[str, option("A secret word for tournaments, with --connect.")] = "",
    watch: Annotated[str | None, option("Watch a dealer's log.")] = None,
    table_number: Annotated[int, count_option("--table", "Which table of the log.")] = 1,
    from_start: Annotated[
        bool, option("--from-start", "Watch the log from its first round.")
    ] = False,
) -> None:
    """Play twenty-one in the terminal, next to bots, at a dealer over TCP, or just watch.

    Where the terminal cannot draw (TERM=dumb, a pipe) the game is played in plain lines.

    \b
    Example:
    riverboat twentyone table basic random --games 10
    """
    if connect is not None and watch is not None:
        raise UsageError("Choose one of --connect and --watch.")
    if bots and (connect is not None or watch is not None):
        raise UsageError("Players next to you are for a table of your own, without --connect.")
    if not name.strip():
        raise UsageError("A player needs a name.")
    if table_number < 1 or (seed is not None and seed < 0):
        raise ParameterError("--table must be at least 1 and --seed not negative.")
    if watch is None:
        refuse_idle(context, ("table_number", "from_start"), "is for --watch")
    else:
        refuse_idle(context, ("name",), "is for those who play; with --watch there is no seat")
    if connect is None:
        refuse_idle(context, ("token",), "is for --connect")
    if connect is not None or watch is not None:
        refuse_idle(context, ("games", "seed"), "is the dealer's choice with --connect and --watch")
    source: Source
    if watch is not None:
        source = LogSource(watch, table_number - 1, from_start=from_start)
    elif connect is not None:
        source = _remote(connect, name, token)
    else:
        source = _local(name, bots or [], games, seed)
    _show(source)


def _show(source: Source) -> None:
    """On a screen, or line by line where there is none; then the score."""
    screen = sys.stdin.isatty() and sys.stdout.isatty()
    if screen and os.environ.get("TERM", "").lower() not in ("", "dumb"):
        from riverboat.tui.twentyone_app import TwentyOneApp

        app = TwentyOneApp(source)
        app.run()
        scene = app.scene
    else:
        scene = play_plainly(source)
    if line := score_line(scene):
        print(line)


def _remote(address: str, name: str, token: str) -> Source:
    host, colon, port = address.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or not host:
        raise UsageError(f"--connect takes HOST:PORT, not {address!r}.")
    if not 1 <= int(port[:6]) <= 65_535:
        raise ParameterError(f"A port is 1 to 65535, not {port}.")
    if token:
        check_token(token)
    return RemoteSource(name, connect(host.strip("[]"), int(port), 2.0), token)


def _local(name: str, specs: list[str], games: int, seed: int | None) -> Source:
    chosen = secrets.randbits(64) if seed is None else seed
    others = [seat_named(s, stream_of_seat(chosen, n)) for n, s in enumerate(specs)]
    for other in others:
        other.warm_up()
    return LocalSource(name, others, games, chosen)
