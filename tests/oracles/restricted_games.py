"""Restricted Nash responses of small games: an LP made from the rules alone."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import bmat, coo_matrix

from riverboat.games.base import CHANCE, TERMINAL, Game, State

Strategy = Callable[[int, str], dict[str, float]]
"""Player and infoset → the probability of each action."""
Sequence = tuple[str, str]
"""A player's last infoset and the action there; both empty at the beginning."""
EMPTY: Sequence = ("", "")


def restricted_value(game: Game, given: Strategy, player: int, share: float) -> float:
    """What a player gets in the game where the other plays `given` with the probability `share`.

    Two players, zero sum: the player's plan x maximises share · x·A·y + (1 − share) · min x·A·y'.
    """
    sequences: list[dict[Sequence, int]] = [{EMPTY: 0}, {EMPTY: 0}]
    parents: list[dict[str, Sequence]] = [{}, {}]
    plan: list[dict[Sequence, float]] = [{EMPTY: 1.0}, {EMPTY: 1.0}]
    ends: list[tuple[int, int, float]] = []

    def walk(state: State, last: list[Sequence], chance: float) -> None:
        if state.actor == TERMINAL:
            mine, theirs = last[player], last[1 - player]
            row, column = sequences[player][mine], sequences[1 - player][theirs]
            ends.append((row, column, chance * state.returns()[player]))
            return
        if state.actor == CHANCE:
            for action, p in state.chance():
                walk(state.after(action), last, chance * p)
            return
        actor = state.actor
        infoset = state.infoset(actor)
        parents[actor][infoset] = last[actor]
        for action in state.actions():
            made = (infoset, action)
            sequences[actor].setdefault(made, len(sequences[actor]))
            plan[actor][made] = plan[actor][last[actor]] * given(actor, infoset)[action]
            after = list(last)
            after[actor] = made
            walk(state.after(action), after, chance)

    walk(game.start(), [EMPTY, EMPTY], 1.0)
    own, other = len(sequences[player]), len(sequences[1 - player])
    rows, columns, values = (np.array(column) for column in zip(*ends, strict=True))
    payoff = coo_matrix((values, (rows, columns)), (own, other)).tocsr()
    fixed = np.array([plan[1 - player][sequence] for sequence in sequences[1 - player]])
    mine, theirs = (_constraints(parents[p], sequences[p]) for p in (player, 1 - player))
    start = np.zeros(theirs.shape[0])
    start[0] = 1.0
    cost = np.concatenate((-share * (payoff @ fixed), -(1 - share) * start))
    right = np.zeros(mine.shape[0])
    right[0] = 1.0
    zeros = coo_matrix((mine.shape[0], theirs.shape[0]))
    found = linprog(
        cost, bmat([[-payoff.T, theirs.T]]), np.zeros(other), bmat([[mine, zeros]]), right,
        [(0, None)] * own + [(None, None)] * theirs.shape[0], method="highs",
    )  # fmt: skip
    return float(-found.fun)


def _constraints(parents: dict[str, Sequence], sequences: dict[Sequence, int]) -> coo_matrix:
    """A row for the beginning and one for each infoset: its actions make up what leads there."""
    entries = [(0, 0, 1.0)]
    numbers = {infoset: row for row, infoset in enumerate(parents, 1)}
    for (infoset, _), column in sequences.items():
        if infoset:
            entries.append((numbers[infoset], column, 1.0))
    for infoset, parent in parents.items():
        entries.append((numbers[infoset], sequences[parent], -1.0))
    rows, columns, values = zip(*entries, strict=True)
    return coo_matrix((values, (rows, columns)), (1 + len(parents), len(sequences)))


def expected(game: Game, strategy: Strategy, player: int) -> float:
    """What a player gets when all follow a strategy, play by play."""

    def value(state: State) -> float:
        if state.actor == TERMINAL:
            return state.returns()[player]
        if state.actor == CHANCE:
            return sum(p * value(state.after(action)) for action, p in state.chance())
        mix = strategy(state.actor, state.infoset(state.actor))
        return sum(p * value(state.after(action)) for action, p in mix.items() if p)

    return value(game.start())
