"""Strategies for people and other programs: JSON, and a table as CSV, Parquet or Arrow.

    player: int8   infoset: string   action: string   probability: float64

The table has a row for each action, in the order of the strategy's infosets. In Parquet and Arrow
files the facts of the strategy (kind, game, parameters, info) are one JSON text under the key
`riverboat` of the schema's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from riverboat.errors import TooLargeError
from riverboat.runtime import tables
from riverboat.strategies.any_strategy import AnyStrategy

COLUMNS = ("player", "infoset", "action", "probability")
TYPES = ("int8", "string", "string", "float64")
MAX_INFOSETS = 2_000_000  # A text of more would take gigabytes


def to_json(strategy: AnyStrategy, *, max_infosets: int = MAX_INFOSETS) -> str:
    """One object: game, parameters, info and, for each player, infoset → action → probability."""
    _check_size(strategy, max_infosets)
    players: dict[str, dict[str, dict[str, float]]] = {}
    for player, key, probabilities in strategy.entries():
        players.setdefault(str(player), {})[key] = probabilities
    whole = _facts(strategy) | {"strategy": players}
    del whole["kind"]
    return json.dumps(whole, indent=1) + "\n"


def to_csv(strategy: AnyStrategy, *, max_infosets: int = MAX_INFOSETS) -> str:
    """A row for each action: player, infoset, action, probability (shortest exact decimals)."""
    _check_size(strategy, max_infosets)
    return tables.csv_text(COLUMNS, _rows(strategy))


def to_arrow(strategy: AnyStrategy) -> Any:
    """The whole strategy as a pyarrow.Table."""
    notes = {"riverboat": json.dumps(_facts(strategy))}
    return tables.arrow_table(COLUMNS, _rows(strategy), types=TYPES, metadata=notes)


def write_table(
    strategy: AnyStrategy,
    path: str | Path,
    form: str = "parquet",
    progress: Callable[[int], None] | None = None,
    *,
    batch: int = tables.BATCH,
) -> int:
    """Write a Parquet, Arrow (IPC) or CSV file, all of it or nothing; return the number of rows."""
    return tables.write_table(
        path,
        COLUMNS,
        _rows(strategy),
        form=form,
        types=TYPES,
        metadata={"riverboat": json.dumps(_facts(strategy))},
        progress=progress,
        batch=batch,
    )


def _facts(strategy: AnyStrategy) -> dict[str, Any]:
    return {
        "kind": strategy.kind,
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
    }


def _rows(strategy: AnyStrategy) -> Iterator[tuple[int, str, str, float]]:
    for player, infoset, probabilities in strategy.entries():
        for action, probability in probabilities.items():
            yield player, infoset, action, probability


def _check_size(strategy: AnyStrategy, max_infosets: int) -> None:
    count = len(strategy)
    if count > max_infosets:
        raise TooLargeError(
            f"The strategy has {count:,} infosets, more than the {max_infosets:,} that a text may"
            " have; write it as Parquet."
        )
