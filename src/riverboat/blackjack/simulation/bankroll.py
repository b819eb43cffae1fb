"""Where a bankroll may go: the bands in which given shares of all players are after n rounds.

After n rounds the sum of results is close to normal, with n times the mean and variance of one
round (central limit theorem; a round's result is bounded, so a few hundred rounds are enough).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from riverboat.blackjack.simulation.simulate import SimulationResult
from riverboat.errors import ParameterError

__all__ = ["BankrollFan", "bankroll_fan"]

POINTS = 50


@dataclass(frozen=True)
class BankrollFan:
    """The bands, the widest first, the middle last; in betting units."""

    rounds: list[int]
    bands: list[tuple[str, list[float], list[float]]]
    """Name, lower edge and upper edge by `rounds`; the middle is a band of no width."""


def bankroll_fan(
    result: SimulationResult, rounds: int, shares: Sequence[float] = (0.9, 0.5)
) -> BankrollFan:
    """The fan of what `result` says about a round, over so many rounds."""
    if rounds < 1:
        raise ParameterError(f"rounds must be at least 1, not {rounds}.")
    marks = sorted({rounds * i // POINTS for i in range(POINTS + 1)})
    middle = [result.ev * n for n in marks]
    bands = []
    for share in sorted(shares, reverse=True):
        width = NormalDist().inv_cdf((1 + share) / 2) * result.variance**0.5
        low = [mean - width * n**0.5 for mean, n in zip(middle, marks, strict=True)]
        high = [mean + width * n**0.5 for mean, n in zip(middle, marks, strict=True)]
        bands.append((f"{share:.0%} of players", low, high))
    return BankrollFan(marks, [*bands, ("expected", middle, list(middle))])
