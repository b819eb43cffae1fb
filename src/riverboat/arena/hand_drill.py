"""The loop of drills that deal hands and price every decision: spots, games before the flop.

It counts, asks again what was missed, and can be kept across runs. With the memory of a person
(memory.py) it asks what is due today, and otherwise draws close decisions more often.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from riverboat.arena.drill import Item, MissedQueue, Tally, Verdict
from riverboat.arena.memory import EVERYTHING, Memory, MissedQuestion, Question, Wanted, gap_of
from riverboat.errors import RiverboatError, UsageError

HAND_WAITS = (3, 8)
"""Hands until a missed decision is asked again: after a mistake, and after it was known once."""
MAX_MISSED = 200
MAX_DEALS = 200  # Hands without a decision before a drill says that there is none
CLOSE_SHARE = 0.05
"""A decision whose second-best action loses this part of the pot is asked 1/e as often."""
_UNREADABLE = (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError)
_DAMAGED = "The drill cannot be read; begin a new one."


@dataclass(frozen=True)
class HandVerdict(Verdict):
    """One decision of a hand, priced in chips."""

    node: str = ""
    pot: float = 0.0
    values: dict[str, float] = field(default_factory=dict)  # Action → EV
    strategy: dict[str, float] = field(default_factory=dict)
    """What the solution does with this hand."""
    groups: dict[str, str] = field(default_factory=dict)
    """What kind of decision it is: "street" → "turn"."""

    @property
    def priced(self) -> bool:
        """Whether the EVs of the best action and of the one taken are known."""
        return not any(math.isnan(self.values[action]) for action in (self.best, self.action))


@dataclass
class DrillScore:
    """Hands, decisions, and the chips won over all hands, luck included."""

    hands: int = 0
    chips: float = 0.0
    tally: Tally = field(default_factory=Tally)

    def as_dict(self) -> dict[str, float]:
        tally = self.tally
        asked = {"decisions": tally.asked, "right": tally.right, "loss": tally.lost}
        return {"hands": self.hands, **asked, "chips": self.chips}

    @classmethod
    def from_dict(cls, kept: Any) -> DrillScore:
        tally = Tally(int(kept["decisions"]), int(kept["right"]), float(kept["loss"]))
        return cls(int(kept["hands"]), float(kept["chips"]), tally)


class DrilledHand(Protocol):
    """One hand of a drill on its way; it stops where it is your turn, or at its end."""

    story: list[str]  # What happened since you last acted, in words
    verdicts: list[HandVerdict]
    again: Item | None  # Where it began with a decision that you missed before

    @property
    def your_turn(self) -> bool: ...

    @property
    def cards(self) -> str: ...

    @property
    def actions(self) -> Sequence[str]:
        """What you can do now, in words."""

    def hint(self) -> tuple[dict[str, float], dict[str, float]]:
        """How often the solution takes each action with these cards, and the actions' EVs."""

    def named(self, text: str) -> str:
        """The action that a text means; IllegalActionError where there is none."""

    def act(self, action: str, *, looked_up: bool = False) -> HandVerdict:
        """Take an action; `looked_up` says that the solution was looked up first."""


HandT = TypeVar("HandT", bound=DrilledHand)


def _as_dict(item: Item) -> dict[str, Any]:
    node, _, cards = item.key.rpartition(" ")
    facts = {"node": node, "cards": cards, "due": item.due, "known": item.known}
    return facts | {"mistakes": item.mistakes}


def _item(kept: Any) -> Item:
    due, known = int(kept["due"]), int(kept.get("known", 0))
    mistakes = int(kept.get("mistakes", 1))
    return Item("", "", f"{kept['node']} {kept['cards']}", known, due, mistakes)


