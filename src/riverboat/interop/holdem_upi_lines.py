"""Lines of a tree as UPI writes them, turned into ours.

`add_line 30 90 90 200` names, action by action, all chips that the player who acts has put in since
the tree began: OOP bets 30, IP raises to 90, OOP calls, and after the turn OOP bets 110 more. As a
line of a spot that is B30-R90-C-B110. A number that changes nothing is a check.
"""

from __future__ import annotations

from collections.abc import Sequence

from riverboat.errors import ParameterError

__all__ = ["line_of"]

RIVER = 2


def line_of(amounts: Sequence[float], stack: float, street: int) -> str:
    """The line of a spot that begins on `street` (0 flop, 2 river), refused where it cannot be."""
    put, base, player = [0.0, 0.0], 0.0, 0
    words: list[str] = []
    opened = True  # nobody has acted on this street yet
    for amount in amounts:
        if street > RIVER or (base >= stack and opened):
            break  # the hand is over, or all-in: numbers after that are no actions
        mine, theirs = put[player], put[1 - player]
        if not theirs <= amount <= stack:
            raise ParameterError(
                f"add_line {_text(amounts)}: {amount:.10g} is no check, call or bet where"
                f" {theirs:.10g} chips are to be met and {stack:.10g} are all there is."
            )
        if amount > theirs:
            letter = "A" if amount == stack else "R" if theirs > mine else "B"
            words.append(f"{letter}{amount - base:.10g}")
        else:
            words.append("C" if theirs > mine else "X")
        closes = amount == theirs and (theirs > mine or not opened)
        put[player], opened = amount, False
        player = 1 - player
        if closes:
            street, base, player, opened = street + 1, max(put), 0, True
    return "-".join(words)


def _text(amounts: Sequence[float]) -> str:
    return " ".join(f"{amount:.10g}" for amount in amounts[:40])
