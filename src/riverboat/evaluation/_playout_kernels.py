"""Compiled sampling of whole plays from a GameTree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from riverboat.runtime.array_types import F64, I8, I64, U32
from riverboat.runtime.compiled import GOLDEN, mix, njit, stream, unit


class Plays(NamedTuple):
    """A game with the strategies that play it: N histories, T ends, P players."""

    child_offsets: U32  # (N + 1,)
    actor: I8  # (N,)
    step: F64  # (P, N) the move into a history when player p sits at the acting seat
    returns: F64  # (T, P)
    number: U32  # (N,) row of a terminal in `returns`


@njit(cache=True)
def sample_plays(
    plays: Plays, sitting: I64, first_hand: int, hands: int, seed: int, sums: F64
) -> None:
    """Play hands `first_hand`…, seats rotating, and add up what each player got in each seat.

    Chance's own moves are in every row of `step`. sitting (P, P): sitting[h mod P, seat] is the
    player there; sums (P, P, 3), written in place: [player, seat] → count, sum, sum of squares.
    """
    child_offsets, actor, step, returns, number = plays
    players = np.uint64(sitting.shape[0])
    for hand in range(first_hand, first_hand + hands):
        state = stream(seed, hand)
        row = np.uint64(hand) % players
        node = np.uint64(0)
        while actor[node] != -2:
            who = np.uint64(0)
            if actor[node] >= 0:
                who = np.uint64(sitting[row, np.uint64(actor[node])])
            state += GOLDEN
            mark = unit(mix(state))
            first, last = np.uint64(child_offsets[node]), np.uint64(child_offsets[node + 1])
            total = 0.0
            child = first
            while child + np.uint64(1) < last:
                total += step[who, child]
                if mark < total:
                    break
                child += np.uint64(1)
            node = child
        end = np.uint64(number[node])
        for seat in range(players):
            player = np.uint64(sitting[row, seat])
            gain = returns[end, seat]
            sums[player, seat, 0] += 1.0
            sums[player, seat, 1] += gain
            sums[player, seat, 2] += gain * gain
