"""Twenty-one exactly: every hand of the pack against every open card, no sampling.

A player who sees every card solves a finite tree: standing is worth what the dealer's hand makes
of it, hitting the average over the next card, and the better of the two is played. The dealer's
face-down card needs no special care, since to the player it is one of the unseen cards.

A player who sees less must play all hands of one key alike, and how often each of them is held
depends on the decisions at other keys. Such problems do not solve backwards, so the best strategy
is found by branch and bound, for each open card: keys not yet decided let every hand choose for
itself, which can only be better than any true strategy; the key where the hands disagree at the
highest cost is decided both ways; a branch whose bound is no better than the best true strategy
so far is dropped. That is a proof, and takes 2 to 31 sweeps per card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from riverboat.games.base import Action
from riverboat.runtime.array_types import F64, I8, I16
from riverboat.twentyone.game import (
    HIT,
    MAX_POINTS,
    STAND,
    VALUES,
    dealer_draws,
    infoset_of,
    points,
)
from riverboat.twentyone.learning._optimum_kernels import FREE, reach_kernel, value_kernel
from riverboat.twentyone.learning.information import hand_label, hands, keys, labels

PACK = np.array([4] * 9 + [16])


@dataclass(frozen=True, eq=False)
class Hands:
    """The hands of two cards and more as arrays, fewest cards first."""

    size: I8  # (H,) cards in the hand
    points: I8  # (H,)
    remaining: I8  # (H, 10) cards of each value left in the pack
    after: I16  # (H, 10) the hand after one more card, −1 over 21 or where the pack has none
    deal: F64  # (H, 10) probability to be dealt this hand against this open card


@dataclass(frozen=True)
class Outcome:
    """How a strategy fares, exactly."""

    win: float
    push: float
    lose: float

    @property
    def reward(self) -> float:
        return self.win - self.lose

    def value(self, objective: str) -> float:
        """The figure that an objective, reward or wins, asks for."""
        return self.win if objective == "wins" else self.reward


def _with_card(cards: str, value: str) -> str:
    return "".join(sorted(cards + value, key=VALUES.index))


@cache
def hands_of() -> Hands:
    """The hands of one pack."""
    names = hands()
    index = {name: h for h, name in enumerate(names)}
    counts = np.array([[name.count(value) for value in VALUES] for name in names], dtype=np.int8)
    after = np.array(
        [[index.get(_with_card(name, value), -1) for value in VALUES] for name in names],
        dtype=np.int16,
    )
    size = counts.sum(axis=1).astype(np.int8)
    remaining = (PACK - counts).astype(np.int8)
    deal = np.zeros((len(names), 10))
    for h in np.flatnonzero(size == 2):
        a, b = (VALUES.index(value) for value in names[h])
        ways = PACK[a] * (PACK[b] - (a == b)) * (1 + (a != b)) / (52 * 51)
        deal[h] = ways * remaining[h] / 50
    totals = np.array([points(name) for name in names], dtype=np.int8)
    return Hands(size, totals, remaining, after, deal)


@cache
def dealer_probabilities() -> F64:
    """(10, H, 6) against open card and hand: the dealer ends with 17…21, or bust."""
    every = hands_of()
    result = np.zeros((10, len(every.size), 6))
    for up in range(10):
        # Hands that differ in the order of their cards are carried together.
        level = {VALUES[up]: np.ones(len(every.size))}
        while level:
            longer: dict[str, F64] = {}
            for cards, chance in level.items():
                unseen = chance / (52.0 - every.size - len(cards))
                for v, value in enumerate(VALUES):
                    p = unseen * np.maximum(every.remaining[:, v] - cards.count(value), 0)
                    drawn = _with_card(cards, value)
                    if dealer_draws(drawn):
                        longer[drawn] = longer[drawn] + p if drawn in longer else p
                    else:
                        total = points(drawn)
                        result[up, :, 5 if total > MAX_POINTS else total - 17] += p
            level = longer
    return result


@cache
def standing() -> tuple[F64, F64]:
    """(10, H) probability to win and to push by standing."""
    dealer = dealer_probabilities()
    above = hands_of().points[:, None] - np.arange(17, 22)
    win = dealer[:, :, 5] + np.where(above > 0, dealer[:, :, :5], 0).sum(axis=2)
    return win, np.where(above == 0, dealer[:, :, :5], 0).sum(axis=2)


@cache
def rows_of(state: str) -> I16:
    """(H,) the label of a kind of information that each hand has."""
    index = {label: i for i, label in enumerate(labels(state))}
    return np.array([index[hand_label(state, hand)] for hand in hands()], dtype=np.int16)


def evaluate(hits: F64 | I8) -> Outcome:
    """The outcome of a strategy given as (H, 10), the probability to hit a hand by open card."""
    every, (win, push) = hands_of(), standing()
    own_row = np.arange(len(every.size), dtype=np.int16)
    q, values = np.zeros((len(own_row), 2)), np.zeros(len(own_row))
    chances = [0.0, 0.0]
    for up in range(10):
        chosen = np.ascontiguousarray(hits[:, up], dtype=float)
        for i, stand in enumerate((win[up], push[up])):
            _values(up, 0.0, stand, own_row, chosen, q, values)
            chances[i] += float(every.deal[:, up] @ values)
    return Outcome(chances[0], chances[1], 1.0 - chances[0] - chances[1])


def row_decisions(state: str, rows: I8) -> I8:
    """(H, 10) decisions of a table's rows (S,): 1 hit, 0 stand, −1 draws like the dealer."""
    chosen = rows.reshape(-1, 10)[rows_of(state)]
    return np.where(chosen < 0, (hands_of().points < 17)[:, None], chosen).astype(np.int8)


