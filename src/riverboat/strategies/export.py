"""Strategies for people and other programs: JSON and CSV texts."""

from __future__ import annotations

import csv
import io
import json

from riverboat.errors import TooLargeError
from riverboat.strategies.any_strategy import AnyStrategy

__all__ = ["to_csv", "to_json"]

MAX_INFOSETS = 2_000_000
"""A text of more would take gigabytes."""


def to_json(strategy: AnyStrategy) -> str:
    """One object: game, parameters, info and, for each player, infoset → action → probability."""
    _check_size(strategy)
    players: dict[str, dict[str, dict[str, float]]] = {}
    for player, key, probabilities in strategy.entries():
        players.setdefault(str(player), {})[key] = probabilities
    whole = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
        "strategy": players,
    }
    return json.dumps(whole, indent=1) + "\n"


def to_csv(strategy: AnyStrategy) -> str:
    """A row for each action: player, infoset, action, probability (shortest exact decimals)."""
    _check_size(strategy)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["player", "infoset", "action", "probability"])
    for player, key, probabilities in strategy.entries():
        for action, probability in probabilities.items():
            writer.writerow([player, key, action, repr(probability)])
    return out.getvalue()


def _check_size(strategy: AnyStrategy) -> None:
    count = len(strategy)
    if count > MAX_INFOSETS:
        raise TooLargeError(
            f"The strategy has {count:,} infosets, more than the {MAX_INFOSETS:,} that a text may"
            " have; look at it with riverboat show."
        )
