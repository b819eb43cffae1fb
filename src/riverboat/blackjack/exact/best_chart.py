"""What follows from the exact analysis: the best chart, its exceptions, effects of removal.

The best chart is the total-dependent strategy with the highest value. Columns do not touch each
other. In a column each cell takes the code that is worth most while the others stay as they are
(chart_cells prices all of them at once, exactly), and again, since decisions low down change how
often cells above are reached, and decisions above what hitting is worth. It ends when no other code
in any single cell gains anything; two to four rounds do. Codes that play the same way are
distinguished by what they would be worth where surrender is refused, then by what they are worth to
hands that the chart itself never brings there.

Best charts are kept on disk, in charts/ in the user's cache (runtime.storage); a platform
wheel brings those of the named tables. Their names hold a digest of the rules and of the code that
finds charts, so that a chart never outlives a change of either. What cannot be read or written is
found anew and not kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from riverboat.blackjack.charts import (
    CODES,
    MIMIC_DEALER,
    NEVER_BUST,
    UPS,
    BlackjackChart,
    Cells,
    published_chart,
)
from riverboat.blackjack.exact._chart_cells import ALL_CODES, CellValues, ChartColumn
from riverboat.blackjack.exact.analysis import Analysis, analyse
from riverboat.blackjack.exact.hand_tables import (
    FIRST_PAIR_CELL,
    FIRST_SOFT_CELL,
    NUM_CELLS,
    hand_table,
)
from riverboat.blackjack.rules import ACTIONS, LETTER_OF, BlackjackRules
from riverboat.errors import StorageError, UnknownNameError
from riverboat.runtime.array_types import F64
from riverboat.runtime.storage import BROUGHT, atomic_write, cache_folder

CHART_NAMES = ("best", "published", "mimic-dealer", "never-bust")

SAME = 1e-13  # Gains below this are rounding

Codes = list[str]  # The 38 cells of a column: hard 4…21, soft 12…21, pairs A…T
ROWS = {"hard": 18, "soft": 10, "pairs": 10}


def best_chart(rules: BlackjackRules, shoe: Sequence[int] | None = None) -> BlackjackChart:
    """The best total-dependent strategy for a table: no other code in a single cell gains."""
    return find_best_chart(rules, shoe)[0]


def find_best_chart(
    rules: BlackjackRules, shoe: Sequence[int] | None = None
) -> tuple[BlackjackChart, float]:
    """The best chart, and what a round is worth with it."""
    analysis, printed = analyse(rules, shoe), published_chart(rules)
    rows = (*printed.hard, *printed.soft, *printed.pairs)
    counts, ev = analysis.engine.counts, 0.0
    columns = []
    for up in range(10):
        codes = [row[up] for row in rows]
        if counts[up]:
            column = ChartColumn(analysis, up)
            codes, value = _best_column(column, codes)
            ev += float(counts[up] / counts.sum()) * (value + column.naturals)
        columns.append(codes)
    cells = tuple(zip(*columns, strict=True))
    hard, soft = cells[:FIRST_SOFT_CELL], cells[FIRST_SOFT_CELL:FIRST_PAIR_CELL]
    return BlackjackChart(rules.summary, hard, soft, cells[FIRST_PAIR_CELL:]), ev


def chart_value(name: str, rules: BlackjackRules) -> tuple[BlackjackChart, float]:
    """A chart by name, and what a round is worth with it; the best chart is kept in the cache."""
    if name != "best":
        chart = named_chart(name, rules)
        return chart, analyse(rules, strategy=chart).ev
    known = known_chart(rules)
    if known is None:
        known = find_best_chart(rules)
        keep_chart(rules, *known)
    return known


def named_chart(name: str, rules: BlackjackRules) -> BlackjackChart:
    """A chart by name: the best for the rules, the printed one, or a rule of thumb."""
    if name not in CHART_NAMES:
        raise UnknownNameError.among("chart", name, CHART_NAMES)
    if name == "best":
        return best_chart(rules)
    if name == "published":
        return published_chart(rules)
    return MIMIC_DEALER if name == "mimic-dealer" else NEVER_BUST


def _best_column(column: ChartColumn, codes: Codes) -> tuple[Codes, float]:
    """Improve a column until no single cell can, and its value, naturals apart.

    Each round is worth more than the last.
    """
    prices = column.prices(codes)
    while (swapped := _one_swap(column, codes, prices)) != codes:
        improved = _improved(column, codes, prices)
        repriced = column.prices(improved)
        if repriced.value <= prices.value:
            # Several cells at once got in each other's way: take the one that gains most.
            improved, repriced = swapped, column.prices(swapped)
        codes, prices = improved, repriced
    plain = _improved(column, codes, prices)
    repriced = column.prices(plain)
    kept = repriced.value > prices.value - SAME and _one_swap(column, plain, repriced) == plain
    return (plain, repriced.value) if kept else (codes, prices.value)


def _improved(column: ChartColumn, codes: Codes, prices: CellValues) -> Codes:
    """Every cell's best code while the others stay; of equal ones the plainest."""
    improved = []
    for cell in range(NUM_CELLS):
        ev = np.where(column.candidates[cell], prices.totals[cell], -np.inf)
        equal = np.nonzero(ev > ev.max() - SAME)[0].tolist()
        if cell < FIRST_PAIR_CELL:
            improved.append(_plainest(equal, column.by_composition[cell]))
        else:
            pair = cell - FIRST_PAIR_CELL
            as_total = improved[FIRST_SOFT_CELL if pair == 0 else 2 * pair - 2]
            improved.append(_plainest(equal, prices.others[cell], as_total))
    return improved


