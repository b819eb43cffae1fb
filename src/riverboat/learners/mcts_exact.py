"""The search measured against exact values: random decisions, regret, agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from riverboat.games.blackjack import RANKS, Round, value
from riverboat.games.twentyone import VALUES
from riverboat.learners.mcts_problem import Situation, Table
from riverboat.solvers.blackjack import ACTIONS, Analysis, analyse

__all__ = [
    "NEAR_TIE",
    "Convergence",
    "exact_values",
    "measure_convergence",
    "random_situations",
]

NEAR_TIE = 0.002
"""Bids between the two best actions below which the choice hardly matters."""
NAMES = {name: letter for letter, name in ACTIONS.items()}


@lru_cache(maxsize=64)
def _analysis(table: Table, shoe: tuple[int, ...] | None) -> Analysis:
    return analyse(table.rules, shoe)


@lru_cache(maxsize=16)
def _twentyone_column(up: int) -> dict[str, tuple[float, float]]:
    """Hand → exact value of hit and stand against an up card."""
    from riverboat.solvers.twentyone import hands_of, standing
    from riverboat.solvers.twentyone_kernels import FREE, value_kernel
    from riverboat.strategies.twentyone_information import hands

    every, (win, push) = hands_of(), standing()
    rows = np.arange(len(every.size), dtype=np.int16)
    q, values = np.zeros((len(rows), 2)), np.zeros(len(rows))
    stand = 2.0 * win[up] + push[up] - 1.0
    free = np.full(len(rows), FREE)
    value_kernel(up, -1.0, stand, every.after, every.remaining, every.size, rows, free, q, values)
    return {hand: (float(q[h, 0]), float(q[h, 1])) for h, hand in enumerate(hands())}


def exact_values(situation: Situation) -> dict[str, float]:
    """Letter → exact value of each action; twenty-one from a full pack only."""
    if situation.table.plain_natural:
        cards = "".join(VALUES[v - 1] for v in sorted(map(value, situation.hand)))
        hit, stand = _twentyone_column(value(situation.up) - 1)[cards]
        return {"S": stand, "H": hit}
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
