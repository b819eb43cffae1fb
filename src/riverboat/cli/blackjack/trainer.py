"""The blackjack trainer: one decision a hand, the close ones oftener, mistakes priced exactly.

Answers are read a line at a time, so that a pipe can answer too; its end, or Ctrl-C, ends the
drill with the score.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from riverboat.blackjack.exact.analysis import ACTIONS, Analysis, analyse
from riverboat.blackjack.round import RANKS, points, value
from riverboat.blackjack.rules import BlackjackRules

__all__ = ["Question", "Score", "drill", "questions"]

KEYS = {letter.lower(): name for letter, name in ACTIONS.items()}
HARD = 0.12
"""A decision whose second-best action loses this much is asked 1/e as often as a coin toss."""
RARE = 0.03
"""How often the clearest decisions still come."""
THIRD_CARD = 0.3
"""Share of the hands that get a third card, if they can."""


@dataclass(frozen=True)
class Question:
    """A hand to decide, with the value of each action, best first."""

    cards: str
    up: str
    values: dict[str, float]

    @property
    def best(self) -> str:
        return next(iter(self.values))

    def cost(self, action: str) -> float:
        """What an action loses against the best one."""
        return self.values[self.best] - self.values[action]


@dataclass
class Score:
    """How a drill is going."""

    asked: int = 0
    right: int = 0
    lost: float = 0.0
    mistakes: list[tuple[float, str]] = field(default_factory=list)

    def add(self, question: Question, action: str) -> float:
        """Count an answer; what it cost."""
        cost = question.cost(action)
        self.asked += 1
        self.right += cost == 0
        self.lost += cost
        if cost > 0:
            hand = f"{','.join(question.cards)} against {question.up}"
            self.mistakes.append((cost, f"{hand}: {question.best}, not {action}"))
        return cost

    def lines(self) -> list[str]:
        if not self.asked:
            return ["No hand was decided."]
        share = 100 * self.right / self.asked
        lines = [
            f"{self.right} of {self.asked} right ({share:.0f} %), {self.lost:.4f} bets lost to"
            f" mistakes, {self.lost / self.asked:.4f} a hand."
        ]
        worst = sorted(set(self.mistakes), reverse=True)[:5]
        if worst:
            lines.append("The dearest mistakes:")
            lines += [f"  {cost:.4f}  {text}" for cost, text in worst]
        return lines


def questions(analysis: Analysis, rng: np.random.Generator) -> Iterator[Question]:
    """Hands without end: dealt as from the shoe, then kept the likelier the closer they are."""
    known: dict[tuple[str, str], dict[str, float]] = {}
    while True:
        cards = [RANKS[i] for i in rng.integers(0, 13, 4)]
        up, hand = cards[0], cards[1] + cards[2]
        if points(hand)[0] == 21:
            continue
        third = hand + cards[3]
        if rng.random() < THIRD_CARD and points(third)[0] < 21 and points(hand)[0] < 17:
            hand = third
        plain = "".join(sorted(_plain(hand))), _plain(up)
        if analysis.rules.split_by == "rank":
            plain = hand, up
        if plain not in known:
            known[plain] = analysis.action_values(*plain)
        values = known[plain]
        first, second = list(values.values())[:2]
        keep = max(RARE, math.exp(-(first - second) / HARD))
        if rng.random() < keep:
            yield Question(hand, up, values)


def _plain(cards: str) -> str:
    """Court cards as tens."""
    return "".join("T" if value(card) == 10 else card for card in cards)


def drill(rules: BlackjackRules, seed: int | None, hands: int) -> None:
    """Ask until `hands` are decided (0: without end), the input ends or Ctrl-C; then the score."""
    score = Score()
    asked = questions(analyse(rules), np.random.default_rng(seed))
    print("h hit, s stand, d double, p split, r surrender; ? shows the values, q ends.")
    try:
        while not hands or score.asked < hands:
            if not _ask(next(asked), score):
                break
    except (EOFError, KeyboardInterrupt):
        print()
    print()
    for line in score.lines():
        print(line)


def _ask(question: Question, score: Score) -> bool:
    """One hand; False when the player has had enough."""
    total, soft = points(question.cards)
    kind = "soft " if soft else ""
    print()
    hand = f"{','.join(question.cards)} ({kind}{total})"
    print(f"{score.asked + 1}. dealer shows {question.up}, you have {hand}")
    letters = [key for key, name in KEYS.items() if name in question.values]
    while True:
        answer = input(f"   {'/'.join(letters)}? ").strip().lower()[:1]
        if answer == "q":
            return False
        if answer == "?":
            _show(question)
        elif answer in letters:
            break
        else:
            print(f"   Answer {', '.join(letters)}, ? or q.")
    action = KEYS[answer]
    cost = score.add(question, action)
    if cost == 0:
        print(f"   Right: {action}, {question.values[action]:+.4f}.")
    else:
        best = question.best
        print(
            f"   No: {best} ({question.values[best]:+.4f}) beats {action}"
            f" ({question.values[action]:+.4f}); that cost {cost:.4f} bets."
        )
    print(f"   Score {score.right} of {score.asked}, {score.lost:.4f} bets lost.")
    return True


def _show(question: Question) -> None:
    for name, worth in question.values.items():
        print(f"     {name:<10} {worth:+.4f}")
