"""What hit and stand are worth in a hand of twenty-one, exactly, for a player who asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from riverboat.games.base import Action
from riverboat.twentyone.game import HIT, STAND, infoset_of
from riverboat.twentyone.information import keys, labels
from riverboat.twentyone.optimum import hands_of, rows_of, standing
from riverboat.twentyone.optimum_kernels import FREE, value_kernel

__all__ = ["Hint", "exact_values", "hint_for"]


@dataclass(frozen=True)
class Hint:
    """Expected rewards with best play after this decision."""

    hit: float
    stand: float

    @property
    def action(self) -> str:
        return "hit" if self.hit > self.stand else "stand"

    def __str__(self) -> str:
        return f"{self.action} (hit {self.hit:+.3f}, stand {self.stand:+.3f})"


def hint_for(cards: Sequence[str], up_card: str) -> Hint:
    """The exact worth of both actions for these cards against this open card."""
    worth = exact_values(infoset_of(cards, up_card))
    return Hint(worth[HIT], worth[STAND])


def exact_values(infoset: str) -> dict[Action, float]:
    """The exact worth of both actions at an infoset, `"A5|9"`."""
    rows, values = _exact()
    hit, stand = values[rows[infoset]]
    return {HIT: float(hit), STAND: float(stand)}


@cache
def _exact() -> tuple[dict[str, int], NDArray[np.float64]]:
    """Each key's row, and (S, 2) hit and stand, also for hands that best play never reaches."""
    every, (win, push) = hands_of(), standing()
    rows = np.arange(len(every.size), dtype=np.int16)
    free = np.full(len(rows), FREE)
    table = np.zeros((len(rows), 10, 2))
    for up in range(10):
        q, values = np.zeros((len(rows), 2)), np.zeros(len(rows))
        stand = 2.0 * win[up] + push[up] - 1.0
        value_kernel(
            up, -1.0, stand, every.after, every.remaining, every.size, rows, free, q, values
        )
        table[:, up] = q
    by_key = np.zeros((len(labels("composition")), 10, 2))
    by_key[rows_of("composition")] = table
    return {key: row for row, key in enumerate(keys("composition"))}, by_key.reshape(-1, 2)
