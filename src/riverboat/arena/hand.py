"""A table runs hands between players and writes down what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riverboat.errors import IllegalActionError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, State
from riverboat.players.player import Player, View

__all__ = ["HandRecord", "chance_move", "play_hand", "view_of"]


@dataclass(frozen=True)
class HandRecord:
    """One finished hand: every action in order, chance's included, and each seat's return."""

    history: tuple[Action, ...]
    returns: tuple[float, ...]
    last: State


def play_hand(
    game: Game,
    seats: Sequence[Player],
    chance: np.random.Generator,
    generators: Sequence[np.random.Generator],
) -> HandRecord:
    """Play from the start to the end. `seats[i]` acts for player i with `generators[i]`."""
    state, history = game.start(), []
    while (actor := state.actor) != TERMINAL:
        if actor == CHANCE:
            action = chance_move(state, chance)
        else:
            view = view_of(game, state)
            action = seats[actor].choose(view, generators[actor])
            if action not in view.actions:
                raise IllegalActionError(
                    f"{seats[actor].name} chose {action!r} where only"
                    f" {', '.join(view.actions)} are possible."
                )
        history.append(action)
        state = state.after(action)
    return HandRecord(tuple(history), state.returns(), state)


def view_of(game: Game, state: State) -> View:
    """What the acting player may know."""
    actor = state.actor
    return View(game, actor, state.infoset(actor), state.actions(), lambda: state.describe(actor))


def chance_move(state: State, rng: np.random.Generator) -> Action:
    """An outcome drawn with its probability."""
    outcomes = state.chance()
    mark, total = rng.random(), 0.0
    for action, probability in outcomes:
        total += probability
        if mark < total:
            return action
    return outcomes[-1][0]
