"""Texts as numbers: a game's actions counted through, and an infoset's text as zeros and ones.

Other packages want actions 0…A−1 and observations as vectors of a fixed length. Here each letter
of an infoset's text takes one place of the vector for each letter it could be: `"K|pb"` with the
letters J, K, Q, b, p, | and a length of 5 gives 5 × 6 numbers, a single 1 for each letter. Nothing
is lost by it, and infosets that read alike lie close to each other.

A game whose tree can be walked is walked, so that its book is complete. Of a larger one, random
plays show which actions and letters there are.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import TooLargeError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game
from riverboat.trees.game_tree import build_tree, estimate_histories

WALKABLE = 1_000_000  # Histories, by the estimate, up to which a tree is walked for its book
PLAYS = 500  # Random plays behind the book of a larger game


@dataclass(frozen=True)
class CodeBook:
    """Numbers for a game's texts."""

    actions: tuple[Action, ...]  # (A,) what players do, sorted
    outcomes: tuple[Action, ...]  # (C,) what chance does, sorted
    letters: str  # Every letter of the infosets' texts, sorted
    length: int  # Letters of the longest text
    utilities: tuple[float, float]  # The lowest and the highest payoff
    max_moves: int  # Players' moves in the longest play
    max_deals: int  # Chance's moves in the longest play

    @property
    def size(self) -> int:
        """Numbers that encode a text."""
        return self.length * len(self.letters)

    @cached_property
    def action_numbers(self) -> dict[Action, int]:
        return {action: number for number, action in enumerate(self.actions)}

    @cached_property
    def outcome_numbers(self) -> dict[Action, int]:
        return {action: number for number, action in enumerate(self.outcomes)}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {letter: index for index, letter in enumerate(self.letters)}

    def encode(self, text: str) -> NDArray[np.float32]:
        """(size,) one 1 for each letter; of a longer text its last letters."""
        bits = np.zeros((self.length, len(self.letters)), np.float32)
        for row, letter in enumerate(text[-self.length :] if self.length else ""):
            index = self._places.get(letter)
            if index is not None:
                bits[row, index] = 1.0
        return bits.ravel()

    def mask(self, actions: Sequence[Action]) -> NDArray[np.int8]:
        """(A,) 1 for each possible action."""
        mask = np.zeros(len(self.actions), np.int8)
        for action in actions:
            number = self.action_numbers.get(action)
            if number is None:
                raise UsageError(f"The action {action!r} is not among {', '.join(self.actions)}.")
            mask[number] = 1
        return mask


def book_of(game: Game) -> CodeBook:
    """The game's book; the same game gets the same one."""
    return _book_of(game)  # type: ignore[arg-type]  # games are frozen and can be hashed


@lru_cache(maxsize=32)
def _book_of(game: Game) -> CodeBook:
    if estimate_histories(game) <= WALKABLE:
        try:
            return _by_tree(game)
        except TooLargeError:
            pass
    return _by_plays(game)


def _by_tree(game: Game) -> CodeBook:
    tree = build_tree(game)
    moves, deals = np.zeros((2, tree.num_histories), np.int64)
    for first, last in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True):
        parent = tree.parent[first:last]
        moves[first:last] = moves[parent] + (tree.actor[parent] >= 0)
        deals[first:last] = deals[parent] + (tree.actor[parent] == CHANCE)
    return CodeBook(
        tuple(sorted(set(tree.actions))),
        tuple(sorted(tree.outcomes)),
        "".join(sorted(set("".join(tree.infosets)))),
        max(map(len, tree.infosets)),
        (float(tree.returns.min()), float(tree.returns.max())),
        int(moves.max()),
        int(deals.max()),
    )


def _by_plays(game: Game) -> CodeBook:
    rng = random.Random(0)
    actions: set[Action] = set()
    outcomes: set[Action] = set()
    letters: set[str] = set("0123456789")
    length = most_moves = most_deals = 0
    low, high = 0.0, 0.0
    for _ in range(PLAYS):
        state, moves, deals = game.start(), 0, 0
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                possible = [action for action, _ in state.chance()]
                outcomes.update(possible)
                deals += 1
            else:
                possible = list(state.actions())
                actions.update(possible)
                moves += 1
                text = state.infoset(state.actor)
                letters.update(text)
                length = max(length, len(text))
            state = state.after(rng.choice(possible))
        returns = state.returns()
        low, high = min(low, *returns), max(high, *returns)
        most_moves, most_deals = max(most_moves, moves), max(most_deals, deals)
    return CodeBook(
        tuple(sorted(actions)),
        tuple(sorted(outcomes)),
        "".join(sorted(letters)),
        length + length // 2,
        (low, high),
        2 * most_moves,
        2 * most_deals,
    )
