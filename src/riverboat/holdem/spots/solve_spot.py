"""Spots in one call: made from a file, a text or a few words, and solved to a limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from riverboat.cards.card import parse_cards
from riverboat.cards.ranges import Range
from riverboat.errors import UsageError
from riverboat.holdem.spots.solved_spot import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.spot_solver import SpotProgress, SpotSolver, parse_target
from riverboat.solvers.limits import Limit

__all__ = ["make_spot", "solve_spot"]


def make_spot(source: str | Path | None = None, **fields: Any) -> Spot:
    """A spot from a file, from the text of one, or from its fields.

    Fields are those of Spot: board ("Qs Jh 2h"), pot, stack, ranges ("AA,KK", "99,AJs") and more.
    """
    if source is not None and fields:
        raise UsageError("Name a spot's file or give its fields, not both.")
    if source is None:
        return _from_fields(dict(fields))
    text = str(source)
    return Spot.from_toml(text) if "\n" in text else Spot.load(text)


def _from_fields(fields: dict[str, Any]) -> Spot:
    missing = {"board", "pot", "stack", "ranges"} - fields.keys()
    if missing:
        raise UsageError(f"A spot needs {', '.join(sorted(missing))}, or a file with them.")
    board, ranges = fields.pop("board"), fields.pop("ranges")
    if isinstance(ranges, str) or not isinstance(ranges, Sequence) or len(ranges) != 2:
        raise UsageError("A spot has two ranges: out of position first, then in position.")
    read = [Range.parse(text) if isinstance(text, str) else text for text in ranges]
    cards = parse_cards(board) if isinstance(board, str) else board
    try:
        return Spot(board=tuple(cards), ranges=(read[0], read[1]), **fields)
    except TypeError as error:
        raise UsageError(f"A spot cannot be made so: {error}.") from None


def solve_spot(
    spot: Spot,
    *,
    target: str | float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    progress: Callable[[SpotProgress], None] | None = None,
) -> SolvedSpot:
    """Solve a spot up to one limit; without one, to 0.3 % of the pot.

    `target` is an exploitability: a share of the pot ("0.3%") or chips. What is compiled is not
    counted. Ctrl-C ends the run early, and what was found is kept.
    """
    chips = parse_target(target, spot.pot) if isinstance(target, str) else target
    limit = Limit.one_of(iterations, chips, seconds)
    solver = SpotSolver(spot, threads=threads)
    solver.compile()
    solver.run(limit, progress)
    return solver.result()
