"""A file kind from outside the house: a diary, one line a player, "h 0.4" for heads in 40 %."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from riverboat.strategies.kinds import FileKind
from riverboat.strategies.strategy import Strategy

KIND = FileKind(
    "penny-diary",
    "a diary of matching pennies",
    loader="penny_package.diary:read_diary",
    player="strategy:{}",
    suffixes=(".diary",),
)


def read_diary(path: str | Path) -> Strategy:
    """The strategy that a diary tells."""
    heads = [float(line.split()[1]) for line in Path(path).read_text().splitlines()]
    return Strategy(
        game="penny",
        parameters={},
        infosets=("?", "?"),
        players=np.array([0, 1], np.int8),
        offsets=np.array([0, 2, 4]),
        actions=("h", "t", "h", "t"),
        probabilities=np.array([share for p in heads for share in (p, 1 - p)]),
    )
