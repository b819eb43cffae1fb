"""Sampled matches between strategies on a GameTree, millions of hands a second, and bot tables.

Seats rotate as in arena.match; the difference is only that the hands are sampled by compiled code,
which needs players whose every probability is known. A bot table pairs the same learner after more
and more training: every pairing is sampled and valued exactly, so that the table shows both what a
match would show and what is true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.evaluation.action_values import history_values
from riverboat.games.base import check_seats
from riverboat.trees.best_response import evaluate_profile
from riverboat.trees.game_tree import GameTree
from riverboat.trees.sequence_form import sequence_form

Z95 = 1.959963984540054  # The normal quantile that leaves 2.5 % above it


def half_width(count: int, squares: float) -> float:
    """Half the 95 % interval of a mean of `count` results with this sum of squared deviations."""
    if count < 2:
        return math.inf
    return Z95 * math.sqrt(max(squares, 0.0) / (count - 1) / count)


BLOCK = 65_536


@dataclass(frozen=True)
class SampledMatch:
    """Per player: mean return per hand, half its 95 % interval, and the same for each seat."""

    hands: int
    mean: NDArray[np.float64]  # (P,)
    ci95: NDArray[np.float64]  # (P,)
    seat_mean: NDArray[np.float64]  # (P, P) player × seat
    seat_ci95: NDArray[np.float64]  # (P, P)


def sample_match(
    tree: GameTree,
    strategies: Sequence[NDArray[np.float64]],
    hands: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> SampledMatch:
    """Play `hands` hands between (A,) probability vectors; player i starts in seat i."""
    from riverboat.evaluation._playout_kernels import Plays, sample_plays

    count = tree.num_players
    check_seats(tree.game, len(strategies))
    if hands < 1:
        raise UsageError(f"A match needs at least one hand, not {hands}.")
    after_player = tree.slot >= 0
    step = np.stack([np.where(after_player, p[tree.slot], tree.chance) for p in strategies])
    number = np.zeros(tree.num_histories, np.uint32)
    number[tree.terminals] = np.arange(len(tree.terminals))
    seats = np.arange(count)
    sitting = (seats[None, :] - seats[:, None]) % count
    sums = np.zeros((count, count, 3))
    children = tree.child_offsets.astype(np.uint32)
    plays = Plays(children, tree.actor, step, np.ascontiguousarray(tree.returns), number)
    for first in range(0, hands, BLOCK):
        size = min(BLOCK, hands - first)
        sample_plays(plays, sitting, first, size, seed, sums)
        if progress is not None:
            progress(first + size)
    mean, ci95 = _moments(sums.sum(axis=1))
    seat_mean, seat_ci95 = _moments(sums)
    return SampledMatch(hands, mean, ci95, seat_mean, seat_ci95)


def _moments(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and half-widths from (…, 3) counts, sums and sums of squares."""
    count, total, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    mean = total / np.maximum(count, 1)
    spread = squares - count * mean**2
    widths = [
        half_width(int(n), float(s)) for n, s in zip(count.ravel(), spread.ravel(), strict=True)
    ]
    return mean, np.array(widths).reshape(count.shape)


@dataclass(frozen=True)
class BotTable:
    """Row bot against column bot in a two-player game; all arrays are (B, B), payoffs per hand."""

    names: tuple[str, ...]
    hands: int
    mean: NDArray[np.float64]
    """Sampled, seats alternating; a bot against itself sits first in every hand."""
    ci95: NDArray[np.float64]
    exact: NDArray[np.float64]  # What `mean` estimates
    exact_first: NDArray[np.float64]  # The row bot's exact payoff when it always sits first
    exploitability: tuple[float, ...]  # (B,) of each bot, exactly

    def as_dict(self) -> dict[str, Any]:
        """The facts for a program."""
        return {
            "players": list(self.names),
            "hands": self.hands,
            "mean": self.mean.tolist(),
            "ci95": self.ci95.tolist(),
            "exact": self.exact.tolist(),
            "exact_first_seat": self.exact_first.tolist(),
            "exploitability": dict(zip(self.names, self.exploitability, strict=True)),
        }


def bot_table(
    tree: GameTree,
    bots: Mapping[str, NDArray[np.float64]],
    hands: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> BotTable:
    """Let every bot, an (A,) vector of probabilities, meet every bot over `hands` hands."""
    if tree.num_players != 2:
        raise UsageError(f"A table of bots needs a game for two, not {tree.game.name}.")
    names, vectors = tuple(bots), list(bots.values())
    size = len(vectors)
    seated_first = np.repeat(tree.players, np.diff(tree.offsets)) == 0
    first = np.zeros((size, size))
    second = np.zeros((size, size))
    for row, mine in enumerate(vectors):
        for column, theirs in enumerate(vectors):
            values = history_values(tree, np.where(seated_first, mine, theirs))[0]
            first[row, column], second[column, row] = values[0], values[1]
    exact = np.where(np.eye(size, dtype=bool), first, (first + second) / 2)
    mean, ci95 = np.zeros((size, size)), np.zeros((size, size))
    for row in range(size):
        for column in range(row, size):
            pair_seed = seed * size * size + row * size + column
            match = sample_match(tree, [vectors[row], vectors[column]], hands, seed=pair_seed)
            if row == column:
                mean[row, row] = (match.seat_mean[0, 0] + match.seat_mean[1, 0]) / 2
                ci95[row, row] = match.seat_ci95[0, 0] / np.sqrt(2)
            else:
                mean[row, column], mean[column, row] = match.mean[0], match.mean[1]
                ci95[row, column], ci95[column, row] = match.ci95[0], match.ci95[1]
            if progress is not None:
                progress(row * size + column + 1)
    form = sequence_form(tree)
    gaps = tuple(evaluate_profile(form, vector).exploitability for vector in vectors)
    return BotTable(names, hands, mean, ci95, exact, first, gaps)
