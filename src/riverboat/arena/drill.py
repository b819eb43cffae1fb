"""One drill: how answers are judged and scored, and when a missed question is asked again.

A question that was missed, or looked up, becomes an item of the queue. It is asked again after the
first wait; each time it is known the wait grows, and after the last wait the item is dropped. Waits
count questions, not days, so that a record is the same whenever it is used (Leitner, *So lernt man
lernen*, 1972).

A record is one small JSON file, written whole after every answer.

"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from riverboat.errors import FileFormatError, StorageError
from riverboat.runtime.storage import atomic_write, read_bytes

WAITS = (3, 10, 30, 90)
"""Questions until an item is asked again: after a mistake, after it was known once, twice, …"""
FORMAT = 1
MAX_BYTES = 10_000_000
MAX_COUNT = 10**12


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
