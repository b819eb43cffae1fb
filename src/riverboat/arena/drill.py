"""What a trainer remembers across runs: totals by kind of drill, and the hands to ask again.

A hand that was answered wrong, or looked up, becomes an item. It is asked again after three
questions; each time it is known the wait grows, and after the last wait the item is dropped. The
wait counts questions, not days, so that a record is the same whenever it is used (Leitner, *So
lernt man lernen*, 1972).

The record is one small JSON file, written whole after every answer:
blackjack-trainer.json in the folder of own_folders.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from riverboat.errors import FileFormatError, StorageError
from riverboat.runtime.own_folders import data_folder
from riverboat.strategies.files import atomic_write

__all__ = ["WAITS", "Item", "PracticeRecord", "Tally", "default_record"]

WAITS = (3, 10, 30, 90)
"""Questions until an item comes again: after a mistake, and after it was known once, twice, …"""
FORMAT = 1
MOST_BYTES = 10_000_000


def default_record() -> Path:
    """The file of the person at this machine."""
    return data_folder() / "blackjack-trainer.json"


@dataclass
class Tally:
    """How a kind of drill has gone."""

    asked: int = 0
    right: int = 0
    lost: float = 0.0
    """Bets that mistakes cost."""
    looked_up: int = 0
    """Questions that were not scored, because the answer was looked at first."""
    seconds: float = 0.0
    """Time taken for answers that were timed."""
    cards: int = 0
    """Cards counted in that time."""

    def add(self, other: Tally) -> None:
        self.asked += other.asked
        self.right += other.right
        self.lost += other.lost
        self.looked_up += other.looked_up
        self.seconds += other.seconds
        self.cards += other.cards


@dataclass
class Item:
    """Something that was not known: when to ask it again."""

    table: str
    """The rules in words, since another table may have another answer."""
    kind: str
    key: str
    known: int = 0
    """How often it was known since the last mistake."""
    due: int = 0
    """The number of the question from which on it may come."""
    mistakes: int = 1


@dataclass
class PracticeRecord:
    """Totals and items; without a path it lives in memory only."""

    path: Path | None = None
    answered: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)

    @classmethod
    def load(cls, path: str | Path) -> PracticeRecord:
        """The record in a file; an empty one where there is no file yet."""
        path = Path(path)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return cls(path)
        except OSError as error:
            raise StorageError(f"Cannot read {path}: {str(error.strerror).lower()}.") from error
        try:
            if len(raw) > MOST_BYTES:
                raise ValueError
            return cls(path, **_fields(json.loads(raw)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise FileFormatError(
                f"{path} is not a trainer's record; move it away, or name another with --record."
            ) from error

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
            "answered": self.answered,
            "tallies": {kind: asdict(tally) for kind, tally in sorted(self.tallies.items())},
            "items": [asdict(item) for item in self.items],
        }

    def tally(self, kind: str) -> Tally:
        """The totals of a kind of drill."""
        return self.tallies.setdefault(kind, Tally())

    def due(self, table: str, kinds: tuple[str, ...], *, but: str = "") -> Item | None:
        """The item that has waited longest, if one is due; not the one asked last (`but`)."""
        ready = [
            item
            for item in self.items
            if item.table == table
            and item.kind in kinds
            and item.key != but
            and item.due <= self.answered
        ]
        return min(ready, key=lambda item: item.due, default=None)

    def note(self, table: str, kind: str, key: str, *, known: bool) -> None:
        """Count one question more, and schedule its hand."""
        self.answered += 1
        same = (
            item for item in self.items if (item.table, item.kind, item.key) == (table, kind, key)
        )
        item = next(same, None)
        if not known:
            if item is None:
                item = Item(table, kind, key, mistakes=0)
                self.items.append(item)
            item.known, item.mistakes = 0, item.mistakes + 1
        elif item is None:
            return
        else:
            item.known += 1
            if item.known >= len(WAITS):
                self.items.remove(item)
                return
        item.due = self.answered + WAITS[item.known]


def _fields(data: Any) -> dict[str, Any]:
    """The fields of a record from what a file holds; raises ValueError for anything odd."""
    if data["format"] != FORMAT:
        raise ValueError
    tallies = {str(kind): Tally(**tally) for kind, tally in data["tallies"].items()}
    items = [Item(**item) for item in data["items"]]
    numbers = [data["answered"]]
    for tally in tallies.values():
        numbers += [tally.asked, tally.right, tally.looked_up, tally.cards]
        if not all(
            isinstance(x, int | float) and 0 <= x < 1e12 for x in (tally.lost, tally.seconds)
        ):
            raise ValueError
    for item in items:
        numbers += [item.known, item.due, item.mistakes]
        if not all(isinstance(text, str) for text in (item.table, item.kind, item.key)):
            raise ValueError
        if item.known >= len(WAITS):
            raise ValueError
    if not all(type(n) is int and 0 <= n < 10**12 for n in numbers):
        raise ValueError
    return {"answered": data["answered"], "tallies": tallies, "items": items}
