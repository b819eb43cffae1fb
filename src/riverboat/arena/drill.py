"""One drill: how answers are judged and scored, and when a missed question is asked again.

A question that was missed, or looked up, becomes an item of the queue. It is asked again after the
first wait; each time it is known the wait grows, and after the last wait the item is dropped. Waits
count questions, not days, so that a record is the same whenever it is used (Leitner, *So lernt man
lernen*, 1972).

A record is one small JSON file, written whole after every answer.

`HandDrill` is the loop of drills that deal hands and price every decision (spots, games before the
flop): it counts, asks again what was missed, and can be kept across runs.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from riverboat.errors import FileFormatError, RiverboatError, StorageError, UsageError
from riverboat.runtime.storage import atomic_write, read_bytes

WAITS = (3, 10, 30, 90)
"""Questions until an item is asked again: after a mistake, after it was known once, twice, …"""
FORMAT = 1
MAX_BYTES = 10_000_000
MAX_COUNT = 10**12
HAND_WAITS = (3, 8)
"""Hands until a missed decision is asked again: after a mistake, and after it was known once."""
MAX_MISSED = 200
MAX_DEALS = 200  # Hands without a decision before a drill says that there is none
_UNREADABLE = (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError)
_DAMAGED = "The drill cannot be read; begin a new one."


@dataclass(frozen=True)
class Verdict:
    """An answer, judged."""

    action: str
    best: str
    cost: float  # How much less the action is worth than the best one
    scored: bool = True  # False where the solution was looked up first
    tolerance: float = 0.0  # A cost up to this counts as right

    @property
    def right(self) -> bool:
        return self.cost <= self.tolerance

    @property
    def known(self) -> bool:
        """Right, and not looked up."""
        return self.right and self.scored


@dataclass
class Tally:
    """The totals of one kind of question."""

    asked: int = 0
    right: int = 0
    lost: float = 0.0  # What mistakes cost
    looked_up: int = 0  # Questions that were not scored, because the answer was looked up first
    seconds: float = 0.0  # Time taken for answers that were timed
    cards: int = 0  # Cards counted in that time

    def add(self, other: Tally) -> None:
        for name, amount in vars(other).items():
            setattr(self, name, getattr(self, name) + amount)

    def count(self, verdict: Verdict) -> None:
        """Add an answer."""
        if not verdict.scored:
            self.looked_up += 1
            return
        self.asked += 1
        self.right += verdict.right
        self.lost += verdict.cost


@dataclass
class Score:
    """A sitting's answers by kind of question, and its mistakes."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    mistakes: list[tuple[float, str]] = field(default_factory=list)

    @property
    def total(self) -> Tally:
        """All kinds together."""
        total = Tally()
        for tally in self.tallies.values():
            total.add(tally)
        return total

    def add(self, kind: str, verdict: Verdict, question: str = "") -> None:
        """Count an answer; `question` describes it in the list of mistakes."""
        self.tallies.setdefault(kind, Tally()).count(verdict)
        if question and verdict.scored and not verdict.right:
            self.mistakes.append(
                (verdict.cost, f"{question}: {verdict.best}, not {verdict.action}")
            )

    def lines(self, unit: str = "bets", noun: str = "hand") -> list[str]:
        """The score in words."""
        total = self.total
        if not total.asked:
            return [f"No {noun} was scored."]
        share = 100 * total.right / total.asked
        lines = [
            f"{total.right} of {total.asked} right ({share:.0f} %), {total.lost:.4f} {unit} lost to"
            f" mistakes, {total.lost / total.asked:.4f} per {noun}."
        ]
        if total.looked_up:
            lines.append(f"{total.looked_up} looked up and not scored.")
        worst = sorted(set(self.mistakes), reverse=True)[:5]
        if worst:
            lines.append("The dearest mistakes:")
            lines += [f"  {cost:.4f}  {text}" for cost, text in worst]
        return lines


@dataclass
class Item:
    """A question that was missed."""

    table: str  # The rules or the spot in words, since another table may have another answer
    kind: str
    key: str  # All that is needed to ask the question again
    known: int = 0  # How often it was known since the last mistake
    due: int = 0  # The number of the question from which on it may be asked
    mistakes: int = 1


