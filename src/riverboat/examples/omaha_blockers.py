"""Why blockers matter more with four cards: the nuts, counted hand by hand.

Try: python omaha_blockers.py --svg blockers.svg

You hold cards that the nuts need. The program counts how many of all hands that an opponent can
still hold are the nuts, with two cards and with four; it prints a table and draws it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

from riverboat.cards.card import parse_cards
from riverboat.cards.hand_groups import hand_groups
from riverboat.cards.hands import hand_cards
from riverboat.drawing.svg import rect, svg, text

COLOURS = {2: "#d9702b", 4: "#457b9d"}
FILLERS = "3h 3d 4h 6d"  # What else is held; no part of the nuts below


class Situation(NamedTuple):
    """A river, the nuts on it, and sets of blockers that one may hold."""

    nuts: str  # A group of hands
    board: str
    blockers: tuple[str, ...]


SITUATIONS = (
    Situation("nut flush", "Ks 9s 4s 7d 2c", ("", "As")),
    Situation("nut straight", "Ts 9h 8d 5c 2c", ("", "Qc", "Qc Qd", "Qc Qd Jh", "Qc Qd Jh Jd")),
)


def share_of_nuts(at: Situation, blockers: str, hole_cards: int) -> float:
    """The share of an opponent's hands that are the nuts, if one holds the blockers."""
    held = parse_cards(blockers)
    mine = (*held, *parse_cards(FILLERS)[: hole_cards - len(held)])
    hands = hand_cards(hole_cards)
    possible = hands[~np.isin(hands, (*mine, *parse_cards(at.board))).any(axis=1)]
    return float(hand_groups(at.board, possible).tagged(at.nuts).mean())


def rows() -> list[tuple[str, list[tuple[str, dict[int, float]]]]]:
    """For each situation the blockers held and, by the number of cards, the share of the nuts."""
    return [
        (
            f"{situation.nuts} on {situation.board}",
            [
                (
                    held or "no blocker",
                    {
                        hole_cards: share_of_nuts(situation, held, hole_cards)
                        for hole_cards in COLOURS
                        if len(held.split()) <= hole_cards
                    },
                )
                for held in situation.blockers
            ],
        )
        for situation in SITUATIONS
    ]


def table() -> str:
    """All shares as Markdown."""
    lines = ["| the nuts | you hold | two cards | four cards |", "|---|---|---|---|"]
    for nuts, held in rows():
        for words, shares in held:
            two, four = (f"{shares[k]:.2%}" if k in shares else "" for k in COLOURS)
            lines.append(f"| {nuts} | {words} | {two} | {four} |")
    return "\n".join(lines)


def picture() -> str:
    """A bar for each share, as wide as the nuts are frequent."""
    left, scale = 96, 3400
    parts = [text(4, 18, "How often an opponent holds the nuts", size=14, bold=True)]
    for column, (hole_cards, colour) in enumerate(COLOURS.items()):
        parts.append(rect(left + 140 * column, 28, 12, 12, colour))
        parts.append(text(left + 140 * column + 18, 38, f"{hole_cards} cards in a hand"))
    y = 66
    for nuts, held in rows():
        parts.append(text(4, y, nuts, bold=True))
        y += 10
        for words, shares in held:
            parts.append(text(left - 8, y + 17, words, text_anchor="end", size=11))
            for bar, (hole_cards, share) in enumerate(shares.items()):
                width, colour = max(1.0, scale * share), COLOURS[hole_cards]
                parts.append(rect(left, y + 13 * bar, width, 11, colour))
                label = f"{share:.1%}" if share else "never"
                parts.append(text(left + scale * share + 6, y + 13 * bar + 10, label, size=10))
            y += 34
        y += 22
    return str(svg(470, y - 30, parts, paper="white", title="How often an opponent holds the nuts"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--svg", type=Path, help="write the picture here")
    options = parser.parse_args()
    print(table())
    if options.svg is not None:
        options.svg.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
