"""The search measured against exact values: random decisions, regret, agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.exact.analysis import ACTIONS, Analysis, analyse
from riverboat.blackjack.round import RANKS, Round, value
from riverboat.blackjack.search.problem import Situation, Table
from riverboat.evaluation import exact

__all__ = [
    "NEAR_TIE",
    "Convergence",
    "exact_values",
    "measure_convergence",
    "random_situations",
]

VALUES = "A23456789T"
NEAR_TIE = 0.002
"""Bids between the two best actions below which the choice hardly matters."""
NAMES = {name: letter for letter, name in ACTIONS.items()}


@lru_cache(maxsize=64)
def _analysis(table: Table, shoe: tuple[int, ...] | None) -> Analysis:
    return analyse(table.rules, shoe)


def exact_values(situation: Situation) -> dict[str, float]:
    """Letter → exact value of each action; twenty-one from a full pack only."""
    if situation.table.plain_natural:
        cards = "".join(VALUES[v - 1] for v in sorted(map(value, situation.hand)))
        known = exact.exact_values("twentyone", f"{cards}|{VALUES[value(situation.up) - 1]}")
        return {letter.upper(): worth for letter, worth in (known or {}).items()}
    values = _analysis(situation.table, situation.shoe).action_values(
        situation.hand, situation.up, hands=situation.hands
    )
    return {NAMES[name]: v for name, v in values.items()}


def random_situations(table: Table, count: int, seed: int) -> list[Situation]:
    """Decisions met with a fresh shoe by a player who hits at random."""
    rng = np.random.default_rng(seed)
    decks = 8 if table.rules.decks == "infinite" else table.rules.decks
    pack = np.array(list(RANKS * (4 * decks)))
    found: list[Situation] = []
    while len(found) < count:
        cards = iter(rng.permutation(pack)[:40].tolist())
        table_round = Round.open(table.rules)
        while table_round.turn.wants != "over":
            if table_round.turn.wants == "card":
                table_round = table_round.deal(next(cards))
                continue
            options = table_round.actions()
            if "S" not in options:
                table_round = table_round.act("N")
                continue
            hand = table_round.seats[0][0].cards
            found.append(Situation(table, hand, table_round.dealer[0]))
            table_round = table_round.act("SH"[int(rng.integers(2))])
    return found[:count]


@dataclass(frozen=True)
class Convergence:
    """How often a search found the best action, and what its choices cost, with standard errors."""

    decisions: int
    best: float
    best_stderr: float
    clear_best: float
    """The share of best actions where the second best is NEAR_TIE or more behind."""
    regret: float
    regret_stderr: float


def measure_convergence(
    situations: Sequence[Situation], choose: Callable[[Situation], str]
) -> Convergence:
    """Let `choose` decide each situation and value its choices exactly."""
    costs, right, clear = [], [], []
    for situation in situations:
        values = exact_values(situation)
        ordered = sorted(values.values(), reverse=True)
        cost = ordered[0] - values[choose(situation)]
        costs.append(cost)
        right.append(cost < 1e-12)
        if len(ordered) < 2 or ordered[0] - ordered[1] >= NEAR_TIE:
            clear.append(cost < 1e-12)
    share, regret = float(np.mean(right)), np.array(costs)
    return Convergence(
        len(costs),
        share,
        float(np.sqrt(share * (1 - share) / len(costs))),
        float(np.mean(clear)) if clear else 1.0,
        float(regret.mean()),
        _stderr(regret),
    )


def _stderr(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
