"""Betting lines as texts: "X-B33-R116-A300".

X is a check, C a call, F a fold; B a bet, R a raise and A an all-in, each with the chips that the
player has then put in on that street. Cards are left out. A spot's options name lines to add to its
tree, to remove from it, or to be all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from riverboat.errors import ParameterError
from riverboat.games.base import Action
from riverboat.holdem.rules.betting import CALL, FOLD, raise_amount

_TOKEN = re.compile(r"([XCF])|([BRA])(\d{1,9}(?:\.\d{1,2})?)")


@dataclass
class LineNode:
    """Where some lines stand after a common beginning."""

    line: str = ""  # One of the lines, for messages
    letters: dict[int, str] = field(default_factory=dict)  # B, R or A for each amount that follows
    after: dict[str | int, LineNode] = field(default_factory=dict)
    """By "X", "C", "F" or the amount in units of chips."""
    ends: bool = False  # Whether a line ends here
    met: bool = False  # Whether the tree came by


def gather_lines(lines: Iterable[str], unit: int, where: str) -> LineNode:
    """The lines as a tree; `unit` units make a chip, `where` names the key in messages."""
    root = LineNode()
    for line in lines:
        node = root
        for word in line.strip().split("-"):
            match = _TOKEN.fullmatch(word.strip().upper())
            if match is None:
                raise ParameterError(
                    f"tree.{where} has {line!r}, where {word!r} is no action;"
                    " write X, C, F, or B, R or A with chips, as in X-B33-R116-A300."
                )
            token: str | int = match[1] or _units(match[3], unit, line, where)
            if isinstance(token, int):
                node.letters[token] = match[2]
            node = node.after.setdefault(token, LineNode(line=line))
        node.ends = True
    return root


def _units(chips: str, unit: int, line: str, where: str) -> int:
    units = float(chips) * unit
    if abs(units - round(units)) > 1e-6 or units <= 0:
        raise ParameterError(f"tree.{where} has {line!r}, where {chips} are no chips of this spot.")
    return round(units)


def line_of(actions: Iterable[Action], stack: int) -> str:
    """What two players did on one street as a line: c, r33, r116 is "X-B33-R116".

    Bets beyond `stack` are all-in. What follows the answer to an all-in is left out: who has
    more chips may go on raising, but a tree that both stacks fit has no such point.
    """
    words, top = list[str](), 0
    for action in actions:
        if action == FOLD:
            words.append("F")
        elif action == CALL:
            words.append("C" if top else "X")
        elif top < stack:
            chips = min(raise_amount(action) or 0, stack)
            words.append(f"{'A' if chips == stack else 'R' if top else 'B'}{chips}")
            top = chips
        else:
            words.append("C")
            break
    return "-".join(words)
