"""Equities of hands and ranges, and of each hand of two ranges; a range read and written."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos
from riverboat.cards.equity import equity as equity_of
from riverboat.cards.equity import parse_board, range_equities
from riverboat.cards.game_equity import EquityGame, game_equity
from riverboat.cards.ranges import Range
from riverboat.errors import UsageError
from riverboat.holdem.abstraction.preflop_store import preflop_table
from riverboat.holdem.spots.node_views import range_curve
from riverboat.web.app.problems import REFUSED, about
from riverboat.web.site import AskedSite

router = APIRouter(prefix="/holdem", tags=["Hold'em"], responses=REFUSED)
MAX_TEXT = 20_000
"""Characters of a range; all 1,326 hands with weights have fewer."""
RangeText = Annotated[str, Field(max_length=MAX_TEXT, examples=["TT+,AQs+,AKo"])]
BoardText = Annotated[str, Field(max_length=60, examples=["Qs Jh 2h"])]
EMPTY = "A range is empty; paint some hands."


class EquityAnswer(BaseModel):
    """Each player's share of the pot; the facts of `riverboat equity --json`."""

    players: list[str]
    board: str
    method: str = Field(description="How it was computed: exactly, or from samples.")
    total: float = Field(description="Deals, weighted, or samples.")
    wins: list[float]
    ties: list[float] = Field(description="Deals in which the best hand is shared.")
    equity: list[float]
    stderr: list[float] = Field(description="Standard errors; 0 where the answer is exact.")


class RangeSide(BaseModel):
    """One of two ranges against the other."""

    equity: float
    ties: float = Field(description="Share of deals that are tied.")
    classes: dict[str, float] = Field(description="Class of hands → its mean equity.")
    curve: list[tuple[float, float]] = Field(
        description="Per cent of the range, best hands first, and the equity there in per cent."
    )


class RangesAnswer(BaseModel):
    """Two ranges against each other, as a whole and hand by hand."""

    board: str
    sides: tuple[RangeSide, RangeSide]


class RangeFacts(BaseModel):
    """A range in its shortest notation, and what it holds."""

    text: str
    num_combos: float
    share: float = Field(description="Of all 1,326 hands, weighted.")
    weights: dict[str, float] = Field(description="Class of hands → mean weight, 0 left out.")


def compare_ranges(first: Range, second: Range, board: str) -> RangesAnswer:
    """Return the equity of two ranges and of each class of their hands."""
    with about("board"):
        parse_board(board)
    for name, wanted in (("first", first), ("second", second)):
        with about(name):
            if not wanted.weights.any():
                raise UsageError(EMPTY)
    whole = equity_of([first, second], board, table=preflop_table)
    shares = range_equities(first, second, board, table=preflop_table).equities
    sides = []
    for player, own in enumerate((first, second)):
        curve = range_curve(player, np.arange(len(own.weights)), own.weights, shares[player])
        side = RangeSide(
            equity=whole.equity[player],
            ties=whole.ties[player] / whole.total,
            classes=class_means(shares[player], own.weights),
            curve=curve.points(100),
        )
        sides.append(side)
    return RangesAnswer(board=whole.board, sides=(sides[0], sides[1]))


def class_means(values: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    """Class of hands → weighted mean of a value; classes without weight are left out."""
    classes = class_of_combos()
    good = np.isfinite(values) & (weights > 0)
    total = np.bincount(classes[good], weights[good], NUM_CLASSES)
    sums = np.bincount(classes[good], (values * weights)[good], NUM_CLASSES)
    return {CLASS_NAMES[c]: float(sums[c] / total[c]) for c in np.flatnonzero(total).tolist()}


def range_facts(wanted: Range) -> RangeFacts:
    """Return what a range holds."""
    weights = wanted.grid().ravel().tolist()
    return RangeFacts(
        text=str(wanted),
        num_combos=wanted.num_combos,
        share=wanted.share,
        weights={name: weight for name, weight in zip(CLASS_NAMES, weights, strict=True) if weight},
    )


def read_range(field: str, text: str) -> Range:
    """The range that a field's text means; what is wrong with it is said at the field."""
    with about(field):
        return Range.parse(text)


@router.get("/equity")
def equity(
    site: AskedSite,
    player: Annotated[
        list[RangeText],
        Query(min_length=2, max_length=9, description="Two to nine hands or ranges."),
    ],
    board: Annotated[BoardText, Query(description="None, three, four or five cards.")] = "",
    game: Annotated[EquityGame, Query(description="What is played.")] = "holdem",
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    samples: Annotated[int | None, Query(ge=1, le=10_000_000)] = None,
    seed: int = 0,
) -> EquityAnswer:
    """Return the equity of two to nine hands or ranges."""
    answer = game_equity(
        game, player, board, method=method, samples=samples, seed=seed, table=preflop_table
    )
    return EquityAnswer.model_validate(answer.as_dict())


@router.get("/ranges")
def ranges(
    site: AskedSite, first: RangeText, second: RangeText, board: BoardText = ""
) -> RangesAnswer:
    """Return two ranges against each other, as a whole and class by class."""
    one, other = read_range("first", first), read_range("second", second)
    return site.answers.wait(compare_ranges, one, other, board)


@router.get("/range")
def range_of(text: RangeText) -> RangeFacts:
    """Read a range and return it in its shortest notation, with the weight of each class."""
    return range_facts(read_range("text", text))
