"""Blackjack strategies by total: the chart that players carry, and rules of thumb.

A BlackjackChart has a code for every hard total, soft total and pair against every up card.
Columns run A, 2, …, 9, T everywhere. A code lists actions in order of preference; the first one
that the table allows is played:

| code | means |
|---|---|
| H, S | hit, stand |
| D, Ds | double, otherwise hit or stand |
| P | split, otherwise as the total says |
| Rh, Rs, Rp | surrender, otherwise hit, stand or split |

The published chart is the total-dependent strategy for four to eight decks that is printed
everywhere (Wizard of Odds, "4-deck to 8-deck blackjack strategy"; Wikipedia, "Blackjack").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from riverboat.blackjack.rules import BlackjackRules
from riverboat.drawing.html import Markup, html_table, tag

UPS = "A23456789T"
"""The up cards in the order of a chart's columns, and the cards in the order of a shoe's counts."""
FIRST_HARD = 4  # The first row of `hard` is this total, the last is 21
FIRST_SOFT = 12  # The first row of `soft` is this total (A,A that cannot be split), the last is 21
CODES = {"H": "H", "S": "S", "D": "DH", "Ds": "DS", "P": "P", "Rh": "RH", "Rs": "RS", "Rp": "RP"}
"""Code → actions in order of preference."""

COLOURS = {
    "H": "#b7e1b0",
    "S": "#f4a6a0",
    "D": "#8fc1f0",
    "Ds": "#5a9be0",
    "P": "#fbe37f",
    "Rh": "#d9d3e8",
    "Rs": "#bfb2dc",
    "Rp": "#e9e0c9",
}
"""Go, stop, double, split and give up, pale enough for black letters on paper."""

Cells = tuple[tuple[str, ...], ...]


class BlackjackStrategy(Protocol):
    """Anything that answers for a hand; a chart, a bot, a table of exceptions."""

    def choose(self, hand: tuple[int, ...], up: int, allowed: str) -> str:
        """One letter of `allowed` (S H D P R) for a hand of ten counts against up card 0…9."""


@dataclass(frozen=True, repr=False)
class BlackjackChart:
    """A total-dependent strategy; codes as in CODES, columns as in UPS."""

    name: str
    hard: Cells  # (18, 10) totals 4…21
    soft: Cells  # (10, 10) totals 12…21
    pairs: Cells  # (10, 10) A,A, 2,2 … T,T

    def __repr__(self) -> str:
        return f"BlackjackChart({self.name!r})"

    def as_dict(self) -> dict[str, Any]:
        """Codes by row and up card: chart.as_dict()["hard"]["16"]["T"]."""

        def rows(cells: Cells, names: Iterable[object]) -> dict[str, dict[str, str]]:
            return {
                str(name): dict(zip(UPS, row, strict=True))
                for name, row in zip(names, cells, strict=True)
            }

        return {
            "name": self.name,
            "hard": rows(self.hard, range(FIRST_HARD, 22)),
            "soft": rows(self.soft, range(FIRST_SOFT, 22)),
            "pairs": rows(self.pairs, (f"{card},{card}" for card in UPS)),
        }

    def _repr_html_(self) -> str:
        parts = []
        for title, rows in list(self.as_dict().items())[1:]:
            cells = [(name, *map(_coloured, row.values())) for name, row in rows.items()]
            parts.append(html_table(("", *UPS), cells, title=title.capitalize()))
        return tag("div", tag("b", self.name), parts)

    def code(self, hand: tuple[int, ...], up: int) -> str:
        """The code of the cell that the hand falls into."""
        if sum(hand) == 2 and 2 in hand:
            return self.pairs[hand.index(2)][up]
        return self.total_code(hand, up)

    def total_code(self, hand: tuple[int, ...], up: int) -> str:
        """The code for the hand's total, whether or not it is a pair."""
        hard = sum((i + 1) * n for i, n in enumerate(hand))
        if hand[0] and hard <= 11:
            return self.soft[hard + 10 - FIRST_SOFT][up]
        return self.hard[hard - FIRST_HARD][up]

    def choose(self, hand: tuple[int, ...], up: int, allowed: str) -> str:
        for code in (self.code(hand, up), self.total_code(hand, up)):
            for action in CODES[code]:
                if action in allowed:
                    return action
        return "S"

    def fitted(self, rules: BlackjackRules) -> BlackjackChart:
        """The chart with only such codes as this table allows; what it plays stays the same."""
        hard = tuple(
            tuple(_allowed(code, rules, total, False) for code in row)
            for total, row in enumerate(self.hard, FIRST_HARD)
        )
        soft = tuple(
            tuple(_allowed(code, rules, total, True) for code in row)
            for total, row in enumerate(self.soft, FIRST_SOFT)
        )
        pairs = []
        for card, row in enumerate(self.pairs):
            total = 12 if card == 0 else 2 * card + 2
            plain = soft[total - FIRST_SOFT] if card == 0 else hard[total - FIRST_HARD]
            splits = rules.split_limit(ace=card == 0) != 1
            codes = (_allowed(code, rules, total, card == 0) for code in row)
            pairs.append(
                tuple(
                    code if splits or "P" not in CODES[code] else plain[up]
                    for up, code in enumerate(codes)
                )
            )
        return BlackjackChart(self.name, hard, soft, tuple(pairs))


