"""A player at an ACPC dealer's table: any of our players at any dealer's table."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from riverboat.arena.hand import view_of
from riverboat.errors import FileFormatError, IllegalActionError, StorageError, UsageError
from riverboat.games.base import TERMINAL
from riverboat.holdem.acpc import _messages as acpc
from riverboat.holdem.acpc._line import Connection, LineSocket
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.players.player import Player


@dataclass(frozen=True)
class AcpcSession:
    """What a player saw of a match."""

    hands: int
    chips: float
    actions: int
    ignored: int  # Lines that were not states of the game


def connect(host: str, port: int, timeout: float = 30.0) -> LineSocket:
    """A connection to a dealer, greeted."""
    try:
        line = LineSocket(socket.create_connection((host, port), timeout))
        line.send(acpc.VERSION)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StorageError(f"Cannot reach a dealer at {host}:{port}: {reason.lower()}.") from error
    return line


def play_session(
    connection: Connection,
    game: Holdem,
    player: Player,
    rng: np.random.Generator,
    progress: Callable[[int], None] = lambda hands: None,
) -> AcpcSession:
    """Answer every state in which it is our turn until the dealer closes the connection.

    A first state that is not of the game raises UsageError: going on would be silence until the
    dealer's patience ends. Later ones, and lines that are no states at all, are only counted.
    """
    hands, chips, actions, ignored = 0, 0.0, 0, 0
    before: tuple[acpc.MatchState, HoldemState] | None = None
    while True:
        try:
            line = connection.receive(None)
        except ConnectionError:
            return AcpcSession(hands, chips, actions, ignored)
        if line is None or not line or line[0] in "#;":
            continue
        try:
            seen = acpc.parse_match_state(line)
        except FileFormatError:
            ignored += 1
            continue
        try:
            state = acpc.read_state(game, seen, before)
        except FileFormatError as error:
            if before is None:
                raise UsageError(
                    f"The dealer plays another game than ours: {line[:60]!r}."
                ) from error
            ignored += 1
            continue
        before = seen, state
        if state.actor == TERMINAL:
            hands += 1
            chips += _gain(state, seen.position)
            progress(hands)
        elif state.actor == seen.position:
            action = player.choose(view_of(game, state), rng)
            answer = f"{line}:{acpc.format_action(state, action)}"
            try:
                connection.send(answer)
            except ConnectionError:
                return AcpcSession(hands, chips, actions, ignored)
            actions += 1


def _gain(state: HoldemState, position: int) -> float:
    """What we won; nothing where a dealer does not show the hands that decide it."""
    try:
        return state.returns()[position]
    except IllegalActionError:
        return 0.0
