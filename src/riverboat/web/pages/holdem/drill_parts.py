"""What the drills of spots and before the flop show alike: a mixture with values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from riverboat.arena.hand_drill import HandVerdict
from riverboat.drawing.palette import action_colours


@dataclass(frozen=True)
class MixRow:
    """An action with what the solution does with it."""

    words: str
    share: float
    colour: str
    value: float | None
    taken: bool


def mix_rows(
    strategy: Mapping[str, float], values: Mapping[str, float], taken: str = ""
) -> list[MixRow]:
    """Each action with its share and value; `taken` is the one that was chosen."""
    colours = action_colours(list(strategy))
    return [
        MixRow(
            words,
            share,
            colour,
            None if math.isnan(values[words]) else values[words],
            words == taken,
        )
        for (words, share), colour in zip(strategy.items(), colours, strict=True)
    ]


def mix_of(verdict: HandVerdict | None) -> list[MixRow]:
    """What the solution does where a decision was judged."""
    return [] if verdict is None else mix_rows(verdict.strategy, verdict.values, verdict.action)