def _coloured(code: str) -> Markup:
    return tag("span", code, style=f"background:{COLOURS[code]};color:#000;padding:0 4px")


def _allowed(code: str, rules: BlackjackRules, total: int, soft: bool) -> str:
    """The code without an action that the rules never allow for that total."""
    first, rest = CODES[code][0], CODES[code][1:]
    refused = (first == "R" and rules.surrender == "none") or (
        first == "D" and not rules.can_double(total, soft)
    )
    return rest[0] if refused else code


def _row(default: str, **ups: str) -> tuple[str, ...]:
    """Ten codes: `default`, and other codes at the up cards named, as D="3456"."""
    return tuple(next((c for c, cards in ups.items() if up in cards), default) for up in UPS)


def published_chart(rules: BlackjackRules) -> BlackjackChart:
    """The printed chart for four to eight decks, for this table's soft 17, DAS and hole card."""
    h17, das, enhc = rules.h17, rules.das, rules.hole_card == "enhc"
    stiff = [_row("H", S="456")] + [_row("H", S="23456")] * 2
    hard = [
        *[_row("H")] * 5,
        _row("H", D="3456"),
        _row("H", D="23456789"),
        _row("H", D="23456789" if enhc else "23456789T" + "A" * h17),
        *stiff,
        _row("H", S="23456", Rh="T" + "A" * h17),
        _row("H", S="23456", Rh="9TA"),
        _row("S", Rs="A" * h17),
        *[_row("S")] * 4,
    ]
    soft = [
        _row("H"),
        *[_row("H", D="56")] * 2,
        *[_row("H", D="456")] * 2,
        _row("H", D="3456"),
        _row("H", Ds="23456" if h17 else "3456", S="78" if h17 else "278"),
        _row("S", Ds="6" * h17),
        *[_row("S")] * 2,
    ]
    low = _row("H", P="234567" if das else "4567")
    pairs = [
        _row("P", H="A" * enhc),
        *[low] * 2,
        _row("H", P="56" * das),
        hard[10 - FIRST_HARD],
        _row("H", P="23456" if das else "3456"),
        _row("H", P="234567"),
        _row("P", Rh="A" * (h17 and enhc), Rp="A" * (h17 and not enhc), H="TA" * enhc),
        _row("P", S="7TA"),
        _row("S"),
    ]
    where = "ENHC" if enhc else "peek"
    name = f"4–8 decks, {'H17' if h17 else 'S17'}, {'DAS' if das else 'no DAS'}, {where}"
    return BlackjackChart(name, tuple(hard), tuple(soft), tuple(pairs)).fitted(rules)


def _plain(name: str, hard_stand: int, soft_stand: int) -> BlackjackChart:
    """Stand from these totals on, otherwise hit; never double, split or surrender."""
    hard = tuple((("S" if t >= hard_stand else "H"),) * 10 for t in range(FIRST_HARD, 22))
    soft = tuple((("S" if t >= soft_stand else "H"),) * 10 for t in range(FIRST_SOFT, 22))
    pairs = (soft[0], *(hard[2 * card - FIRST_HARD] for card in range(2, 11)))
    return BlackjackChart(name, hard, soft, pairs)


MIMIC_DEALER = _plain("mimic the dealer", 17, 17)
NEVER_BUST = _plain("never bust", 12, 18)