class HandDrill(ABC, Generic[HandT]):
    """Hands of one solution, one after another; each has its own stream of chance."""

    def __init__(self, side: int, seed: int, *, again: bool = True) -> None:
        """With `again` wrong decisions are asked again."""
        self.side, self.seed, self.again = side, seed, again
        self.rng = np.random.default_rng(seed)
        self.score = DrillScore()
        self.queue = MissedQueue(HAND_WAITS, MAX_MISSED)
        self.hand: HandT | None = None
        """The last one that was dealt."""

    @abstractmethod
    def dealt(self, missed: Item | None) -> HandT:
        """A new hand, or one at a missed decision, played up to your turn or to its end."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, wanted: Wanted) -> Item:
        """A decision of these groups, the likelier the closer it is."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Your seat."""

    @property
    @abstractmethod
    def deck(self) -> str:
        """What a memory knows the drill's questions by: the solution and your seat."""

    @property
    def unit(self) -> str:
        """What decisions are priced in."""
        return "chips"

    @property
    @abstractmethod
    def title(self) -> str:
        """What is drilled, in words."""

    @property
    @abstractmethod
    def groups(self) -> dict[str, tuple[str, ...]]:
        """What can be asked about alone: kind → groups, kinds of one group left out."""

    def deal(self) -> HandT:
        """A hand as often as the ranges hold it, or one that you misplayed, where you did."""
        missed = self.queue.due() if self.again else None
        self.queue.now += 1
        self.score.hands += 1
        return self._begin(missed)

    def deal_to_decide(self) -> HandT:
        """The next hand in which you act; those that end before are not counted."""
        for _ in range(MAX_DEALS):
            score = (self.score.hands, self.score.chips)
            hand = self.deal()
            if hand.your_turn:
                return hand
            self.score.hands, self.score.chips = score
        raise UsageError(f"{self.name.upper()} never acts in this solution.")

    def deal_to_train(self, memory: Memory, now: datetime, wanted: Wanted = EVERYTHING) -> HandT:
        """The next hand for a person, at the decision that is asked.

        First come misses of this sitting, then what the memory says is due, then new decisions:
        close ones more often.

        Parameters
        ----------
        memory
            What the person has answered so far.
        now
            The time, with its zone.
        wanted
            The groups of the decisions that are asked.
        """
        memory.refresh()
        self.queue.now += 1
        for item in self._remembered(memory, now, wanted):
            try:
                hand = self._begin(item)
            except (RiverboatError, ValueError, LookupError):
                continue  # kept from a solution that had other nodes
            if hand.your_turn:
                self.score.hands += 1
                return hand
        if wanted.mistakes:
            raise UsageError("There is no mistake to ask again.")
        drawn = self.draw(np.random.default_rng([self.seed, self.queue.now, 1]), wanted)
        self.score.hands += 1
        return self._begin(drawn)

    def _remembered(self, memory: Memory, now: datetime, wanted: Wanted) -> list[Item]:
        """Decisions to ask again, the first one first."""
        known = {missed.question.key: missed for missed in memory.mistakes(self.deck, wanted)}
        own = self.queue.due()
        items = [own] if own is not None and (not wanted.words or own.key in known) else []
        items += [_of_memory(missed) for missed in memory.due(now, self.deck, wanted)]
        if wanted.mistakes:  # those of today first, then the others
            last = self.hand.verdicts[-1:] if self.hand is not None else []
            just = f"{last[0].node} {self.hand.cards}" if last and self.hand is not None else ""
            items += [_of_memory(missed) for key, missed in known.items() if key != just]
        return items

    def question(self, hand: HandT, verdict: HandVerdict) -> Question:
        """A decision as a memory knows it."""
        return Question(
            self.deck,
            f"{verdict.node} {hand.cards}",
            f"{self.title}: {hand.cards} at {verdict.node}",
            self.unit,
            gap_of(verdict.values.values()),
            verdict.groups,
        )

    def _begin(self, missed: Item | None) -> HandT:
        self.rng = np.random.default_rng([self.seed, self.queue.now])
        hand = self.hand = self.dealt(missed)
        return hand

    def note(self, hand: HandT, verdict: HandVerdict) -> None:
        """Count a decision; a wrong one will be asked again, a known one is dropped.

        One that was looked up is not scored, and is asked again too.
        """
        self.score.tally.count(verdict)
        if not self.again:
            return
        key = f"{verdict.node} {hand.cards}"
        old = self.queue.find(key)
        # Known before it was due, the question came up by chance: it stays.
        if not verdict.known or (old is not None and old.due < self.queue.now):
            self.queue.note(key, known=verdict.known)

    def as_dict(self) -> dict[str, Any]:
        """All that `resume` needs: the score, missed decisions, and the hand under way."""
        hand = self.hand
        began = None if hand is None or hand.again is None else _as_dict(hand.again)
        return {
            "side": self.side,
            "seed": self.seed,
            "number": self.queue.now,
            "score": self.score.as_dict(),
            "missed": [_as_dict(item) for item in self.queue.items],
            "hand": None if hand is None else [verdict.action for verdict in hand.verdicts],
            "again": began,
        }

    def restore(self, kept: Any) -> Self:
        """Take what `as_dict` described, the hand played up to the same point."""
        try:
            score = DrillScore.from_dict(kept["score"])
            missed = [_item(row) for row in kept["missed"]]
            again = None if kept["again"] is None else _item(kept["again"])
            self.queue.now = int(kept["number"])
            if kept["hand"] is not None:
                hand = self._begin(again)
                for action in kept["hand"]:
                    hand.act(str(action))
        except (*_UNREADABLE, RiverboatError) as error:
            raise UsageError(_DAMAGED) from error
        self.score, self.queue.items = score, missed
        return self


def choices(groups: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Kinds of groups that leave a choice, each group once."""
    once = {kind: tuple(dict.fromkeys(names)) for kind, names in groups.items()}
    return {kind: names for kind, names in once.items() if len(names) > 1}


def _of_memory(missed: MissedQuestion) -> Item:
    return Item("", "", missed.question.key, mistakes=missed.mistakes)


def kept_seat(kept: Any) -> tuple[int, int]:
    """The side and the seed of a drill that was kept."""
    try:
        return int(kept["side"]), int(kept["seed"])
    except _UNREADABLE as error:
        raise UsageError(_DAMAGED) from error
