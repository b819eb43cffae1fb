"""Compiled sampling of whole plays from a GameTree."""

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.random_kernels import GOLDEN, mix, stream, unit

__all__ = ["sample_plays"]


@njit(cache=True)
def sample_plays(  # type: ignore[no-untyped-def]
    child_offsets, actor, step, returns, number, sitting, first_hand, hands, seed, sums
):
    """Play hands `first_hand`…, seats rotating, and add up what each player got in each seat.

    child_offsets (N+1,) uint32; actor (N,) int8; step (P, N) float64: probability of the move
    into each history when player p sits at the acting seat (chance's own in every row);
    returns (T, P) float64; number (N,) uint32 row of a terminal in `returns`;
    sitting (P, P): sitting[h mod P, seat] is the player there;
    sums (P, P, 3) float64, written in place: [player, seat] → count, sum, sum of squares.
    """
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
