"""Colours of curves and of moves: Okabe and Ito's, which colour-blind people can tell apart."""

from __future__ import annotations

from collections.abc import Sequence

from riverboat.drawing.palette import action_colours

BETTING_WORDS = ("fold", "check", "call", "bet", "raise", "all-in")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7f7f7f")


def move_colours(labels: Sequence[str]) -> tuple[str, ...]:
    """A colour for each move of a decision: those of hold'em where the moves are bets."""
    if all(words.startswith(BETTING_WORDS) for words in labels):
        return action_colours(labels)
    return tuple(COLOURS[i % len(COLOURS)] for i in range(len(labels)))
