"""What browsers typed last into a spot's form, with the states before it: undo and redo."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riverboat.runtime.storage import atomic_write
from riverboat.web.pages.holdem.spot_fields import OF_EDITOR, is_three

MAX_DRAFTS = 500
MAX_STATES = 60
"""States that can be undone or redone."""
MAX_CHARS = 1_000_000
"""Characters of all states of a draft together; of more the oldest go."""
UNDO, REDO = "undo", "redo"
Values = dict[str, str]


@dataclass
class Draft:
    """The fields as they stand, and what they were before and after."""

    values: Values = field(default_factory=dict)
    past: list[Values] = field(default_factory=list)
    future: list[Values] = field(default_factory=list)

    def change(self, values: Mapping[str, str]) -> None:
        """Take in other fields; what was undone before is gone."""
        before, self.values = self.values, dict(values)
        if before and _content(before) != _content(values):
            self.past, self.future = [*self.past, before][-MAX_STATES:], []
        while self.past and self._chars() > MAX_CHARS:
            self.past.pop(0)

    def step(self, pressed: str) -> None:
        """Go back to the state before, or on to the one after."""
        here, there = (self.past, self.future) if pressed == UNDO else (self.future, self.past)
        if here:
            there.append(self.values)
            self.values = here.pop()

    def _chars(self) -> int:
        return sum(len(text) for state in (*self.past, *self.future) for text in state.values())

    @classmethod
    def read(cls, kept: Any) -> Draft:
        """A draft from a file; one of 0.2.0 is the fields alone."""
        if not isinstance(kept, dict):
            return cls()
        if "values" not in kept or not isinstance(kept["values"], dict):
            kept = {"values": kept, "past": [], "future": []}
        past, future = kept.get("past"), kept.get("future")
        if not isinstance(past, list) or not isinstance(future, list):
            return cls()
        states = [kept["values"], *past, *future]
        known = all(
            isinstance(state, dict) and all(isinstance(text, str) for text in state.values())
            for state in states
        )
        return cls(kept["values"], past, future) if known else cls()


def _content(values: Mapping[str, str]) -> dict[str, str]:
    """The fields without those that only say how one paints."""
    return {n: text for n, text in values.items() if not n.endswith(OF_EDITOR)}


@dataclass(frozen=True)
class Drafts:
    """The drafts of all browsers: a file for each, kept through reloads and restarts."""

    folder: Path

    def open(self, browser: str, players: int) -> Draft:
        """A browser's draft; an empty one where nothing was typed."""
        try:
            draft = Draft.read(json.loads(self._path(browser, players).read_text()))
        except (OSError, ValueError):
            return Draft()
        return draft if is_three(draft.values) == (players == 3) else Draft()

    def read(self, browser: str, players: int) -> Values:
        """The fields as they were left; none where nothing was typed."""
        return self.open(browser, players).values

    def save(self, browser: str, draft: Draft) -> None:
        """Write a draft; the oldest of all go when there are many."""
        self.folder.mkdir(parents=True, exist_ok=True)
        players = 3 if is_three(draft.values) else 2
        atomic_write(self._path(browser, players), json.dumps(vars(draft)))
        files = sorted(self.folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in files[:-MAX_DRAFTS]:
            path.unlink(missing_ok=True)

    def _path(self, browser: str, players: int) -> Path:
        return self.folder / f"{browser}-{players}.json"
