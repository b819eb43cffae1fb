"""What follows from the exact analysis: the best chart, its exceptions, effects of removal.

The best chart is the total-dependent strategy with the highest value: a cell's action is the best
on the average over the compositions that reach the cell, weighted by how often they do under the
chart itself. Decisions low down change how often cells above are reached, and decisions above
change what hitting is worth, so the chart is improved round after round until it stays as it is;
two to four rounds do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riverboat.blackjack.charts import (
    FIRST_HARD,
    FIRST_SOFT,
    UPS,
    BlackjackChart,
    published_chart,
)
from riverboat.blackjack.exact.analysis import ACTIONS, Analysis, analyse
from riverboat.blackjack.exact.hand_tables import hand_table
from riverboat.blackjack.rules import BlackjackRules

__all__ = ["CompositionException", "best_chart", "effect_of_removal", "exceptions"]

ROUNDS = 12
"""More than was ever needed; a cycle between charts of equal value would end here."""
UNSPLIT = 1e-9
"""The weight of a pair that is split, in the row of its total: it decides only where nothing
else reaches that row (hard 4, soft 12)."""

Floats = NDArray[np.float64]


def best_chart(rules: BlackjackRules, shoe: Sequence[int] | None = None) -> BlackjackChart:
    """The best total-dependent strategy for a table."""
    chart = published_chart(rules)
    for _ in range(ROUNDS):
        analysis = analyse(rules, shoe, strategy=chart)
        columns = [
            _improved(analysis, chart, up) if analysis.engine.counts[up] else _kept(chart, up)
            for up in range(10)
        ]
        hard, soft, pairs = (
            tuple(zip(*(column[part] for column in columns), strict=True)) for part in range(3)
        )
        improved = BlackjackChart(rules.summary, hard, soft, pairs)
        if (improved.hard, improved.soft, improved.pairs) == (chart.hard, chart.soft, chart.pairs):
            return improved
        chart = improved
    return chart


def _kept(chart: BlackjackChart, up: int) -> list[list[str]]:
    return [[row[up] for row in rows] for rows in (chart.hard, chart.soft, chart.pairs)]


def _improved(analysis: Analysis, chart: BlackjackChart, up: int) -> list[list[str]]:
    """The column of an up card, each cell the best answer to the chart as it is."""
    table = hand_table()
    weight, first = _reach(analysis, chart, up)
    column = analysis.engine.column(up)
    decided = (table.size > 1) & ~analysis.engine.final
    rows = {True: FIRST_SOFT, False: FIRST_HARD}
    codes: dict[bool, list[str]] = {True: [], False: []}
    for soft, lowest in rows.items():
        for total in range(lowest, 22):
            cell = (table.total == total) & (table.soft == soft) & decided
            stand = float((weight * column.stand)[cell].sum())
            hit = float((weight * column.hit)[cell].sum())
            play = "H" if hit > stand else "S"
            codes[soft].append(_first_code(analysis, up, np.nonzero(cell)[0], first, play))
    pairs = []
    for card in range(10):
        counts = tuple(2 * (i == card) for i in range(10))
        soft = card == 0
        total = 12 if soft else 2 * (card + 1)
        pairs.append(_pair_code(analysis, up, counts, codes[soft][total - rows[soft]]))
    return [codes[False], codes[True], pairs]


def _reach(analysis: Analysis, chart: BlackjackChart, up: int) -> tuple[Floats, Floats]:
    """(H,) how often each hand is decided upon under the chart, and how often as a first hand."""
    table, engine = hand_table(), analysis.engine
    column = engine.column(up)
    weight = np.zeros(len(table.size))
    hits = np.zeros(len(table.size), np.bool_)
    for p, hand, pair_left in analysis.deals(up):
        counts = tuple(table.counts[hand].tolist())
        if counts[0] and counts[9]:
            continue
        choice = chart.choose(counts, up, "".join(analysis.first_values(hand, up, pair_left)))
        weight[hand] += p if choice != "P" else UNSPLIT * p
        hits[hand] |= choice == "H"
    first = weight.copy()
    hits |= (table.size > 2) & (column.action == 1) & ~engine.final
    left = np.maximum(column.base - engine.unit * table.counts, 0.0)
    chance = left / np.maximum(left.sum(1), 1e-300)[:, None]
    for size in range(2, 21):
        from_hands = np.nonzero((table.size == size) & hits & (weight > 0))[0]
        for card in range(10):
            to = table.child[from_hands, card]
            alive = to >= 0
            flow = weight[from_hands] * chance[from_hands, card]
            np.add.at(weight, to[alive], flow[alive])
    return weight, first


def _first_code(
    analysis: Analysis, up: int, cell: NDArray[np.int64], first: Floats, play: str
) -> str:
    """The code of a cell whose later hands hit or stand as `play`: what its first hands do."""
    values: dict[str, float] = {}
    for hand in cell[first[cell] > 0].tolist():
        for letter, value in analysis.first_values(hand, up, None).items():
            values[letter] = values.get(letter, 0.0) + float(first[hand]) * value
    best = play
    for letter in "DR":
        if letter in values and values[letter] > values[best]:
            best = letter
    return {"D": {"H": "D", "S": "Ds"}[play], "R": f"R{play.lower()}"}.get(best, play)


def _pair_code(analysis: Analysis, up: int, counts: tuple[int, ...], total_code: str) -> str:
    """Split, surrender before splitting, or play the pair as its total."""
    hand = hand_table().index[counts]
    if (analysis.engine.unit * np.array(counts) > analysis.engine.column(up).base).any():
        return total_code
    kinds = analysis.engine.pairs(up, counts.index(2))
    values = analysis.first_values(hand, up, max(left for _, left in kinds) if kinds else None)
    if "P" not in values:
        return total_code
    plain = max(values[letter] for letter in "SHD" if letter in values)
    if values["P"] <= plain:
        return total_code
    return "Rp" if values.get("R", -2.0) > values["P"] else "P"


@dataclass(frozen=True)
class CompositionException:
    """A hand that is better played otherwise than its total says."""

    hand: str
    up: str
    best: str
    chart: str
    gain: float
    """What the better action is worth, per unit bet, whenever the hand comes up."""


def exceptions(
    analysis: Analysis, chart: BlackjackChart, num_cards: int = 2
) -> list[CompositionException]:
    """Hands of so many cards, pairs apart, for which the chart is not best; the dearest first."""
    table, engine = hand_table(), analysis.engine
    found = []
    for up, name in enumerate(UPS):
        if not engine.counts[up]:
            continue
        base = engine.column(up).base
        for hand in np.nonzero(table.size == num_cards)[0].tolist():
            counts = tuple(table.counts[hand].tolist())
            pair = num_cards == 2 and 2 in counts
            if pair or (engine.unit * table.counts[hand] > base).any() or table.total[hand] > 20:
                continue
            text = "".join(UPS[i] * n for i, n in enumerate(counts))
            values = analysis.action_values(text, name)
            letters = {v: k for k, v in ACTIONS.items()}
            played = ACTIONS[chart.choose(counts, up, "".join(letters[a] for a in values))]
            best = next(iter(values))
            if best != played:
                gain = values[best] - values[played]
                found.append(CompositionException(text, name, best, played, gain))
    return sorted(found, key=lambda e: -e.gain)


def effect_of_removal(rules: BlackjackRules, convention: str = "CDZ-") -> dict[str, float]:
    """Card → what taking one of them out of the fresh shoe adds to the value of a round."""
    whole = analyse(rules, convention=convention)
    shoe = whole.engine.shoe
    if shoe is None:
        return dict.fromkeys(UPS, 0.0)
    return {
        name: analyse(rules, [n - (i == card) for i, n in enumerate(shoe)], convention).ev
        - whole.ev
        for card, name in enumerate(UPS)
    }
