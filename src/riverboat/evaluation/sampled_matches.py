"""Sampled matches between strategies on a GameTree, millions of hands a second.

Seats rotate as in arena.match; the difference is only that the hands are sampled by compiled code,
which needs players whose every probability is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.evaluation.estimates import estimate_from_sums
from riverboat.games.base import check_seats
from riverboat.trees.game_tree import GameTree

BLOCK = 65_536  # Hands that nothing interrupts


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
    mean, ci95 = estimate_from_sums(sums.sum(axis=1))
    seat_mean, seat_ci95 = estimate_from_sums(sums)
    return SampledMatch(hands, mean, ci95, seat_mean, seat_ci95)
