"""The 169 classes of hands as a coloured grid: pairs on the diagonal, suited above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["RangeGrid", "first_range"]

COLOURS = {"raise": (190, 50, 40), "call": (50, 140, 60), "fold": (60, 80, 150)}


class RangeGrid:
    """A grid as wide as the terminal allows, up to six columns a hand."""

    def __init__(self, shares: Sequence[tuple[float, float, float]]) -> None:
        self.shares = shares
        """(169, 3) how often each hand is raised, called and folded."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.style import Style
        from rich.text import Text

        from riverboat.cards.combos import CLASS_NAMES

        room = max(3, min(6, options.max_width // 13))
        head = "before the flop, first to act: " if room > 3 else ""
        text = Text(head, no_wrap=True)
        for name, colour in COLOURS.items():
            text.append(f" {name} ", Style(bgcolor=_rgb(colour), color="white"))
        text.append("\n")
        for hand, (name, shares) in enumerate(zip(CLASS_NAMES, self.shares, strict=True)):
            # A narrow cell has only its colours, a wider one a letter too.
            cell = f"{name:<3}" if room < 5 else f"{name:<{room - 2}}{_letter(shares)}"
            mixed = [
                sum(
                    share * colour[i]
                    for share, colour in zip(shares, COLOURS.values(), strict=True)
                )
                for i in range(3)
            ]
            text.append(f"{cell:<{room}}", Style(bgcolor=_rgb(mixed), color="white"))
            if hand % 13 == 12:
                text.append("\n")
        yield text


def first_range(amounts: Sequence[int], chances: NDArray[np.float64]) -> RangeGrid:
    """The grid of (169, A) chances of actions with these amounts (−1 fold, 0 call, else a raise).

    Red is raised, green called, blue folded, mixed in proportion; a cell's letter is upper case
    where an action is taken more than half of the time.
    """
    rows: list[tuple[float, float, float]] = []
    for row in chances.tolist():
        fold = sum(chance for chance, amount in zip(row, amounts, strict=True) if amount < 0)
        call = sum(chance for chance, amount in zip(row, amounts, strict=True) if amount == 0)
        rows.append((max(0.0, 1.0 - fold - call), call, fold))
    return RangeGrid(rows)


def _letter(shares: Sequence[float]) -> str:
    most = max(shares)
    letter = "rcf"[shares.index(most)]
    return letter.upper() if most > 0.5 else letter


def _rgb(colour: Sequence[float]) -> str:
    red, green, blue = (int(part) for part in colour)
    return f"rgb({red},{green},{blue})"
