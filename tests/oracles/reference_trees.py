"""The tree of a game by the plainest walk: every history as a state, then sorted by depth.

An oracle for riverboat.trees: it knows the protocol of games.base and nothing else.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from riverboat.games.base import CHANCE, TERMINAL, Game, State
from riverboat.trees.game_tree import GameTree


def reference_tree(game: Game) -> GameTree:
    """All arrays of `game`'s tree."""
    visits: list[tuple[int, int, State, float, int]] = []  # Depth, parent, state, chance, outcome
    outcomes: dict[str, int] = {}
    stack: list[tuple[int, int, State, float, int]] = [(0, -1, game.start(), 1.0, -1)]
    while stack:
        visit = stack.pop()
        visits.append(visit)
        depth, _, state, _, _ = visit
        number = len(visits) - 1
        below: list[tuple[int, int, State, float, int]] = []
        if state.actor == CHANCE:
            for outcome, p in state.chance():
                known_as = outcomes.setdefault(outcome, len(outcomes))
                below.append((depth + 1, number, state.after(outcome), p, known_as))
        elif state.actor != TERMINAL:
            below = [(depth + 1, number, state.after(a), 1.0, -1) for a in state.actions()]
        stack.extend(reversed(below))

    order = sorted(range(len(visits)), key=lambda n: visits[n][0])
    place = {number: h for h, number in enumerate(order)}
    histories = [visits[number] for number in order]
    states = [state for _, _, state, _, _ in histories]
    parent = [place.get(above, -1) for _, above, _, _, _ in histories]
    children: list[list[int]] = [[] for _ in histories]
    for h, above in enumerate(parent[1:], 1):
        children[above].append(h)
    known: dict[tuple[int, str], int] = {}
    infoset = [
        known.setdefault((s.actor, s.infoset(s.actor)), len(known)) if s.actor >= 0 else -1
        for s in states
    ]
    actions: list[tuple[str, ...]] = [()] * len(known)
    for i, state in zip(infoset, states, strict=True):
        if i >= 0:
            actions[i] = tuple(state.actions())
    offsets = np.concatenate(([0], np.cumsum([len(group) for group in actions], dtype=np.int64)))
    slot = [-1] * len(histories)
    for h, below_h in enumerate(children):
        for k, child in enumerate(below_h):
            slot[child] = int(offsets[infoset[h]]) + k if infoset[h] >= 0 else -1
    depths = [depth for depth, _, _, _, _ in histories]
    terminals = [h for h, state in enumerate(states) if state.actor == TERMINAL]
    return GameTree(
        game=game,
        levels=np.concatenate(([0], np.cumsum(np.bincount(depths)))),
        parent=np.array(parent, np.int32),
        child_offsets=np.concatenate(([1], 1 + np.cumsum([len(below) for below in children]))),
        actor=np.array([state.actor for state in states], np.int8),
        infoset=np.array(infoset, np.int32),
        slot=np.array(slot, np.int32),
        chance=np.array([p for _, _, _, p, _ in histories]),
        outcome=np.array([outcome for _, _, _, _, outcome in histories], np.int32),
        terminals=np.array(terminals, np.int32),
        returns=np.array([states[h].returns() for h in terminals]),
        infosets=tuple(text for _, text in known),
        players=np.array([player for player, _ in known], np.int8),
        offsets=offsets,
        actions=tuple(action for group in actions for action in group),
        outcomes=tuple(outcomes),
    )


def differences(tree: GameTree, other: GameTree) -> list[str]:
    """The names of all parts in which two trees differ, in a type, a shape or a bit."""
    return [
        field.name
        for field in dataclasses.fields(tree)
        if _bits(getattr(tree, field.name)) != _bits(getattr(other, field.name))
    ]


def _bits(part: Any) -> Any:
    return (part.dtype, part.shape, part.tobytes()) if isinstance(part, np.ndarray) else part
