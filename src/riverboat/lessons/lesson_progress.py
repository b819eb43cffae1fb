"""Where somebody is in the lessons: one small JSON file, written whole after every step.

It is lessons.json in the folder of own_folders. A file that is damaged is taken as one that is
empty: nothing is lost but a place.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from riverboat.errors import StorageError
from riverboat.own_folders import data_folder
from riverboat.strategies.files import atomic_write

__all__ = ["Place", "Progress", "default_progress"]

FORMAT = 1
MOST_BYTES = 1_000_000


def default_progress() -> Path:
    """The file of the person at this machine."""
    return data_folder() / "lessons.json"


@dataclass(frozen=True)
class Place:
    """How far a lesson was read."""

    step: int = 0
    """The step that comes next, from 0."""
    done: bool = False
    """Whether it was read to its end once."""


class Progress:
    """The places in all lessons."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places = _read(path)

    def place(self, lesson: int) -> Place:
        return self._places.get(lesson, Place())

    def keep(self, lesson: int, place: Place) -> bool:
        """Write it down; whether that could be done."""
        self._places[lesson] = place
        entries = {
            str(number): {"step": kept.step, "done": kept.done}
            for number, kept in sorted(self._places.items())
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(self.path, json.dumps({"format": FORMAT, "lessons": entries}) + "\n")
        except (OSError, StorageError):
            return False
        return True


def _read(path: Path) -> dict[int, Place]:
    try:
        with path.open("rb") as stream:
            facts = json.loads(stream.read(MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    entries = facts.get("lessons") if isinstance(facts, dict) else None
    if not isinstance(entries, dict) or facts.get("format") != FORMAT:
        return {}
    places = {}
    for number, entry in entries.items():
        step = entry.get("step") if isinstance(entry, dict) else None
        if not isinstance(step, int) or isinstance(step, bool) or step < 0:
            continue
        if number.isascii() and number.isdigit() and len(number) < 4:
            places[int(number)] = Place(step, entry.get("done") is True)
    return places
