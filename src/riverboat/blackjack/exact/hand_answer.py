"""The answer to "what do I do with this hand?": values, best first, and why."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from riverboat.blackjack.ranks import is_natural, points
from riverboat.blackjack.rules import BlackjackRules
from riverboat.notebook import html_table

__all__ = ["HandAnswer", "HandFacts", "reasons_for"]

REASONS = {
    "stand": "So the total is worth more than what one more card would bring.",
    "hit": "So a card is worth its risk.",
    "double": "So one card wins often enough to want twice the money on it.",
    "split": "So two hands with one of these cards each are worth more than both together.",
    "surrender": "So every way to play on loses more than half the bet.",
}


@dataclass(frozen=True, repr=False)
class HandAnswer:
    """A hand against an up card, answered."""

    rules: BlackjackRules
    cards: str
    up: str
    hands: int
    """How many hands the seat plays."""
    values: dict[str, float]
    """Action → value per unit bet, best first."""
    reasons: tuple[str, ...]
    """Why the best one is best, in sentences."""
    convention: str

    @property
    def best(self) -> str:
        """The best action's name."""
        return next(iter(self.values))

    def explain(self) -> str:
        """The reasons as one text."""
        return " ".join(self.reasons)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "hand": ",".join(self.cards),
            "up": self.up,
            "hands": self.hands,
            "actions": self.values,
            "best": self.best,
            "reasons": list(self.reasons),
            "rules": dataclasses.asdict(self.rules),
            "convention": self.convention,
        }

    def __repr__(self) -> str:
        values = ", ".join(f"{action} {worth:+.4f}" for action, worth in self.values.items())
        return f"HandAnswer({','.join(self.cards)} against {self.up}: {values})"

    def _repr_html_(self) -> str:
        best = self.values[self.best]
        rows = [
            (action, f"{worth:+.6f}", "" if action == self.best else f"{worth - best:+.6f}")
            for action, worth in self.values.items()
        ]
        title = f"{','.join(self.cards)} against {self.up}: {self.best}"
        return html_table(("action", "value", "behind"), rows, title=title, note=self.explain())


@dataclass(frozen=True)
class HandFacts:
    """What speaks for and against the actions of a hand."""

    cards: str
    up: str
    values: dict[str, float]
    dealer_busts: float
    dealer_better: float
    """How often he ends with more than the hand has."""
    no_blackjack: bool
    """Whether both are given that he has no blackjack."""
    hit_busts: float


def reasons_for(facts: HandFacts) -> list[str]:
    """Why the best action is best, in words."""
    if is_natural(facts.cards):
        return ["A two-card 21 is settled as it is."]
    total = points(facts.cards)[0]
    given = " once he has no blackjack" if facts.no_blackjack else ""
    said = [
        f"Showing {facts.up}, the dealer busts {100 * facts.dealer_busts:.1f} % of the time{given}"
        f" and beats {total} in {100 * facts.dealer_better:.1f} %."
    ]
    if total < 17:
        said.append(f"Standing on {total} wins only when he busts.")
    bust = facts.hit_busts
    said.append(f"A hit busts {100 * bust:.1f} % of the time." if bust else "A hit cannot bust.")
    best, *others = facts.values
    said.append(REASONS[best])
    if others:
        gain = facts.values[best] - facts.values[others[0]]
        said.append(f"{best.capitalize()} beats {others[0]} by {gain:.4f} bets.")
    return said
