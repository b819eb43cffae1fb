"""The rule of the CFR family, once for every kernel, and its iterations on a SequenceForm.

solvers/algorithms.py has the rule in words. The loops that apply it differ (sequences, lanes, one
sampled hand); what they do to one number is here.

On a SequenceForm an iteration computes for each player the gains of all sequences from the others'
plans (a sparse product), values and regrets of the infosets from the last group to the first, the
next strategy, and its plan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import uint64

from riverboat.runtime.array_types import F64, I64, Index
from riverboat.runtime.compiled import njit
from riverboat.solvers.algorithms import CFRConfig
from riverboat.trees.jitted import FormArrays, gradient, nash_conv, realise

TINY = 1e-300  # Weights that add up to less count as none; their inverse would overflow


class Family(NamedTuple):
    """A member of the CFR family; see solvers/algorithms.py."""

    alpha: float
    beta: float
    gamma: float
    plus: bool
    prediction: float
    alternating: bool


class Rule(NamedTuple):
    """One iteration's numbers of the regret-minimiser."""

    positive: float  # discount of positive regrets
    negative: float
    floor: float  # 0 for the plus variants, else −∞
    prediction: float
    weight: float  # of this iteration in the average
    scale: float  # of regrets next to the prediction, once this iteration has updated them


def family_of(config: CFRConfig) -> Family:
    """A config as kernels take it."""
    return Family(
        float(config.alpha),
        float(config.beta),
        float(config.gamma),
        config.plus,
        float(config.prediction),
        config.alternating,
    )


@njit(cache=True)
def discount(t: float, exponent: float) -> float:
    """t^e / (t^e + 1), with its limits 1 and 0 at an infinite exponent."""
    if exponent == np.inf:
        return 1.0
    if exponent == -np.inf:
        return 0.0
    power: float = t**exponent
    if power == np.inf:
        return 1.0
    return power / (power + 1.0)


@njit(cache=True)
def rule_at(family: Family, t: int) -> Rule:
    """The numbers of iteration t, counted from 1."""
    return Rule(
        discount(t - 1.0, family.alpha),
        discount(t - 1.0, family.beta),
        0.0 if family.plus else -np.inf,
        family.prediction,
        float(t) ** family.gamma,
        discount(float(t), family.alpha),
    )


@njit(cache=True)
def fill_rules(family: Family, since: int, table: F64) -> None:
    """Write the rules of the iterations after `since` into the rows of `table` (n, 6)."""
    for i in range(table.shape[0]):
        rule = rule_at(family, since + i + 1)
        table[i, 0], table[i, 1], table[i, 2] = rule.positive, rule.negative, rule.floor
        table[i, 3], table[i, 4], table[i, 5] = rule.prediction, rule.weight, rule.scale


@njit(forceinline=True, error_model="numpy")
def renewed(rule: Rule, old: float, newest: float) -> float:
    """A cumulative regret after this iteration's instantaneous one."""
    regret = old * (rule.positive if old > 0.0 else rule.negative) + newest
    return regret if regret > rule.floor else rule.floor


class SequenceState(NamedTuple):
    """What an iteration changes in place; the clock is written together with the other arrays, so
    that a call boundary anywhere leaves the same bits.
    """

    behaviour: F64  # (S,) the strategy of the next iteration
    regrets: F64  # (S,)
    average: F64  # (S,) the weighted sum of plans
    clock: I64  # (2,) iterations done; the second number is the solver's


class Scratch(NamedTuple):
    """Nothing in it outlives a call."""

    plan: F64  # (S,)
    gains: F64  # (S,)
    scratch: F64  # (3, max(widest group, players))


@njit(cache=True, forceinline=True)
def update(p: Index, form: FormArrays, run: SequenceState, work: Scratch, rule: Rule) -> None:
    """Player p's regrets and next strategy from the gains, which it uses up."""
    _, group_offsets, groups, parents, _, _, _ = form
    behaviour, regrets, gains = run.behaviour, run.regrets, work.gains
    value, total = work.scratch[0], work.scratch[1]
    # Without a prediction the scale cancels in the strategy.
    scale = rule.scale if rule.prediction > 0.0 else 1.0
    first_group, g = group_offsets[p], group_offsets[p + uint64(1)]
    while g > first_group:
        g -= uint64(1)
        first, n, k, infoset = groups[g, 0], groups[g, 1], groups[g, 2], groups[g, 3]
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
                regret = renewed(rule, regrets[start + i], newest)
                regrets[start + i] = regret
                weight = scale * regret + rule.prediction * newest
                weight = weight if weight > 0.0 else 0.0
                behaviour[start + i] = weight
                total[i] += weight
        uniform = 1.0 / k
        for i in range(n):
            gains[parents[infoset + i]] += value[i]
            value[i] = 0.0 if total[i] > TINY else uniform
            total[i] = 1.0 / total[i] if total[i] > TINY else 0.0
        for a in range(k):
            start = first + a * n
            for i in range(n):
                behaviour[start + i] = behaviour[start + i] * total[i] + value[i]


@njit(cache=True)
def gap_of_average(form: FormArrays, average: F64, work: Scratch) -> float:
    """NashConv of the average strategy."""
    bases, plan, scratch = form.bases, work.plan, work.scratch
    num_players = uint64(len(bases) - 1)
    for p in range(num_players):
        weight = 1.0 / average[bases[p]]
        for s in range(bases[p], bases[p + uint64(1)]):
            plan[s] = average[s] * weight
    gap: float = nash_conv(form, plan, work.gains, scratch[0], scratch[1], scratch[2])
    return gap


@njit(cache=True)
def iterate(
    form: FormArrays, family: Family, run: SequenceState, work: Scratch, iterations: int
) -> None:
    """Run `iterations` more."""
    bases, plan, scratch = form.bases, work.plan, work.scratch[0]
    behaviour, average, clock = run.behaviour, run.average, run.clock
    num_players = uint64(len(bases) - 1)
    for p in range(num_players):
        realise(p, form, behaviour, plan, scratch)
    for _ in range(iterations):
        t = clock[0] + 1
        rule = rule_at(family, t)
        for p in range(num_players):
            for s in range(bases[p], bases[p + uint64(1)]):
                average[s] += rule.weight * plan[s]
            gradient(p, form, plan, work.gains)
            update(p, form, run, work, rule)
            if family.alternating:
                realise(p, form, behaviour, plan, scratch)
        clock[0] = t
        if not family.alternating:
            for p in range(num_players):
                realise(p, form, behaviour, plan, scratch)
