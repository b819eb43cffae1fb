"""Strategies for people and other programs: JSON and CSV texts."""

from __future__ import annotations

import csv
import io
import json

from riverboat.strategies.strategy import Strategy

__all__ = ["to_csv", "to_json"]


def to_json(strategy: Strategy) -> str:
    """One object: game, parameters, info and, for each player, infoset → action → probability."""
    players: dict[str, dict[str, dict[str, float]]] = {}
    for player, key in zip(strategy.players.tolist(), strategy.infosets, strict=True):
        players.setdefault(str(player), {})[key] = strategy.lookup(player, key) or {}
    whole = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
        "strategy": players,
    }
    return json.dumps(whole, indent=1) + "\n"


def to_csv(strategy: Strategy) -> str:
    """A row for each action: player, infoset, action, probability (shortest exact decimals)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["player", "infoset", "action", "probability"])
    for player, key in zip(strategy.players.tolist(), strategy.infosets, strict=True):
        for action, probability in (strategy.lookup(player, key) or {}).items():
            writer.writerow([player, key, action, repr(probability)])
    return out.getvalue()