def _plainest(equal: list[int], second: F64, as_total: str = "") -> str:
    """Of codes that are worth the same: by a second opinion, as the total, the first in CODES."""
    most = max(second[code] for code in equal)
    kept = [ALL_CODES[code] for code in equal if second[code] > most - SAME]
    return as_total if as_total in kept else kept[0]


def _one_swap(column: ChartColumn, codes: Codes, prices: CellValues) -> Codes:
    """The column with the one code changed that gains most, or as it is."""
    current = [ALL_CODES.index(code) for code in codes]
    gains = prices.totals - prices.totals[np.arange(NUM_CELLS), current][:, None]
    gains[~column.candidates] = -np.inf
    cell, code = np.unravel_index(gains.argmax(), gains.shape)
    if gains[cell, code] <= SAME:
        return codes
    return [*codes[:cell], ALL_CODES[code], *codes[cell + 1 :]]


@dataclass(frozen=True)
class CompositionException:
    """A hand that is better played otherwise than its total says."""

    hand: str
    up: str
    best: str
    chart: str
    gain: float  # What the better action is worth, per unit bet, whenever the hand comes up


def exceptions(
    analysis: Analysis, chart: BlackjackChart, num_cards: int = 2
) -> list[CompositionException]:
    """Hands of that many cards, but no pairs, for which the chart is not best; dearest first."""
    table, engine = hand_table(), analysis.engine
    better_hands = []
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
            allowed = "".join(LETTER_OF[action] for action in values)
            played = ACTIONS[chart.choose(counts, up, allowed)]
            best = next(iter(values))
            if best != played:
                gain = values[best] - values[played]
                better_hands.append(CompositionException(text, name, best, played, gain))
    return sorted(better_hands, key=lambda e: -e.gain)


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


def _path(folder: Path, rules: BlackjackRules) -> Path:
    digest = hashlib.sha256(json.dumps(asdict(rules)).encode())
    here = Path(__file__).parent
    for source in (*sorted(here.glob("*.py")), here.parent / "charts.py"):
        digest.update(source.read_bytes())
    return folder / "charts" / f"{digest.hexdigest()[:24]}.json"


def known_chart(rules: BlackjackRules) -> tuple[BlackjackChart, float] | None:
    """The best chart for the rules and what a round is worth with it, if it is kept."""
    for folder in (BROUGHT, cache_folder()):
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            data = json.loads(_path(folder, rules).read_bytes())
            parts = [_cells(data[part], num_rows) for part, num_rows in ROWS.items()]
            ev = float(data["worth"])
            return (BlackjackChart(rules.summary, *parts), ev) if abs(ev) <= 2 else None
    return None


def keep_chart(
    rules: BlackjackRules, chart: BlackjackChart, ev: float, folder: Path | None = None
) -> None:
    """Keep a chart for the next time, in the user's cache or in another folder."""
    data = {"hard": chart.hard, "soft": chart.soft, "pairs": chart.pairs, "worth": ev}
    with suppress(OSError, StorageError):
        path = _path(folder or cache_folder(), rules)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, json.dumps(data))


def _cells(rows: Any, num_rows: int) -> Cells:
    """A part of a chart from what a file holds; ValueError for anything odd."""
    cells = tuple(tuple(row) for row in rows)
    if len(cells) != num_rows or any(len(row) != 10 for row in cells):
        raise ValueError
    if any(code not in CODES for row in cells for code in row):
        raise ValueError
    return cells
