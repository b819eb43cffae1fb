"""Tools of cards: equity, the rank of a hand, and ranges."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from riverboat.assistants._answers import Answer, Cards, RangeText, Workshop, number, percent
from riverboat.cards.card import CARDS, check_distinct, parse_cards
from riverboat.cards.combos import CLASS_NAMES, combo_text
from riverboat.cards.game_equity import EquityGame, game_equity
from riverboat.cards.plain_strength import (
    CATEGORY_NAMES,
    describe_score,
    score_of,
    score_of_strength,
    strength_of_one,
)
from riverboat.cards.ranges import format_range, parse_range
from riverboat.errors import ParameterError
from riverboat.evaluation.estimates import Z95

SAMPLES = 2_000_000
MAX_COMBOS_LISTED = 1_326


class EquityAnswer(Answer):
    """Each player's share of the pot."""

    players: list[str]
    equity: list[float] = Field(description="Shares of the pot, which add up to 1.")
    win: list[float]
    tie: list[float]
    plus_minus: list[float] | None = Field(description="Half the 95 % intervals where sampled.")
    method: str
    deals: float


class HandRank(Answer):
    """What five to seven cards make."""

    cards: list[str]
    category: str
    strength: int = Field(description="0 for the worst of all hands to 7461 for a royal flush.")


class RangeAnswer(Answer):
    """A range taken apart."""

    range: str = Field(description="The range in its shortest form.")
    written: str = Field(description="The range in the form asked for.")
    num_combos: float
    percent: float = Field(description="Share of all hands.")
    classes: dict[str, float] = Field(description="Class such as AKs → mean weight, 0 left out.")
    combos: list[str] = Field(description="Every combo, with its weight where it is not 1.")


def equity(
    shop: Workshop,
    players: Annotated[
        list[RangeText],
        Field(min_length=2, max_length=6, description="Two to six hands or ranges."),
    ],
    board: Cards = "",
    game: EquityGame = "holdem",
) -> EquityAnswer:
    """The equity of two to six hands or ranges, exact where that is affordable.

    In Omaha a hand has four cards, "AsKsQhJh" (omaha5: five); "AA$ds" is a range.
    """
    from riverboat.holdem.abstraction.preflop_store import preflop_table

    equities = game_equity(game, players, board, samples=SAMPLES, table=preflop_table)
    sampled = equities.method == "monte-carlo"
    shares = [float(share) for share in equities.equity]
    names = [name if len(name) <= 40 else f"{name[:37]}…" for name in players]
    shown = ", ".join(f"{n} {100 * s:.2f} %" for n, s in zip(names, shares, strict=True))
    errors = [Z95 * float(error) for error in equities.stderr] if sampled else []
    method = (
        f"Sampled: {equities.total:,.0f} deals, ± {100 * max(errors):.3f} % (95 %)."
        if sampled
        else f"Exact: all {equities.total:,.0f} deals are counted."
    )
    return EquityAnswer(
        answer=f"Equity{f' on {board}' if board else ''}: {shown}.",
        assumed=["all hands go to the showdown", "hands of a range are as likely as their weights"],
        exactness=method,
        players=names,
        equity=[number(share, 8) or 0.0 for share in shares],
        win=[number(count / equities.total, 8) or 0.0 for count in equities.wins],
        tie=[number(count / equities.total, 8) or 0.0 for count in equities.ties],
        plus_minus=[number(error, 8) or 0.0 for error in errors] if sampled else None,
        method=equities.method,
        deals=float(equities.total),
    )


def hand_rank(
    shop: Workshop,
    cards: Annotated[
        str, Field(max_length=100, description='Five to seven cards, "As Kd Qh Jc Ts".')
    ],
    board: Annotated[
        str,
        Field(max_length=100, description="In Omaha the board; `cards` are then the hand alone."),
    ] = "",
) -> HandRank:
    """The best poker hand of five to seven cards, in words and as a number.

    With a board it is a hand of Omaha: exactly two of its cards count, and three of the board.
    """
    if board:
        return _omaha_rank(cards, board)
    numbers = parse_cards(cards)
    if not 5 <= len(numbers) <= 7:
        raise ParameterError(f"A hand to be ranked has 5 to 7 cards, not {len(numbers)}.")
    check_distinct(numbers)
    score, strength = score_of(numbers), strength_of_one(numbers)
    return HandRank(
        answer=f"{describe_score(score).capitalize()} (strength {strength} of 0 to 7461).",
        assumed=["the best five cards count"],
        exactness="Exact.",
        cards=[CARDS[card] for card in numbers],
        category=CATEGORY_NAMES[score >> 20],
        strength=strength,
    )


def _omaha_rank(cards: str, board: str) -> HandRank:
    from riverboat.cards.omaha import omaha_strength
    from riverboat.cards.plain_omaha import omaha_strength_of

    hole, there = parse_cards(cards), parse_cards(board)
    if not 2 <= len(hole) <= 5:
        raise ParameterError(f"A hand of Omaha has 2 to 5 cards, not {len(hole)}.")
    strength = omaha_strength(hole, there)
    score = score_of_strength(omaha_strength_of(hole, there))
    return HandRank(
        answer=f"{describe_score(score).capitalize()} (strength {strength} of 0 to 7461).",
        assumed=["two cards of the hand and three of the board count, as in Omaha"],
        exactness="Exact.",
        cards=[CARDS[card] for card in (*hole, *there)],
        category=CATEGORY_NAMES[score >> 20],
        strength=strength,
    )


def poker_range(
    shop: Workshop,
    text: RangeText,
    form: Annotated[
        str, Field(max_length=10, description="How to write it: plain, pio, gto+ or eval7.")
    ] = "plain",
) -> RangeAnswer:
    """A range as text, classes and combos; combos separated by commas are read back into text."""
    hands = parse_range(text)
    written, grid = format_range(hands, form), hands.grid().reshape(-1)
    combos = [
        combo_text(int(c)) + ("" if hands.weights[c] == 1 else f":{hands.weights[c]:g}")
        for c in hands.combos[:MAX_COMBOS_LISTED]
    ]
    return RangeAnswer(
        answer=f"{_short(str(hands))} is {hands.num_combos:g} combos, {percent(hands.share)} of all"
        f" hands{f', as {form}: {_short(written)}' if form != 'plain' else ''}.",
        assumed=[],
        exactness="Exact.",
        range=str(hands),
        written=written,
        num_combos=hands.num_combos,
        percent=number(100 * hands.share) or 0.0,
        classes={
            name: number(weight) or 0.0
            for name, weight in zip(CLASS_NAMES, grid.tolist(), strict=True)
            if weight > 0
        },
        combos=combos,
    )


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:197]}…"
