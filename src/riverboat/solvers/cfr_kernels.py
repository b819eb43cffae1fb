"""The CFR family on a SequenceForm: a whole run of iterations in one call.

One iteration and player: gains of his sequences from the others' plans (a sparse product), values
and regrets of his infosets from the last group to the first, the next strategy, its plan.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from __future__ import annotations

import numpy as np
from numba import njit

from riverboat.trees.sequence_form_kernels import gradient, nash_conv, realise

__all__ = ["iterate"]

TINY = 1e-300
"""Regrets that add up to less count as none; their inverse would overflow."""


@njit(cache=True)
def discount(t, exponent):
    """t^e / (t^e + 1), with its limits 1 and 0 at an infinite exponent."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power = t**exponent
    if power == np.inf:
        return 1.0
    return power / (power + 1.0)


@njit(cache=True)
def update(
    p, group_offsets, groups, parents, gains, behaviour, regrets, scratch,
    positive, negative, floor, scale, prediction,
):  # fmt: skip
    """Player p's regrets and next strategy from `gains` (S,), which it uses up.

    In place: `regrets`, `behaviour` (S,). scratch (2, ≥ n of the widest group). Old regrets are
    multiplied by `positive` or `negative` according to their sign, new ones are at least `floor`;
    the strategy follows from scale · regrets + prediction · the newest regrets.
    """
    value, total = scratch[0], scratch[1]
    first_group, g = group_offsets[p], group_offsets[p + np.uint64(1)]
    while g > first_group:
        g -= np.uint64(1)
        first, n, k, place = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3]
        for i in range(n):
            value[i] = 0.0
            total[i] = 0.0
        for a in range(k):
            start = first + a * n
            for i in range(n):
                value[i] += behaviour[start + i] * gains[start + i]
        for a in range(k):
            start = first + a * n
            for i in range(n):
                newest = gains[start + i] - value[i]
                old = regrets[start + i]
                regret = old * (positive if old > 0.0 else negative) + newest
                regret = regret if regret > floor else floor
                regrets[start + i] = regret
                weight = scale * regret + prediction * newest
                weight = weight if weight > 0.0 else 0.0
                behaviour[start + i] = weight
                total[i] += weight
        uniform = 1.0 / k
        for i in range(n):
            gains[parents[place + i]] += value[i]
            value[i] = 0.0 if total[i] > TINY else uniform
            total[i] = 1.0 / total[i] if total[i] > TINY else 0.0
        for a in range(k):
            start = first + a * n
            for i in range(n):
                behaviour[start + i] = behaviour[start + i] * total[i] + value[i]


@njit(cache=True)
def gap_of_average(
    bases, group_offsets, groups, parents, rows, others, values, average, plan, gains, scratch
):
    """NashConv of the average strategy; `plan` and `gains` (S,) are overwritten."""
    num_players = np.uint64(len(bases) - 1)
    for p in range(num_players):
        weight = 1.0 / average[bases[p]]
        for s in range(bases[p], bases[p + np.uint64(1)]):
            plan[s] = average[s] * weight
    return nash_conv(
        bases, group_offsets, groups, parents, rows, others, values, plan, gains, scratch[0],
        scratch[1], scratch[2],
    )  # fmt: skip


@njit(cache=True)
def iterate(
    bases, group_offsets, groups, parents, rows, others, values,
    behaviour, regrets, average, plan, gains, scratch, clock, gap,
    alpha, beta, gamma, plus, prediction, alternating, iterations, target,
):  # fmt: skip
    """Run up to `iterations` more, or until the average's NashConv is at most `target` (if ≥ 0).

    In place: behaviour, regrets, average (S,); clock (2,): iterations done, iteration from which
    NashConv is due again; gap (1,): NashConv when last looked at. The two are written together
    with the arrays, so that a call boundary anywhere leaves the same bits. plan, gains (S,) and
    scratch (3, widest group) are work space.
    """
    num_players = np.uint64(len(bases) - 1)
    floor = 0.0 if plus else -np.inf
    for p in range(num_players):
        realise(p, bases, group_offsets, groups, parents, behaviour, plan, scratch[0])
    for _ in range(iterations):
        t = clock[0] + 1
        positive, negative = discount(t - 1.0, alpha), discount(t - 1.0, beta)
        scale = discount(float(t), alpha) if prediction > 0.0 else 1.0
        weight = float(t) ** gamma
        for p in range(num_players):
            for s in range(bases[p], bases[p + np.uint64(1)]):
                average[s] += weight * plan[s]
            gradient(p, bases, rows, others, values, plan, gains)
            update(
                p, group_offsets, groups, parents, gains, behaviour, regrets, scratch,
                positive, negative, floor, scale, prediction,
            )  # fmt: skip
            if alternating:
                realise(p, bases, group_offsets, groups, parents, behaviour, plan, scratch[0])
        clock[0] = t
        check = target >= 0.0 and t >= clock[1]
        if check:
            gap[0] = gap_of_average(
                bases, group_offsets, groups, parents, rows, others, values, average, plan, gains,
                scratch,
            )  # fmt: skip
            clock[1] = t + 1 + t // 32
        if check or not alternating:
            for p in range(num_players):
                realise(p, bases, group_offsets, groups, parents, behaviour, plan, scratch[0])
        if check and gap[0] <= target:
            return
