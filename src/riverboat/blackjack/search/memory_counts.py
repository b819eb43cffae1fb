"""What a memory counts: the results of an action, and what is lost when a memory is cut short."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counts", "Dropped"]


@dataclass(frozen=True)
class Counts:
    """Weighted wins, draws and losses of an action."""

    wins: float = 0.0
    draws: float = 0.0
    losses: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def times(self, factor: float) -> Counts:
        return Counts(factor * self.wins, factor * self.draws, factor * self.losses)

    def visits(self, action: str) -> float:
        """How often the action was simulated."""
        if action == "D":
            return (self.wins + self.losses) / 2 + self.draws
        return (self.wins + self.draws + self.losses) / (2 if action == "P" else 1)

    def mean(self, action: str) -> float:
        """The mean result in bids; 0 where nothing is known."""
        n = self.visits(action)
        won = self.wins - (self.losses / 2 if action == "I" else self.losses)
        return won / n if n else 0.0


@dataclass(frozen=True)
class Dropped:
    """What a compressed memory no longer holds."""

    states: int
    visits: float
    """Share of all simulated visits."""
    probability: float
    """Share of the probability of all states that were known."""
