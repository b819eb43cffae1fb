"""What a solved spot can be compared with: spots of the server and files of the library."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urlencode

from riverboat.cards.card import cards_text
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.locks import Lock, read_locks
from riverboat.holdem.spots.spot import Spot
from riverboat.strategies.files import read_header
from riverboat.web.holdem.spot_runs import SpotRun
from riverboat.web.site import Site

KINDS = ("spot", "three-way-spot")
"""Kinds of the library's files that hold a solved spot."""
MAX_RUNS = 60
GONE = "{!r} is no solved spot here; choose one of the list."


@dataclass(frozen=True)
class SolvedSide:
    """A solved spot by its name in addresses: one of the server, or a file of the library."""

    name: str
    path: Path
    spot: Spot
    locks: tuple[Lock, ...]
    title: str
    is_run: bool
    answer: bool = False  # What beats a player, not a solution

    @property
    def changed(self) -> int:
        """When its file was written; answers about an older file are not taken for it."""
        return self.path.stat().st_mtime_ns

    def desk(self, node: str) -> str:
        """The address of its desk."""
        if self.is_run:
            return f"/holdem/spots/{quote(self.name)}?{urlencode({'node': node})}"
        return f"/holdem/spots?{urlencode({'file': self.name})}"


def side_of_run(run: SpotRun) -> SolvedSide:
    """A solved spot of the server."""
    title = run.label or f"Spot {cards_text(run.spot.board)}"
    locks, answer = run.order.locks, bool(run.notes.get("answer"))
    return SolvedSide(run.name, run.path, run.spot, locks, title, True, answer)


def find_side(site: Site, name: str) -> SolvedSide:
    """A solved spot by its name, or a file of the library by its file name."""
    run = site.spot_runs.find(name)
    if run is not None:
        if not run.solved:
            raise UsageError(f"{run.label or name} is not solved yet.")
        return side_of_run(run)
    found = None
    if name.endswith(".rb") and site.library.path(name).is_file():
        found = _side_of_file(site.library.path(name))
    if found is None:
        raise UsageError(GONE.format(name[:40]))
    return found


def comparable(site: Site, one: SolvedSide) -> list[SolvedSide]:
    """Solved spots of the same board and number of players: those of the same spot first.

    Of the same spot the ones with fewer locks stand first, so that a spot that was solved again
    with locks finds what it was before them.
    """
    runs = [side_of_run(run) for run in site.spot_runs.recent(MAX_RUNS) if run.solved]
    files = [
        _side_of_file(site.library.folder / saved.name)
        for saved in site.library.files()
        if saved.kind in KINDS
    ]
    sides = [side for side in (*runs, *files) if side is not None and _fits(one, side)]
    return sorted(sides, key=lambda side: _distance(one, side))


def before_locks(site: Site, one: SolvedSide) -> SolvedSide | None:
    """The same spot solved without locks, of a spot that has some."""
    if not one.locks:
        return None
    same = (side for side in comparable(site, one) if side.is_run and not side.answer)
    return next((side for side in same if side.spot == one.spot and not side.locks), None)


def words_of_side(one: SolvedSide, other: SolvedSide) -> str:
    """What a second side is, and in what it differs from the first."""
    mine, theirs = one.spot, other.spot
    parts = []
    if other.answer:
        parts.append("an answer")
    elif mine == theirs and one.locks and not other.locks:
        parts.append("before locks")
    elif other.locks:
        parts.append(f"{len(other.locks)} lock{'s' if len(other.locks) > 1 else ''}")
    if (mine.pot, mine.stacks) != (theirs.pot, theirs.stacks):
        parts.append("other chips")
    if mine.ranges != theirs.ranges:
        parts.append("other ranges")
    if (mine.sizes, mine.tree) != (theirs.sizes, theirs.tree):
        parts.append("other sizes")
    if mine == theirs and not parts:
        parts.append("the same spot")
    return f"{other.title}: {', '.join(parts)}" if parts else other.title


def _fits(one: SolvedSide, other: SolvedSide) -> bool:
    return (
        other.name != one.name
        and set(other.spot.board) == set(one.spot.board)
        and other.spot.num_players == one.spot.num_players
        and other.spot.hole_cards == one.spot.hole_cards
    )


def _distance(one: SolvedSide, other: SolvedSide) -> tuple[bool, bool, int, bool]:
    return other.spot != one.spot, other.answer, len(other.locks), not other.is_run


def _side_of_file(path: Path) -> SolvedSide | None:
    """The spot of a file of the library; None where it holds none that can be read."""
    try:
        header = _header(path, path.stat().st_mtime_ns)
    except (RiverboatError, OSError):
        return None
    return None if header is None else SolvedSide(path.name, path, *header, path.name, False)


@lru_cache(maxsize=200)
def _header(path: Path, changed: int) -> tuple[Spot, tuple[Lock, ...]] | None:
    """Spot and locks of a file; its time of change makes a new one another key."""
    header = read_header(path, *KINDS)
    try:
        spot = Spot.from_toml(str(header["spot"]))
        return spot, tuple(read_locks(header["info"].get("locks", [])))
    except (KeyError, TypeError, AttributeError, ValueError):
        return None