@dataclass
class MissedQueue:
    """Missed questions and when each is due; its owner counts `now` up."""

    waits: tuple[int, ...] = WAITS
    max_items: int | None = None
    now: int = 0  # Questions, or hands, so far
    items: list[Item] = field(default_factory=list)

    def due(self, table: str = "", kinds: Collection[str] = ("",), *, but: str = "") -> Item | None:
        """The item that has waited longest, if one is due; never the one with the key `but`."""
        ready = [
            item
            for item in self.items
            if item.table == table
            and item.kind in kinds
            and item.key != but
            and item.due <= self.now
        ]
        return min(ready, key=lambda item: item.due, default=None)

    def find(self, key: str, kind: str = "", table: str = "") -> Item | None:
        """The item of a question."""
        wanted = (table, kind, key)
        return next((i for i in self.items if (i.table, i.kind, i.key) == wanted), None)

    def note(self, key: str, *, known: bool, kind: str = "", table: str = "") -> None:
        """Schedule a question after its answer: a miss again soon, a known one later or never."""
        item = self.find(key, kind, table)
        if not known:
            if item is None:
                if self.max_items is not None and len(self.items) >= self.max_items:
                    return
                item = Item(table, kind, key, mistakes=0)
                self.items.append(item)
            item.known, item.mistakes = 0, item.mistakes + 1
        elif item is None:
            return
        else:
            item.known += 1
            if item.known >= len(self.waits):
                self.items.remove(item)
                return
        item.due = self.now + self.waits[item.known]

    def as_list(self) -> list[dict[str, Any]]:
        """Plain data, as in a file."""
        return [asdict(item) for item in self.items]

    def restore(self, rows: Any) -> None:
        """Take the items of `as_list`; ValueError or TypeError for anything else."""
        items = [Item(**row) for row in rows]
        for item in items:
            counts = (item.known, item.due, item.mistakes)
            texts = (item.table, item.kind, item.key)
            if not all(map(_is_count, counts)) or not all(isinstance(t, str) for t in texts):
                raise ValueError("an item of the queue is damaged")
            if item.known >= len(self.waits):
                raise ValueError("an item of the queue is known too often")
        self.items = items


@dataclass
class PracticeRecord:
    """Totals and missed questions of a person; without a path it lives in memory only."""

    path: Path | None = None
    tallies: dict[str, Tally] = field(default_factory=dict)
    queue: MissedQueue = field(default_factory=MissedQueue)

    @classmethod
    def load(cls, path: str | Path) -> PracticeRecord:
        """Read a record; an empty one where there is no file yet."""
        path = Path(path)
        if not path.exists():
            return cls(path)
        try:
            return cls._from_dict(path, json.loads(read_bytes(path, MAX_BYTES)))
        except (
            *(ValueError, TypeError, KeyError, AttributeError, RecursionError),
            FileFormatError,
        ) as error:
            raise FileFormatError(
                f"{path} is not a trainer's record; move it away, or name another record."
            ) from error

    @classmethod
    def _from_dict(cls, path: Path, data: Mapping[str, Any]) -> PracticeRecord:
        if data["format"] != FORMAT or not _is_count(data["answered"]):
            raise ValueError("not a record")
        record = cls(path)
        record.queue.now = data["answered"]
        record.queue.restore(data["items"])
        for kind, raw in data["tallies"].items():
            tally = Tally(**raw)
            amounts = (tally.lost, tally.seconds)
            if not all(map(_is_count, (tally.asked, tally.right, tally.looked_up, tally.cards))):
                raise ValueError("a tally is damaged")
            if not all(isinstance(x, int | float) and 0 <= x < MAX_COUNT for x in amounts):
                raise ValueError("a tally is damaged")
            record.tallies[str(kind)] = tally
        return record

    @property
    def items(self) -> list[Item]:
        """The missed questions."""
        return self.queue.items

    def save(self) -> None:
        """Write the file, if there is one."""
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"Cannot write {self.path}: {str(error.strerror).lower()}."
            ) from error
        atomic_write(self.path, json.dumps(self.as_dict(), ensure_ascii=False, indent=1) + "\n")

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the file."""
        return {
            "format": FORMAT,
            "answered": self.queue.now,
            "tallies": {kind: asdict(tally) for kind, tally in sorted(self.tallies.items())},
            "items": self.queue.as_list(),
        }

    def tally(self, kind: str) -> Tally:
        """The totals of a kind of question."""
        return self.tallies.setdefault(kind, Tally())

    def note(self, table: str, kind: str, key: str, verdict: Verdict) -> None:
        """Count an answer and schedule its question."""
        self.queue.now += 1
        self.queue.note(key, known=verdict.known, kind=kind, table=table)
        self.tally(kind).count(verdict)


def _is_count(number: Any) -> bool:
    return type(number) is int and 0 <= number < MAX_COUNT


@dataclass(frozen=True)
class HandVerdict(Verdict):
    """One decision of a hand, priced in chips."""

    node: str = ""
    pot: float = 0.0
    values: dict[str, float] = field(default_factory=dict)  # Action → EV
    strategy: dict[str, float] = field(default_factory=dict)
    """What the solution does with this hand."""

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
    return {"node": node, "cards": cards, "due": item.due, "known": item.known}


def _item(kept: Any) -> Item:
    due, known = int(kept["due"]), int(kept.get("known", 0))
    return Item("", "", f"{kept['node']} {kept['cards']}", known, due)


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

    @property
    @abstractmethod
    def name(self) -> str:
        """Your seat."""

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


def kept_seat(kept: Any) -> tuple[int, int]:
    """The side and the seed of a drill that was kept."""
    try:
        return int(kept["side"]), int(kept["seed"])
    except _UNREADABLE as error:
        raise UsageError(_DAMAGED) from error
