"""A strategy along the public tree: at each public point, every private hand and what it does.

A point is reached by public actions: the players' moves and the cards that everybody sees. What
chance deals in private is not part of the way; a table of all hands stands there instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.players.wording import move_words
from riverboat.strategies.strategy import Lookup

__all__ = ["HandRow", "PublicPoint", "public_point"]

MOST_DEALS = 400
"""Private deals that are tried for the outcomes of one public card."""
_OWN = re.compile(r"^[^+|]*")


@dataclass(frozen=True)
class HandRow:
    """One hand at a public point."""

    hand: str
    infoset: str
    chances: dict[Action, float]


@dataclass(frozen=True)
class PublicPoint:
    """A point of the public tree."""

    way: tuple[Action, ...]
    words: tuple[str, ...]
    """The way in words."""
    actor: int
    """Who acts, CHANCE or TERMINAL."""
    choices: tuple[tuple[Action, str], ...]
    """Next steps with their words."""
    rows: tuple[HandRow, ...]
    returns: str


def public_point(game: Game, strategy: Lookup, way: Sequence[Action]) -> PublicPoint | None:
    """The point at the end of the way, or None where there is no such way."""
    states = _take(_states(game.start(), tuple(way), game.num_players), MOST_DEALS)
    if not states:
        return None
    state = states[0]
    actor = state.actor
    rows: tuple[HandRow, ...] = ()
    choices: tuple[tuple[Action, str], ...] = ()
    returns = ""
    if actor == CHANCE:
        outcomes = dict.fromkeys(a for each in states for a, _ in each.chance())
        choices = tuple((action, action) for action in outcomes)
    elif actor == TERMINAL:
        returns = state.describe(None)
    else:
        choices = tuple((a, move_words(game, state, a)) for a in state.actions())
        rows = tuple(_rows(strategy, states, actor))
    return PublicPoint(tuple(way), _words(game, tuple(way)), actor, choices, rows, returns)


def _rows(strategy: Lookup, states: list[State], actor: int) -> Iterator[HandRow]:
    seen: dict[str, None] = {}
    for state in states:
        seen.setdefault(state.infoset(actor))
    for infoset in sorted(seen, key=_natural):
        chances = strategy.lookup(actor, infoset)
        if chances is not None:
            own = _OWN.match(infoset)
            yield HandRow(own.group() if own else infoset, infoset, chances)


def _natural(text: str) -> tuple[int, str]:
    digits = re.match(r"\d+", text)
    return (int(digits.group()) if digits else 99, text)


def _states(state: State, way: tuple[Action, ...], players: int) -> Iterator[State]:
    """Every state at the end of the way, private deals varied."""
    if state.actor == CHANCE and _is_private(state, players):
        for action, _ in state.chance():
            yield from _states(state.after(action), way, players)
        return
    if not way:
        yield state
        return
    if state.actor == TERMINAL:
        return
    legal = [a for a, _ in state.chance()] if state.actor == CHANCE else state.actions()
    if way[0] in legal:
        yield from _states(state.after(way[0]), way[1:], players)


def _is_private(state: State, players: int) -> bool:
    """Whether somebody does not see what chance does here."""
    outcomes = state.chance()
    if len(outcomes) < 2:
        return False
    first, second = (state.after(outcomes[i][0]) for i in (0, 1))
    return any(first.infoset(p) == second.infoset(p) for p in range(players))


def _words(game: Game, way: tuple[Action, ...]) -> tuple[str, ...]:
    words = []
    for i, action in enumerate(way):
        state = next(_states(game.start(), way[:i], game.num_players), None)
        if state is None or state.actor < 0:
            words.append(f"[{action}]")
        else:
            words.append(f"{state.actor + 1}: {move_words(game, state, action)}")
    return tuple(words)


def _take(states: Iterator[State], most: int) -> list[State]:
    found = []
    for state in states:
        found.append(state)
        if len(found) >= most:
            break
    return found
