"""Seats round an oval table, with chips and the dealer's button, as a template draws them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 560, 236
SEATS, CHIPS = (222, 84), (128, 38)
"""Half the axes of the ovals on which seats and their chips stand."""


@dataclass(frozen=True)
class Seated:
    """A seat in the order of action before the flop."""

    name: str
    chips: float
    words: str
    folded: bool
    address: str | None = None


@dataclass(frozen=True)
class SeatSpot:
    """A seat in its place."""

    name: str
    x: float
    y: float
    words: str
    chips: str
    chips_x: float
    chips_y: float
    look: str  # "acting", "folded" or nothing
    dealer: bool
    address: str | None


def seats_round_table(seats: Sequence[Seated], acting: str) -> list[SeatSpot]:
    """The seats clockwise; the dealer is the button, or the small blind of two players."""
    names = [seat.name for seat in seats]
    dealer = "btn" if "btn" in names else names[0] if len(names) == 2 else ""
    spots = []
    for number, seat in enumerate(seats):
        angle = math.pi + 2 * math.pi * (number + 0.5) / len(names)
        x, y = math.cos(angle), math.sin(angle)
        spots.append(
            SeatSpot(
                seat.name.upper(),
                round(WIDTH / 2 + SEATS[0] * x, 1),
                round(HEIGHT / 2 + SEATS[1] * y, 1),
                seat.words,
                f"{seat.chips:g}" if seat.chips else "",
                round(WIDTH / 2 + CHIPS[0] * x, 1),
                round(HEIGHT / 2 + CHIPS[1] * y, 1),
                "acting" if seat.name == acting else "folded" if seat.folded else "",
                seat.name == dealer,
                seat.address,
            )
        )
    return spots
