"""The rule of the CFR family, once for every kernel: discount, floor, weight and prediction.

solvers/config.py has the rule in words. The loops that apply it differ (sequences, lanes, a single
sampled hand); what they do to one number is here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from riverboat.array_types import F64
from riverboat.solvers.config import CFRConfig

__all__ = ["TINY", "Family", "Rule", "family_of", "fill_rules", "renewed", "rule_at"]

TINY = 1e-300
"""Weights that add up to less count as none; their inverse would overflow."""


class Family(NamedTuple):
    """A member of the CFR family; see solvers/config.py."""

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
    scale: float  # of regrets beside the prediction, once this iteration has updated them


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
