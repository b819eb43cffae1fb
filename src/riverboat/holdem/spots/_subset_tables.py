"""Hands of k cards on all boards, for ends that are counted by inclusion and exclusion.

What a hand wins from a range is a sum over the hands that share no card with it. By inclusion and
exclusion that is the sum, over all subsets S of the hand's cards, of (−1)^|S| times what it wins
from the hands that contain S. On one board the hands that contain S fall, by strength, into
**runs** of equals; what each run weighs, and how much is weaker and stronger, is summed up once and
then read by every hand. A hand of four cards has 15 subsets besides itself; of two cards three,
which is the formula of hold'em's own kernels. The hand itself ties with itself, and so counts only
where all hands are counted.

The tables name the runs. Subsets are numbered for both players together, and so are the runs of a
board: what one player's hands add up is read by the other's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from riverboat.cards.hands import hand_cards, hand_numbers, num_hands
from riverboat.runtime.array_types import F32, I32, I64, U8, U16

Strengths = Callable[[Sequence[int], U8], U16]
"""(H,) strengths of hands (H, k) on a board, BLOCKED where they overlap."""
RUNS_OF_A_SUBSET = 16
"""More runs than a subset has in the mean, for estimates of memory: all hands of four cards on a
river have 8 to 15."""


class SubsetHands(NamedTuple):
    """One player's hands on all boards; H hands of k cards, P the padded number."""

    combos: I64  # (H,) their numbers, those of `cards.hands`
    weights: F32  # (P,) zero beyond H
    cards: U8  # (H, k)
    same: I64
    """(P,) eight times the opponent's index of the same hand; of none, eight times their P."""
    renamed: I64
    """(renamings, P) index of the hand with its suits renamed; row 0 changes nothing."""
    canonical: I64
    """(stabilisers, P) the first hand that is the same; row 0 changes nothing."""
    subsets: I32
    """(H · 2^k,) the number of each subset; those of an even number of cards come first, the hand
    itself is left out."""
    runs: I32
    """(river boards, H · 2^k) the run of each subset; the first is −1 where the board blocks."""
    first_run: I32  # (river boards, subsets + 1) where the runs of a subset begin, for both players

    @property
    def hole_cards(self) -> int:
        return int(self.cards.shape[1])


def subset_hands(
    combos: Sequence[I64],
    weights: Sequence[F32],
    renamed: Sequence[tuple[I64, I64]],
    hole_cards: int,
) -> tuple[SubsetHands, SubsetHands]:
    """Both players' hands (H,) with their subsets; runs need strengths and are left empty.

    `weights` (P,) are padded, `renamed` are the tables `renamed` and `canonical` of each player.
    """
    cards = [np.ascontiguousarray(hand_cards(hole_cards)[own]) for own in combos]
    numbers = [every_subset(hole_cards)[own] for own in combos]
    total = subset_starts(hole_cards)[-1]
    met = np.zeros(total, np.bool_)
    for own in numbers:
        met[own] = True
    compact = (np.cumsum(met) - 1).astype(np.int32)
    tables = []
    for player in (0, 1):
        mine, theirs = combos[player], combos[1 - player]
        width, their_width = len(weights[player]), len(weights[1 - player])
        index = np.full(num_hands(hole_cards), their_width, np.int64)
        index[theirs] = np.arange(len(theirs))
        same = np.full(width, 8 * their_width, np.int64)
        same[: len(mine)] = 8 * index[mine]
        subsets = np.zeros((len(mine), 1 << hole_cards), np.int32)
        subsets[:, :-1] = compact[numbers[player]]
        tables.append(
            SubsetHands(
                mine,
                weights[player],
                cards[player],
                same,
                *renamed[player],
                subsets.ravel(),
                np.zeros((0, 0), np.int32),
                np.zeros((0, int(met.sum()) + 1), np.int32),
            )
        )
    return tables[0], tables[1]


def ordered_subsets(hole_cards: int) -> list[tuple[int, ...]]:
    """The places of all subsets but the hand itself, those of an even number of cards first."""
    subsets = [
        places for size in range(hole_cards) for places in combinations(range(hole_cards), size)
    ]
    return sorted(subsets, key=lambda places: len(places) % 2)


