"""What one player sees at a table of several people: the felt, their own moves, the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from riverboat.arena.class_table import ClassTable
from riverboat.web.play.felt import Felt, Move, Sizes, felt_of, may_see, moves_of, sizes_of

MAX_LINES = 60


@dataclass(frozen=True)
class Line:
    """A line of the log."""

    kind: str
    """`hand` begins a hand, `end` says how it ended, `cost` prices a move; others are moves."""
    words: str


@dataclass(frozen=True)
class SeatView:
    """A table as a place may see it."""

    felt: Felt
    decision: int
    moves: list[Move]
    sizes: Sizes | None
    turn: str
    """The name of the player whose turn it is; "" after a hand."""
    log: list[Line]
    score: float


def seat_view(table: ClassTable, place: int, names: Sequence[str]) -> SeatView:
    """What a place sees of the hand that is played; `names` are by place."""
    seat = table.position(place)
    by_seat = [names[table.place_at(p)] for p in range(table.num_seats)]
    see = may_see(table.state, seat, open_end=False)
    view = table.view
    mine = view if view is not None and view.player == seat else None
    return SeatView(
        felt=felt_of(table.game, table.state, by_seat, seat, see),
        decision=table.decisions,
        moves=[] if mine is None else moves_of(mine),
        sizes=None if mine is None else sizes_of(table.state),
        turn="" if view is None else by_seat[view.player],
        log=[Line(_kind(line), line) for line in table.lines[place][-MAX_LINES:]],
        score=table.scores[place],
    )


def _kind(line: str) -> str:
    """Which kind of line of the log it is; names stand between marks, so none begins like these."""
    if line.startswith("Hand "):
        return "hand"
    if line.startswith(("you win ", "you lose ", "nothing won")):
        return "end"
    return "cost" if "that cost you" in line else "move"
