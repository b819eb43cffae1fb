"""What drills of spots and before the flop share: a mixture with values, a record by person."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riverboat.arena.hand_drill import HandDrill, HandVerdict
from riverboat.arena.memory import file_stem
from riverboat.drawing.palette import action_colours
from riverboat.web.training.trainee import Trainee


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


def of_person(trainee: Trainee) -> str:
    """What the name of a record has more, so that two people do not share a hand."""
    return f"-{file_stem(trainee.person)}" if trainee.person else ""


def kept_text(drill: HandDrill[Any], trainee: Trainee) -> str:
    """The record of a drill, with the groups that its hand was dealt for."""
    return json.dumps({**drill.as_dict(), "only": list(trainee.wanted.words)})


def takes_back(drill: HandDrill[Any], kept: Any, trainee: Trainee) -> bool:
    """Whether the hand was dealt for other groups and is untouched; it is not counted then."""
    hand = drill.hand
    if hand is None or hand.verdicts or kept.get("only", []) == list(trainee.wanted.words):
        return False
    drill.score.hands -= 1
    return True