def subset_starts(hole_cards: int) -> list[int]:
    """Where the numbers of subsets of 0, 1, … cards begin among all, and where they end."""
    starts = [0, 1]
    for size in range(1, hole_cards):
        starts.append(starts[-1] + num_hands(size))
    return starts


def subset_numbers(cards: U8) -> I64:
    """(H, 2^k − 1) the number, among all sets of cards, of each subset of hands (H, k)."""
    hole_cards = cards.shape[1]
    starts = subset_starts(hole_cards)
    columns = []
    for places in ordered_subsets(hole_cards):
        own = hand_numbers(cards[:, places]) if places else np.zeros(len(cards), np.int64)
        columns.append(starts[len(places)] + own)
    return np.stack(columns, axis=1)


@lru_cache(maxsize=4)
def every_subset(hole_cards: int) -> I32:
    """(N, 2^k − 1) `subset_numbers` of all hands of k cards by their number."""
    numbers = subset_numbers(hand_cards(hole_cards)).astype(np.int32)
    numbers.setflags(write=False)
    return numbers


def ranked_hands(
    boards: Sequence[Sequence[int]], hands: tuple[SubsetHands, SubsetHands], strengths: Strengths
) -> tuple[SubsetHands, SubsetHands]:
    """The tables with the runs of every river board."""
    # Numba is loaded here: a GPU finds the runs by itself.
    from riverboat.cards.strength import BLOCKED
    from riverboat.holdem.spots._run_kernels import find_runs, number_runs

    first, second = hands
    alike = np.array_equal(first.combos, second.combos)
    shape, size = first.cards.shape, len(first.combos)
    stride, num_subsets = 1 << shape[1], first.first_run.shape[1] - 1
    runs = [np.full((len(boards), len(own.subsets)), -1, np.int32) for own in hands[: 2 - alike]]
    first_run = np.zeros((len(boards), num_subsets + 1), np.int32)
    cards = first.cards if alike else np.concatenate([first.cards, second.cards])
    for board, there in enumerate(boards):
        values = strengths(there, cards)
        order = np.argsort(values, kind="stable")
        order = order[: int((values != BLOCKED).sum())]
        rows = runs[0][board], runs[-1][board]
        find_runs(
            order, values, size, stride, (first.subsets, second.subsets), rows, first_run[board]
        )
        np.cumsum(first_run[board], out=first_run[board])
        for own, row in zip(hands, rows[: 2 - alike], strict=False):
            number_runs(own.subsets, stride, first_run[board], row)
    return (
        first._replace(runs=runs[0], first_run=first_run),
        second._replace(runs=runs[-1], first_run=first_run),
    )


def subset_bytes(hands: tuple[SubsetHands, SubsetHands], num_rivers: int) -> int:
    """Bytes of the runs of all river boards, and of eight showdowns side by side."""
    sizes = [4 * len(own.subsets) for own in hands]
    if np.array_equal(hands[0].combos, hands[1].combos):
        del sizes[1]
    bytes_per_river = sum(sizes) + 4 * hands[0].first_run.shape[1]
    return int(num_rivers * bytes_per_river) + 4 * scratch_size(hands)


def fixed_bytes(hands: tuple[SubsetHands, SubsetHands], num_rivers: int) -> int:
    """The part of `subset_bytes` that goes by subsets of cards, which fewer hands share."""
    num_subsets = hands[0].first_run.shape[1] - 1
    return int(4 * (num_rivers * (num_subsets + 1) + 8 * (RUNS_OF_A_SUBSET + 1) * num_subsets))


def scratch_size(hands: tuple[SubsetHands, SubsetHands]) -> int:
    """Numbers that `subset_showdowns` works in: columns of hands, runs and subsets."""
    width = max(len(own.weights) for own in hands)
    num_subsets = hands[0].first_run.shape[1] - 1
    if len(hands[0].first_run):
        num_runs = int(hands[0].first_run[:, -1].max())
    else:
        num_runs = RUNS_OF_A_SUBSET * num_subsets
    return int(8 * (3 * width + 1 + num_runs + num_subsets))
