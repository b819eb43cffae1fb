"""Sweeps over a SequenceForm: reach, gradient and best response, one player at a time.

S sequences, I infosets, G groups, E entries. Indices are unsigned throughout. Each function takes
the bundle apart once, since reading an array out of a tuple counts a reference.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy import uint64

from riverboat.runtime.array_types import F64, U32, U64, Index
from riverboat.runtime.compiled import njit


class FormArrays(NamedTuple):
    """What a kernel reads of a SequenceForm; see there."""

    bases: U64  # (P + 1,)
    group_offsets: U64  # (P + 1,)
    groups: U64  # (G, 4)
    parents: U32  # (I,)
    rows: U64  # (S + 1,)
    others: U32  # (E, P − 1)
    values: F64  # (E,)


@njit(cache=True, forceinline=True)
def realise(p: Index, form: FormArrays, behaviour: F64, plan: F64, scratch: F64) -> None:
    """Write player p's part of `plan` (S,): the product of `behaviour` (S,) along the player's
    sequences.

    scratch (≥ n of the widest group,).
    """
    bases, group_offsets, groups, parents, _, _, _ = form
    plan[bases[p]] = 1.0
    for g in range(group_offsets[p], group_offsets[p + uint64(1)]):
        first, n, k, infoset = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3]
        for i in range(n):
            scratch[i] = plan[parents[infoset + i]]
        for a in range(k):
            start = first + a * n
            for i in range(n):
                plan[start + i] = scratch[i] * behaviour[start + i]


@njit(cache=True, forceinline=True)
def gradient(p: Index, form: FormArrays, plan: F64, gains: F64) -> None:
    """Write player p's part of `gains` (S,): what each sequence earns where the play then ends."""
    bases, _, _, _, rows, others, values = form
    num_others = uint64(others.shape[1])
    for s in range(bases[p], bases[p + uint64(1)]):
        total = 0.0
        if num_others == 1:
            for e in range(rows[s], rows[s + uint64(1)]):
                total += values[e] * plan[others[e, 0]]
        else:
            for e in range(rows[s], rows[s + uint64(1)]):
                term = values[e]
                for j in range(num_others):
                    term *= plan[others[e, j]]
                total += term
        gains[s] = total


@njit(cache=True, forceinline=True)
def best_response(p: Index, form: FormArrays, gains: F64, scratch: F64) -> float:
    """Player p's most, with `gains` from `gradient`; adds the value of later infosets to `gains`.

    Afterwards gains[s] is the value of choosing s and playing best from there on.
    """
    bases, group_offsets, groups, parents, _, _, _ = form
    first_group, g = group_offsets[p], group_offsets[p + uint64(1)]
    while g > first_group:
        g -= uint64(1)
        first, n, k, infoset = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3]
        for i in range(n):
            scratch[i] = gains[first + i]
        for a in range(uint64(1), k):
            start = first + a * n
            for i in range(n):
                if gains[start + i] > scratch[i]:
                    scratch[i] = gains[start + i]
        for i in range(n):
            gains[parents[infoset + i]] += scratch[i]
    return float(gains[bases[p]])


@njit(cache=True)
def nash_conv(
    form: FormArrays, plan: F64, gains: F64, scratch: F64, value: F64, best: F64
) -> float:
    """Write what each player gets, `value` (P,), and could get, `best` (P,); the gaps' sum."""
    gap, bases = 0.0, form.bases
    for p in range(uint64(len(bases) - 1)):
        gradient(p, form, plan, gains)
        total = 0.0
        for s in range(bases[p], bases[p + uint64(1)]):
            total += plan[s] * gains[s]
        value[p] = total
        best[p] = best_response(p, form, gains, scratch)
        gap += best[p] - total
    return gap
