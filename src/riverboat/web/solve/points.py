"""A strategy along the public tree: at each public point, every private hand and what it does.

A point is reached by public actions: the players' moves and the cards that all players see. What
chance deals in private is not part of the path; a table of all hands is shown instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.players.player import move_words
from riverboat.strategies.strategy import Lookup
from riverboat.web.app.colours import move_colours

MAX_DEALS = 2_000  # Private deals that are tried at one point
_OWN = re.compile(r"^[^+|]*")


@dataclass(frozen=True)
class HandRow:
    """One hand at a public point."""

    hand: str
    infoset: str
    chances: dict[Action, float]
    held: float | None = None
    """How likely the acting player holds it here; None where play never reaches the point."""


@dataclass(frozen=True)
class PublicPoint:
    """A point of the public tree."""

    history: tuple[Action, ...]
    words: tuple[str, ...]  # The history in words
    actor: int  # Who acts, CHANCE or TERMINAL
    choices: tuple[tuple[Action, str], ...]  # Next steps with their words
    rows: tuple[HandRow, ...]
    returns: str
    reach: float | None = None
    """How often play reaches the point; None where there are too many deals to try them all."""
    shares: Mapping[Action, float] = field(default_factory=dict)
    """How often each step is taken from here, over all hands; empty where play never gets to it."""

    @property
    def colours(self) -> dict[Action, str]:
        """The colour of each next step."""
        actions = [action for action, _ in self.choices]
        return dict(zip(actions, move_colours([words for _, words in self.choices]), strict=True))


def public_point(game: Game, strategy: Lookup, history: Sequence[Action]) -> PublicPoint | None:
    """The point at the end of a history, or None where there is no such history."""
    chance_of = _Chances(strategy)
    every = _states(game.start(), tuple(history), game.num_players, chance_of)
    found = list(islice(every, MAX_DEALS + 1))
    whole, found = len(found) <= MAX_DEALS, found[:MAX_DEALS]
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
    words = _words(game, tuple(history))
    known = reach if whole else None
    return PublicPoint(tuple(history), words, actor, choices, rows, returns, known, shares)


def actor_at(game: Game, history: Sequence[Action]) -> int | None:
    """Who acts at the end of a history; None where there is no such history."""
    found = next(_states(game.start(), tuple(history), game.num_players), None)
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
    history: tuple[Action, ...],
    players: int,
    chances: _Chances | None = None,
    weight: float = 1.0,
) -> Iterator[tuple[State, float]]:
    """Every state at the end of a history, private deals varied, and how often it comes about."""
    if state.actor == CHANCE and _is_private(state, players):
        for action, chance in state.chance():
            yield from _states(state.after(action), history, players, chances, weight * chance)
        return
    if not history:
        yield state, weight
        return
    if state.actor == TERMINAL:
        return
    legal = [a for a, _ in state.chance()] if state.actor == CHANCE else state.actions()
    if history[0] in legal:
        if chances is not None:
            weight *= chances.at(state).get(history[0], 0.0)
        yield from _states(state.after(history[0]), history[1:], players, chances, weight)


def _is_private(state: State, players: int) -> bool:
    """Whether some player does not see what chance does here."""
    outcomes = state.chance()
    if len(outcomes) < 2:
        return False
    first, second = (state.after(outcomes[i][0]) for i in (0, 1))
    return any(first.infoset(p) == second.infoset(p) for p in range(players))


def _words(game: Game, history: tuple[Action, ...]) -> tuple[str, ...]:
    words = []
    for i, action in enumerate(history):
        found = next(_states(game.start(), history[:i], game.num_players), None)
        state = None if found is None else found[0]
        if state is None or state.actor < 0:
            words.append(f"[{action}]")
        else:
            words.append(f"{state.actor + 1}: {move_words(game, state, action)}")
    return tuple(words)
