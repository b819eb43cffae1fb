"""Checks of the assignments on bots: a player of Leduc poker, and a player on the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from riverboat.arena.match import run_match
from riverboat.errors import RiverboatError
from riverboat.games.leduc import Leduc
from riverboat.lessons.assignments import Check, Failed, need
from riverboat.players.player import View
from riverboat.players.simple import seat

HANDS = 3000
FROM_RANDOM, FROM_RAISER = 0.4, 0.3
"""Chips per hand to win; who always raises wins much from random play, nothing from its like."""


class _Watched:
    """A bot whose moves are checked."""

    name = "your bot"

    def __init__(self, bot: Any) -> None:
        self.bot = bot

    def choose(self, view: View, rng: np.random.Generator) -> str:
        # A view of its own, which no table knows: nothing but these four facts.
        seen = View(view.game, view.player, view.infoset, tuple(view.actions))
        move = self.bot.choose(seen, rng)
        need(
            move in view.actions,
            f"At {view.infoset} the bot played {str(move)[:20]!r}; it may play"
            f" {', '.join(view.actions)}.",
            "Choose one of view.actions. A fold is possible only after a raise.",
        )
        return str(move)


def _gain(module: Any, opponent: Any, hands: int, seed: int) -> float:
    game = Leduc()
    try:
        log = run_match(game, [_Watched(module.Bot()), seat(game, opponent)], hands, seed=seed)
    except RiverboatError as error:
        raise Failed(str(error)) from None
    return log.mean[0]


def _legal(module: Any) -> None:
    _gain(module, "random", 300, 1)


def _beats_random(module: Any) -> None:
    gain = _gain(module, "random", HANDS, 2)
    need(
        gain > FROM_RANDOM,
        f"Against random play the bot won {gain:+z.2f} per hand, not more than {FROM_RANDOM}.",
        "Raise with a king or a pair, fold a jack to a raise, otherwise call.",
    )


class _Raiser:
    name = "raiser"

    def choose(self, view: View, rng: np.random.Generator) -> str:
        return "r" if "r" in view.actions else "c"


def _beats_raiser(module: Any) -> None:
    gain = _gain(module, _Raiser(), HANDS, 3)
    need(
        gain > FROM_RAISER,
        f"Against a bot that always raises it won {gain:+z.2f} per hand, not more than"
        f" {FROM_RAISER}.",
        "Such an opponent has any card. Call them down with good cards, give up bad ones.",
    )


LEDUC = (
    Check("plays only what is allowed", _legal),
    Check("wins more than 0.4 per hand from random play", _beats_random),
    Check("wins more than 0.3 per hand from a bot that always raises", _beats_raiser),
)

GAME = b"BEGIN\0CARD Six of Hearts\0CARD Five of Clubs\0DEALER Ten of Spades\0DECISION\0"
TALK: tuple[tuple[bytes, bytes], ...] = (
    (GAME, b"HIT\0"),
    (b"CARD King of Clubs\0DECISION\0", b"STAND\0"),
    (b"RESULT WIN\0", b""),
    (
        b"BEGIN\0CARD Ace of Spades\0CARD King of Hearts\0DEALER Two of Clubs\0DECISION\0",
        b"STAND\0",
    ),
    (b"RESULT WIN\0QUIT\0", b""),
)
"""What a dealer says, and the only sensible answer: hit 11, stand on 21."""


def _cuts(data: bytes, rng: np.random.Generator) -> Iterator[bytes]:
    """The same bytes in random pieces."""
    while data:
        size = int(rng.integers(1, 9))
        yield data[:size]
        data = data[size:]


def _answers(session: Any, pieces: Iterator[bytes] | list[bytes]) -> bytes:
    said = b""
    for piece in pieces:
        answer = session.receive(piece)
        need(
            isinstance(answer, bytes | bytearray),
            f"receive returned {type(answer).__name__}, not bytes.",
            'Return b"" if there is nothing to say.',
        )
        said += bytes(answer)
    return said


def _joins(module: Any) -> None:
    gain = module.Session("ada").opening()
    need(
        gain in (b"JOIN ada\0", b"JOIN ada\t\0"),
        f"opening() returned {str(gain)[:40]}; expected {b'JOIN ada' + bytes(1)!r}.",
        "Each message ends in one zero byte.",
    )


def _plays(module: Any) -> None:
    session = module.Session("ada")
    for heard, right in TALK:
        said = _answers(session, [heard])
        need(
            said == right,
            f"After {heard[-24:]!r} it said {said[:40]!r}; expected {right!r}.",
            "Answer each DECISION with HIT or STAND and a zero byte, and nothing else.",
        )


def _pieces(module: Any) -> None:
    rng = np.random.default_rng(4)
    for trial in range(50):
        session = module.Session("ada")
        for heard, right in TALK:
            pieces = [bytes([byte]) for byte in heard] if trial == 0 else list(_cuts(heard, rng))
            said = _answers(session, pieces)
            need(
                said == right,
                f"When the bytes come in pieces it said {said[:40]!r}; expected {right!r}.",
                "A message is not a packet: collect bytes, and cut at each zero byte.",
            )


def _together(module: Any) -> None:
    session = module.Session("ada")
    heard = b"".join(heard for heard, _ in TALK[2:])
    said = _answers(session, [TALK[0][0], TALK[1][0], heard])
    need(
        said == b"HIT\0STAND\0STAND\0",
        f"When a result and the next game come at once it said {said[:40]!r} in all.",
        "Go through all messages of a packet, and forget the old cards at BEGIN.",
    )


WIRE = (
    Check("joins", _joins),
    Check("answers each decision", _plays),
    Check("understands messages in pieces", _pieces),
    Check("understands several messages at once", _together),
)
