"""The colours of actions and bars, the same on every screen and in every file."""

from __future__ import annotations

from collections.abc import Sequence

FOLD, CHECK, CALL, ALL_IN, PLAIN = "#4a6fa5", "#8fcfb4", "#2f9e5f", "#6d1f5f", "#8a8f98"
"""One colour each; the last is for hands of a range whose actions are not known."""
BETS = ("#e9b44c", "#d9702b", "#b3382a", "#8c1c13")
"""From small to large. They differ in brightness too, for readers who confuse red and green."""
SERIES = ("#2a9d8f", "#e76f51", "#e9c46a", "#457b9d", "#9b5de5", "#00b4d8")
"""Several things next to each other, such as bars of probabilities."""


_FIXED = {"fold": FOLD, "check": CHECK, "call": CALL, "all-in": ALL_IN}


def action_colours(labels: Sequence[str]) -> tuple[str, ...]:
    """The colour of each action, given in words; bets in the order of their sizes grow darker."""
    fixed = [next((c for w, c in _FIXED.items() if words.startswith(w)), "") for words in labels]
    bets = [i for i, colour in enumerate(fixed) if not colour]
    for rank, i in enumerate(bets):
        shade = round(rank * (len(BETS) - 1) / (len(bets) - 1)) if len(bets) > 1 else 1
        fixed[i] = BETS[shade]
    return tuple(fixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever has the higher contrast with a colour (WCAG 2.2)."""
    linear = [
        (part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4)
        for part in hex_colour(colour)
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def mixed(colour: str, other: str, share: float) -> str:
    """The colour that has `share` of `other`."""
    pairs = zip(hex_colour(colour), hex_colour(other), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


def gradient(colours: Sequence[str], shares: Sequence[float], fill: float) -> str:
    """The CSS background of a cell: actions side by side, filled from below."""
    stops, start = [], 0.0
    for colour, share in zip(colours, shares, strict=True):
        stops.append(f"{colour} {100 * start:.1f}% {100 * (start + share):.1f}%")
        start += share
    return (
        f"background:linear-gradient(to right,{','.join(stops)}) bottom/100%"
        f" {100 * fill:.0f}% no-repeat,var(--sunken)"
    )


def hex_colour(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of a colour such as "#5b7fa6"."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue
