"""A dealer's log, hand by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from riverboat.errors import FileFormatError
from riverboat.twentyone.log import read_log

MAX_LINES = 200_000
"""Entries of a log that are read."""


def hands_of_log(path: Path) -> list[dict[str, Any]]:
    """Every finished hand: table, round, names, each seat's cards, the dealer's and the results."""
    hands: list[dict[str, Any]] = []
    names: dict[int, list[str]] = {}
    open_hands: dict[int, dict[str, Any]] = {}
    for _, entry in islice(read_log(path), MAX_LINES):
        kind, table = entry["event"], int(entry.get("table", -1))
        if kind == "table":
            names[table] = list(entry["names"])
        elif kind == "deal":
            cards = [list(hand or []) for hand in entry["hands"]]
            open_hands[table] = {
                "table": table + 1,
                "round": entry["round"],
                "names": names.get(table, []),
                "cards": cards,
            }
        elif kind == "act" and table in open_hands and entry.get("card"):
            open_hands[table]["cards"][int(entry["seat"])].append(entry["card"])
        elif kind == "round" and table in open_hands:
            hand = open_hands.pop(table)
            hands.append({**hand, "dealer": entry["dealer"], "results": entry["results"]})
    return hands


def hands_of_logs(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The hands of the logs of one tournament; those of the newest are remembered."""
    return _read(tuple((path, path.stat().st_mtime_ns) for path in paths))


@lru_cache(maxsize=2)
def _read(logs: tuple[tuple[Path, int], ...]) -> list[dict[str, Any]]:
    try:
        return [hand for path, _ in logs for hand in hands_of_log(path)]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileFormatError("The log of this tournament cannot be read.") from error
