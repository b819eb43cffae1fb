"""The 169 classes of hands as a coloured grid: pairs on the diagonal, suited above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from rich.text import Text

__all__ = ["first_range"]


def first_range(amounts: Sequence[int], chances: NDArray[np.float64]) -> Text:
    """A grid of (169, A) chances of actions with these amounts (−1 fold, 0 call, else a raise).

    Red is raised, green called, blue folded, mixed in proportion; a cell's letter is upper case
    where an action is taken more than half of the time.
    """
    from rich.style import Style
    from rich.text import Text

    from riverboat.cards.combos import CLASS_NAMES

    fold = sum(chances[:, i] for i, amount in enumerate(amounts) if amount < 0)
    call = sum(chances[:, i] for i, amount in enumerate(amounts) if amount == 0)
    text = Text("before the flop, first to act: ")
    text.append(" raise ", Style(bgcolor="rgb(190,50,40)", color="white"))
    text.append(" call ", Style(bgcolor="rgb(50,140,60)", color="white"))
    text.append(" fold \n", Style(bgcolor="rgb(60,80,150)", color="white"))
    for hand, name in enumerate(CLASS_NAMES):
        f, c = float(_at(fold, hand)), float(_at(call, hand))
        r = max(0.0, 1.0 - f - c)
        colours = ((190, 50, 40), (50, 140, 60), (60, 80, 150))
        mixed = [
            int(sum(share * colour[i] for share, colour in zip((r, c, f), colours, strict=True)))
            for i in range(3)
        ]
        letter = "r" if r >= max(c, f) else "c" if c >= f else "f"
        letter = letter.upper() if max(r, c, f) > 0.5 else letter
        style = Style(bgcolor=f"rgb({mixed[0]},{mixed[1]},{mixed[2]})", color="white")
        text.append(f"{name:<3}{letter} ", style)
        if hand % 13 == 12:
            text.append("\n")
    return text


def _at(values: NDArray[np.float64] | int, hand: int) -> float:
    return float(values if isinstance(values, int) else values[hand])
