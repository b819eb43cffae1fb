"""Counting cards against the clock: a stretch of a shoe, then the running and the true count.

    drill = CountDrill("hilo", decks=6, seed=1)
    stretch = drill.next(num_cards=26)
    drill.answer(stretch, running=3, true=1, seconds=14.0)

The stretch begins with a fresh shoe or somewhere inside one; then the count so far is given. A true
count is the running count by the decks left, judged to half decks as at a table, and an answer
within half a point of it is right.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from riverboat.arena.drill import PracticeRecord, Tally, Verdict
from riverboat.arena.memory import Question
from riverboat.blackjack.rules import fresh_cards, value
from riverboat.blackjack.simulation.counting import SYSTEMS, CountingSystem
from riverboat.errors import UnknownNameError, UsageError

FEWEST_LEFT = 26  # Cards that stay in the shoe: half a deck, below which a true count means little


@dataclass(frozen=True)
class Stretch:
    """Cards to count."""

    system: CountingSystem
    start: float  # The running count before them
    cards: str
    decks_left: float  # After them, to half decks

    @property
    def running(self) -> float:
        """The running count after them."""
        return self.start + sum(self.system.tags[value(card) - 1] for card in self.cards)

    @property
    def true(self) -> float | None:
        """The true count after them; None for systems that do without."""
        return self.running / self.decks_left if self.system.true_count else None

    def groups(self, size: int) -> list[str]:
        """The cards in groups of that size."""
        return [self.cards[i : i + size] for i in range(0, len(self.cards), size)]


@dataclass(frozen=True)
class CountVerdict:
    """An answer, judged."""

    running_right: bool
    true_right: bool | None  # None where no true count was asked for
    seconds: float
    per_card: float  # Seconds
    off: float = 0.0  # Points by which the running count was missed

    @property
    def right(self) -> bool:
        return self.running_right and self.true_right is not False


@dataclass
class CountDrill:
    """Deals stretches and judges the answers."""

    system_name: str = "hilo"
    decks: int = 6
    seed: int | None = None
    record: PracticeRecord = field(default_factory=PracticeRecord)
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        if self.system_name not in SYSTEMS:
            raise UnknownNameError.among("counting system", self.system_name, SYSTEMS)
        if not 1 <= self.decks <= 8:
            raise UsageError(f"A counting drill takes 1 to 8 decks, not {self.decks}.")
        self.rng = np.random.default_rng(self.seed)

    @property
    def system(self) -> CountingSystem:
        return SYSTEMS[self.system_name]

    def check(self, num_cards: int) -> int:
        """Refuse a stretch that the shoe is too short for; the most that it is long enough for."""
        most = 52 * self.decks - FEWEST_LEFT
        if not 1 <= num_cards <= most:
            raise UsageError(
                f"A stretch of {self.decks} decks has 1 to {most} cards, not {num_cards}."
            )
        return most

    def next(self, num_cards: int = 26, *, inside: bool = False) -> Stretch:
        """A stretch from the top of a new shoe, or from `inside` one."""
        most = self.check(num_cards)
        shoe = self.rng.permutation(list(fresh_cards(self.decks))).tolist()
        first = int(self.rng.integers(most - num_cards + 1)) if inside else 0
        gone, cards = shoe[:first], shoe[first : first + num_cards]
        cards_left = 52 * self.decks - first - num_cards
        start = self.system.initial(self.decks) + sum(
            self.system.tags[value(card) - 1] for card in gone
        )
        decks_left = max(0.5, round(cards_left / 26) / 2)
        return Stretch(self.system, float(start), "".join(cards), decks_left)

    def answer(
        self, stretch: Stretch, running: float, true: float | None = None, *, seconds: float = 0.0
    ) -> CountVerdict:
        """Judge an answer and remember it; `seconds` is the time the cards took."""
        true_right = None
        if stretch.true is not None and true is not None:
            true_right = abs(true - stretch.true) <= 0.5 + 1e-9
        off = abs(running - stretch.running)
        verdict = CountVerdict(off < 1e-9, true_right, seconds, seconds / len(stretch.cards), off)
        for tally in (self.tally, self.record.tally("count")):
            tally.asked += 1
            tally.right += verdict.right
            tally.seconds += seconds
            tally.cards += len(stretch.cards)
        self.record.save()
        return verdict

    def remembered(self, verdict: CountVerdict) -> tuple[Question, Verdict]:
        """An answer as a memory counts it. It costs the points by which the count was off, and
        does not come again: no two stretches are the same.
        """
        off = 0.0 if verdict.right else max(1.0, verdict.off)
        words = f"Counting {self.system.name}, {self.decks} decks: a stretch"
        deck = f"count {self.system_name} decks={self.decks}"
        question = Question(deck, "", words, "points", groups={"hand": "count"})
        named = "the count" if verdict.right else "another count"
        return question, Verdict(named, "the count", off)
