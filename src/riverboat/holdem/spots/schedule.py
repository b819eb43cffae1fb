"""The discounts of an iteration, when a run measures, and the target where it stops."""

from __future__ import annotations

import math

from riverboat.errors import UsageError

DEFAULT_TARGET = 0.003  # Of the pot: where a run without a limit stops


def discounts(t: int) -> tuple[float, float, float]:
    """The factors of iteration t: of regrets above and below zero, and of the averages."""
    power = 0 if t == 0 else 1 << ((t.bit_length() - 1) & ~1)
    old = max(t - 1, 0) ** 1.5
    since = t - power
    return old / (old + 1), 0.5, (since / (since + 1)) ** 3


def next_evaluation(iterations: int, exploitability: float, target: float | None) -> int:
    """The iteration at which a run measures next; `exploitability` is nan at its beginning.

    An evaluation costs about as much as two iterations, so there are few: where the target should
    be reached (exploitability falls about as the square of the iterations grows), but not later
    than after half of the iterations so far; without a target after an eighth of them.
    """
    ahead = max(8, iterations // 8)
    if math.isnan(exploitability):
        ahead = 8
    elif target is not None and target > 0:
        missing = iterations * (math.sqrt(max(exploitability / target, 1.0)) - 1)
        ahead = min(max(4, math.ceil(missing)), max(8, iterations // 2))
    return iterations + ahead


def parse_target(text: str, pot: float) -> float:
    """Chips of exploitability from "0.3%" of the pot or "0.54" chips."""
    plain = text.strip()
    try:
        number = float(plain.removesuffix("%"))
    except ValueError:
        number = float("nan")
    if not 0 < number < float("inf"):
        raise UsageError(f"{text!r} is no target; write 0.3% of the pot or a number of chips.")
    return number / 100 * pot if plain.endswith("%") else number
