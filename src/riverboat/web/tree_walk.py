"""A strategy along the public tree: at each public point, every private hand and what it does.

A point is reached by public actions: the players' moves and the cards that everybody sees. What
chance deals in private is not part of the way; a table of all hands stands there instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.players.wording import move_words
from riverboat.strategies.strategy import Lookup

__all__ = ["HandRow", "PublicPoint", "actor_at", "public_point"]

MOST_DEALS = 2_000
"""Private deals that are tried at one point."""
_OWN = re.compile(r"^[^+|]*")


@dataclass(frozen=True)
class HandRow:
    """One hand at a public point."""

    hand: str
    infoset: str
    chances: dict[Action, float]
    held: float | None = None
    """How likely the acting player holds it here; None where nobody ever comes here."""


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
    reach: float | None = None
    """How often play comes here; None where there are too many deals to try them all."""
    shares: Mapping[Action, float] = field(default_factory=dict)
    """How often each step is taken from here, over all hands; empty where play never comes."""


def public_point(game: Game, strategy: Lookup, way: Sequence[Action]) -> PublicPoint | None:
    """The point at the end of the way, or None where there is no such way."""
    chance_of = _Chances(strategy)
    every = _states(game.start(), tuple(way), game.num_players, chance_of)
    found = list(islice(every, MOST_DEALS + 1))
    whole, found = len(found) <= MOST_DEALS, found[:MOST_DEALS]
    if not found:
        return None
    states = [state for state, _ in found]
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
        rows = tuple(_rows(strategy, found, actor))
    reach = sum(weight for _, weight in found)
    shares: dict[Action, float] = {}
    if reach > 0 and actor != TERMINAL:
        for each, weight in found:
            for action, chance in chance_of.at(each).items():
                shares[action] = shares.get(action, 0.0) + weight * chance / reach
    words = _words(game, tuple(way))
    known = reach if whole else None
    return PublicPoint(tuple(way), words, actor, choices, rows, returns, known, shares)


def actor_at(game: Game, way: Sequence[Action]) -> int | None:
    """Who acts at the end of the way; None where there is no such way."""
    found = next(_states(game.start(), tuple(way), game.num_players), None)
    return None if found is None else found[0].actor


class _Chances:
    """How often each action is taken in a state, by a strategy or by chance."""

    def __init__(self, strategy: Lookup) -> None:
        self.strategy = strategy
        self.known: dict[tuple[int, str], dict[Action, float]] = {}

    def at(self, state: State) -> dict[Action, float]:
        if state.actor == CHANCE:
            return dict(state.chance())
        key = (state.actor, state.infoset(state.actor))
        if key not in self.known:
            self.known[key] = self.strategy.lookup(*key) or {}
        return self.known[key]


def _rows(strategy: Lookup, found: list[tuple[State, float]], actor: int) -> Iterator[HandRow]:
    held: dict[str, float] = {}
    for state, weight in found:
        infoset = state.infoset(actor)
        held[infoset] = held.get(infoset, 0.0) + weight
    total = sum(held.values())
    for infoset in sorted(held, key=_natural):
        chances = strategy.lookup(actor, infoset)
        if chances is not None:
            own = _OWN.match(infoset)
            likely = held[infoset] / total if total > 0 else None
            yield HandRow(own.group() if own else infoset, infoset, chances, likely)


def _natural(text: str) -> tuple[int, str]:
    digits = re.match(r"\d+", text)
    return (int(digits.group()) if digits else 99, text)


def _states(
    state: State,
    way: tuple[Action, ...],
    players: int,
    chances: _Chances | None = None,
    weight: float = 1.0,
) -> Iterator[tuple[State, float]]:
    """Every state at the end of the way, private deals varied, and how often it comes about."""
    if state.actor == CHANCE and _is_private(state, players):
        for action, chance in state.chance():
            yield from _states(state.after(action), way, players, chances, weight * chance)
        return
    if not way:
        yield state, weight
        return
    if state.actor == TERMINAL:
        return
    legal = [a for a, _ in state.chance()] if state.actor == CHANCE else state.actions()
    if way[0] in legal:
        if chances is not None:
            weight *= chances.at(state).get(way[0], 0.0)
        yield from _states(state.after(way[0]), way[1:], players, chances, weight)


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
        found = next(_states(game.start(), way[:i], game.num_players), None)
        state = None if found is None else found[0]
        if state is None or state.actor < 0:
            words.append(f"[{action}]")
        else:
            words.append(f"{state.actor + 1}: {move_words(game, state, action)}")
    return tuple(words)