def q_values(state: str, objective: str, hits: F64 | I8) -> tuple[F64, F64]:
    """What hit and stand average at each key when the strategy `hits` (H, 10) is played.

    Returns (S, 2) averages, and (S,) how often the key decides in a game.
    """
    every, row = hands_of(), rows_of(state)
    own_row = np.arange(len(row), dtype=np.int16)
    sums, visits = np.zeros((len(labels(state)), 10, 2)), np.zeros((len(labels(state)), 10))
    q, values = np.zeros((len(row), 2)), np.zeros(len(row))
    for up in range(10):
        chosen = np.ascontiguousarray(hits[:, up], dtype=float)
        _values(up, *_payoffs(objective, up), own_row, chosen, q, values)
        reach = every.deal[:, up].copy()
        reach_kernel(up, every.after, every.remaining, every.size, own_row, chosen, q, reach)
        np.add.at(sums[:, up], row, reach[:, None] * q)
        np.add.at(visits[:, up], row, reach)
    with np.errstate(invalid="ignore"):
        averages = sums / visits[:, :, None]
    return averages.reshape(-1, 2), visits.ravel()


@cache
def optimum(state: str, objective: str) -> tuple[Outcome, I8]:
    """The best outcome for a player who looks at `state`, and (S,) what its keys do: 1 hits."""
    best = np.zeros((len(labels(state)), 10), dtype=np.int8)
    for up in range(10):
        best[:, up] = _Search(state, objective, up).solve()
    return evaluate(row_decisions(state, best.ravel())), best.ravel()


class _Search:
    """Branch and bound for one open card; see the top of this module."""

    def __init__(self, state: str, objective: str, up: int) -> None:
        self.up = up
        self.bust, self.stand = _payoffs(objective, up)
        self.row, self.num_rows = rows_of(state), len(labels(state))
        self.deal = hands_of().deal[:, up]
        self.q, self.values = np.zeros((len(self.row), 2)), np.zeros(len(self.row))
        self.best_value, self.best = -np.inf, np.zeros(self.num_rows)
        self.sweeps = 0

    def value(self, hits: F64) -> float:
        self.sweeps += 1
        _values(self.up, self.bust, self.stand, self.row, hits, self.q, self.values)
        return float(self.deal @ self.values)

    def losses(self, hits: F64) -> F64:
        """(R, 2) what a free row would lose by hitting with all its hands, and by standing."""
        every, reach = hands_of(), self.deal.copy()
        reach_kernel(
            self.up, every.after, every.remaining, every.size, self.row, hits, self.q, reach
        )
        regret = np.zeros((self.num_rows, 2))
        np.add.at(regret, self.row, reach[:, None] * (self.q.max(axis=1)[:, None] - self.q))
        return regret

    def solve(self) -> F64:
        pending = [np.full(self.num_rows, FREE)]
        while pending:
            hits = pending.pop()
            if self.value(hits) <= self.best_value:
                continue
            losses = self.losses(hits)
            better = (losses[:, 0] < losses[:, 1]).astype(float)
            rounded = np.where(hits == FREE, better, hits)
            value = self.value(rounded)
            if value > self.best_value:
                self.best_value, self.best = value, rounded
            disagreement = np.where(hits == FREE, losses.min(axis=1), 0.0)
            row = int(disagreement.argmax())
            if disagreement[row] > 0.0:
                for choice in (1.0 - better[row], better[row]):
                    branch = hits.copy()
                    branch[row] = choice
                    pending.append(branch)
        return self.best


def _payoffs(objective: str, up: int) -> tuple[float, F64]:
    """The value of a bust and (H,) of standing."""
    win, push = standing()
    return (0.0, win[up]) if objective == "wins" else (-1.0, 2.0 * win[up] + push[up] - 1.0)


def _values(up: int, bust: float, stand: F64, row: I16, hits: F64, q: F64, values: F64) -> None:
    every = hands_of()
    value_kernel(up, bust, stand, every.after, every.remaining, every.size, row, hits, q, values)


@dataclass(frozen=True)
class Hint:
    """Expected rewards with best play after this decision."""

    hit: float
    stand: float

    @property
    def action(self) -> str:
        return "hit" if self.hit > self.stand else "stand"

    def __str__(self) -> str:
        return f"{self.action} (hit {self.hit:+z.3f}, stand {self.stand:+z.3f})"


def hint_for(cards: Sequence[str], up_card: str) -> Hint:
    """The exact values of both actions for these cards against this open card."""
    values = exact_values(infoset_of(cards, up_card))
    return Hint(values[HIT], values[STAND])


def exact_values(infoset: str) -> dict[Action, float]:
    """The exact values of both actions at an infoset, `"A5|9"`."""
    rows, values = _exact()
    hit, stand = values[rows[infoset]]
    return {HIT: float(hit), STAND: float(stand)}


@cache
def _exact() -> tuple[dict[str, int], F64]:
    """Each key's row, and (S, 2) hit and stand, also for hands that best play never reaches."""
    every, (win, push) = hands_of(), standing()
    rows = np.arange(len(every.size), dtype=np.int16)
    free = np.full(len(rows), FREE)
    table = np.zeros((len(rows), 10, 2))
    for up in range(10):
        q, values = np.zeros((len(rows), 2)), np.zeros(len(rows))
        stand = 2.0 * win[up] + push[up] - 1.0
        value_kernel(
            up, -1.0, stand, every.after, every.remaining, every.size, rows, free, q, values
        )
        table[:, up] = q
    by_key = np.zeros((len(labels("composition")), 10, 2))
    by_key[rows_of("composition")] = table
    return {key: row for row, key in enumerate(keys("composition"))}, by_key.reshape(-1, 2)
