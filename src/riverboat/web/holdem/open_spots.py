"""Solved spots and their nodes that were looked at last, kept so that each is read once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path

from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.locks import words_of
from riverboat.holdem.spots.solved import SolvedSpot, load_spot
from riverboat.web.app.answers import import_numba

MAX_SPOTS = 3
MAX_NODES = 64
"""Nodes kept of each spot. One holds some arrays of 1,326 numbers, about 200 KB."""
MAX_LARGE_NODES = 8
"""The same where hands have more than two cards: up to 20 MB each."""


class OpenSpot:
    """A solved spot with the nodes that were asked for last."""

    def __init__(self, solved: SolvedSpot) -> None:
        self.solved = solved
        self._nodes: OrderedDict[tuple[str, ...], SpotCursor] = OrderedDict()
        self._lock = threading.Lock()
        self._most = MAX_NODES if solved.spot.hole_cards == 2 else MAX_LARGE_NODES

    def at(self, node: str) -> SpotCursor:
        """The cursor at a node; it goes on from the nearest node before that is known."""
        words = tuple(words_of(node))
        with self._lock:
            known = next(
                (words[:n] for n in range(len(words), -1, -1) if words[:n] in self._nodes), None
            )
            at: SpotCursor = self.solved.at() if known is None else self._nodes[known]
        for word in words[len(known or ()) :]:
            at = at.step(word)
        with self._lock:
            return self._keep(at)

    def _keep(self, at: SpotCursor) -> SpotCursor:
        """The cursor, or the one that is known under its name: that one has its figures."""
        kept = self._nodes.setdefault(at.path[2:], at)
        self._nodes.move_to_end(at.path[2:])
        while len(self._nodes) > self._most:
            self._nodes.popitem(last=False)
        return kept


@lru_cache(maxsize=MAX_SPOTS)
def _opened(path: str, changed: float) -> OpenSpot:
    """The spot in a file; its time of change makes a new one another key."""
    return OpenSpot(load_spot(path))


def open_spot(path: Path) -> OpenSpot:
    """The solved spot in a file."""
    import_numba()
    return _opened(str(path), path.stat().st_mtime)
