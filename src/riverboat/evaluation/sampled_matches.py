"""Sampled matches between strategies on a GameTree, millions of hands a second.

Seats rotate as in arena.match; the difference is only that the hands are sampled by compiled code,
which needs players whose every probability is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import check_seats
from riverboat.trees.game_tree import GameTree

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
