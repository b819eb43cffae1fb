"""Best charts that were found before, kept on disk: the second time a chart is there at once.

The files lie in charts/ below $RIVERBOAT_CACHE, or below riverboat/ in $XDG_CACHE_HOME or ~/.cache.
Their names hold a digest of the rules and of the code that finds charts, so that a chart never
outlives a change of either. What cannot be read or written is found anew and not kept.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from riverboat.blackjack.charts import CODES, BlackjackChart, Cells
from riverboat.blackjack.rules import BlackjackRules
from riverboat.errors import StorageError
from riverboat.own_folders import cache_folder
from riverboat.strategies.files import atomic_write

__all__ = ["keep_chart", "known_chart"]

ROWS = {"hard": 18, "soft": 10, "pairs": 10}


def _path(rules: BlackjackRules) -> Path:
    digest = hashlib.sha256(json.dumps(asdict(rules)).encode())
    here = Path(__file__).parent
    for source in (*sorted(here.glob("*.py")), here.parent / "charts.py"):
        digest.update(source.read_bytes())
    return cache_folder() / "charts" / f"{digest.hexdigest()[:24]}.json"


def known_chart(rules: BlackjackRules) -> tuple[BlackjackChart, float] | None:
    """The best chart for the rules and what a round is worth with it, if it is kept."""
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        data = json.loads(_path(rules).read_bytes())
        parts = [_cells(data[part], num_rows) for part, num_rows in ROWS.items()]
        return BlackjackChart(rules.summary, *parts), float(data["worth"])
    return None


def keep_chart(rules: BlackjackRules, chart: BlackjackChart, worth: float) -> None:
    """Keep a chart for the next time."""
    data = {"hard": chart.hard, "soft": chart.soft, "pairs": chart.pairs, "worth": worth}
    with suppress(OSError, StorageError):
        path = _path(rules)
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
