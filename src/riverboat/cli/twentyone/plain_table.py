"""The twenty-one table in plain lines, for terminals that cannot draw and for pipes."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

from riverboat.errors import UsageError

if TYPE_CHECKING:
    from riverboat.tui.twentyone_scene import Scene
    from riverboat.tui.twentyone_sources import Source
    from riverboat.twentyone.table_events import Event

__all__ = ["play_plainly", "score_line"]

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
    from riverboat.tui.twentyone_sources import RemoteSource
    from riverboat.twentyone.table_events import Ended, Finished

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
                _tell(scene, event)
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


def _tell(scene: Scene, event: Event) -> None:
    """An event in a line, where it says something new."""
    from riverboat.twentyone.game import is_soft, points
    from riverboat.twentyone.table_events import Acted, Dealt, Folded, Settled

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
        did = f"hit: {shown(hand)}" if event.card else "stand"
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
    from riverboat.twentyone.hints import hint_for

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
