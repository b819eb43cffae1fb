"""Sweeps over a SequenceForm: reach, gradient and best response, one player at a time.

Arguments are the arrays of SequenceForm; S sequences, I infosets, G groups, E entries. Indices
are unsigned throughout.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["best_response", "gradient", "nash_conv", "realise"]


@njit(cache=True)
def realise(p, bases, group_offsets, groups, parents, behaviour, plan, scratch):
    """Write player p's part of `plan` (S,): the product of `behaviour` (S,) along his sequences.

    scratch (≥ n of the widest group,).
    """
    plan[bases[p]] = 1.0
    for g in range(group_offsets[p], group_offsets[p + np.uint64(1)]):
        first, n, k, place = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3]
        for i in range(n):
            scratch[i] = plan[parents[place + i]]
        for a in range(k):
            start = first + a * n
            for i in range(n):
                plan[start + i] = scratch[i] * behaviour[start + i]


@njit(cache=True)
def gradient(p, bases, rows, others, values, plan, gains):
    """Write player p's part of `gains` (S,): what each sequence earns where the play then ends."""
    num_others = np.uint64(others.shape[1])
    for s in range(bases[p], bases[p + np.uint64(1)]):
        total = 0.0
        if num_others == 1:
            for e in range(rows[s], rows[s + np.uint64(1)]):
                total += values[e] * plan[others[e, 0]]
        else:
            for e in range(rows[s], rows[s + np.uint64(1)]):
                term = values[e]
                for j in range(num_others):
                    term *= plan[others[e, j]]
                total += term
        gains[s] = total


@njit(cache=True)
def best_response(p, bases, group_offsets, groups, parents, gains, scratch):
    """Player p's most, with `gains` from `gradient`; adds the value of later infosets to `gains`.

    Afterwards gains[s] is the value of choosing s and playing best from there on.
    """
    first_group, g = group_offsets[p], group_offsets[p + np.uint64(1)]
    while g > first_group:
        g -= np.uint64(1)
        first, n, k, place = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3]
        for i in range(n):
            scratch[i] = gains[first + i]
        for a in range(np.uint64(1), k):
            start = first + a * n
            for i in range(n):
                if gains[start + i] > scratch[i]:
                    scratch[i] = gains[start + i]
        for i in range(n):
            gains[parents[place + i]] += scratch[i]
    return gains[bases[p]]


@njit(cache=True)
def nash_conv(
    bases, group_offsets, groups, parents, rows, others, values, plan, gains, scratch, value, best
):
    """Write what each player gets, `value` (P,), and could get, `best` (P,); the gaps' sum."""
    gap = 0.0
    for p in range(np.uint64(len(bases) - 1)):
        gradient(p, bases, rows, others, values, plan, gains)
        total = 0.0
        for s in range(bases[p], bases[p + np.uint64(1)]):
            total += plan[s] * gains[s]
        value[p] = total
        best[p] = best_response(p, bases, group_offsets, groups, parents, gains, scratch)
        gap += best[p] - total
    return gap
