"""Why a bluff into two players is worth less: a river, solved twice.

Try: python bluff_into_two.py --svg bluff.svg

Everybody has checked, and the button (BTN) may bet. Both rivers are solved; the program prints the
figures side by side as a table and draws how often each kind of hand bets.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import riverboat as rb
from riverboat.drawing.svg import rect, svg, text
from riverboat.holdem.spots.node_views import node_grid

BOARD, POT, STACK, BET = "Ks Th 7s 4d 2c", 60, 100, 36
SB = "99-66,AJs-A9s,KJs-KTs,QJs-Q9s,JTs,T9s,98s,AJo,KJo"
BB = "88-55,AJs-ATs,KJs-KTs,QJs-QTs,J9s,T9s,87s,ATo,KTo"
BTN = "AA-77,AKs-ATs,KQs-KJs,QJs,J9s,98s,76s-65s,AKo,KQo"
BLUFF = "6h5h"  # Six high: it never wins a showdown
DRAWN = ("KK", "KQo", "AKo", "AA", "JJ", "QJs", "J9s", "98s", "65s")  # Best hands first
COLOURS = {"two players": "#d9702b", "three players": "#457b9d"}


def solve(*others: str) -> Any:
    """The node at which all have checked to BTN, solved to 0.1 % of the pot."""
    ranges = (*others, BTN)
    names = ("oop", "ip") if len(ranges) == 2 else ("sb", "bb", "btn")
    held = "\n".join(f'{name} = "{own}"' for name, own in zip(names, ranges, strict=True))
    sizes = "\n".join(f'{name} = {{ bet = "{BET}c", raise = "a" }}' for name in names)
    chips = f'board = "{BOARD}"\npot = {POT}\nstack = {STACK}'
    spot = rb.spot(f"{chips}\n[ranges]\n{held}\n[sizes.river]\n{sizes}\n")
    return rb.solve(spot, target="0.1%").at("r:0" + ":c" * len(others))


def figures(at: Any) -> dict[str, str]:
    """What stands in one column of the table."""
    bet = f"bet {BET}"
    bluff = at.figures(BLUFF)
    ev = bluff.action_evs[bet]
    # It never wins when it is called: EV = share · POT − (1 − share) · BET.
    share = (ev + BET) / (POT + BET)
    return {
        "BTN bets": f"{at.summary().strategy[bet]:.0%} of the hands",
        "AKo, top pair, bets": f"{node_grid(at).cell('AKo').shares[bet]:.0%}",
        f"{BLUFF}, six high, bets": f"{bluff.strategy[bet]:.0%}",
        f"a bet with {BLUFF} takes the pot": f"{share:.0%}",
        f"EV of betting {BLUFF}": f"{ev:+z.1f} chips".replace("-", "−"),
        "BTN's EV": f"{at.summary().ev:.1f} chips",
    }


def table(two: Any, three: Any) -> str:
    """Both columns as Markdown."""
    one, other = figures(two), figures(three)
    rows = [("", *COLOURS), ("---",) * 3, *((name, one[name], other[name]) for name in one)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def picture(two: Any, three: Any) -> str:
    """How often each kind of hand bets: a pair of bars for each, as wide as it bets often."""
    step, left, width = 34, 60, 360
    parts = [text(4, 18, "How often BTN bets when all have checked", size=14, bold=True)]
    for row, (words, colour) in enumerate(COLOURS.items()):
        parts += [rect(left + 130 * row, 28, 12, 12, colour)]
        parts += [text(left + 130 * row + 18, 38, words)]
    for row, name in enumerate(DRAWN):
        y = 54 + step * row
        parts.append(text(left - 8, y + 17, name, bold=True, text_anchor="end"))
        for bar, (at, colour) in enumerate(zip((two, three), COLOURS.values(), strict=True)):
            share = node_grid(at).cell(name).shares[f"bet {BET}"]
            parts.append(rect(left, y + 13 * bar, max(1.0, width * share), 11, colour))
            parts.append(text(left + width * share + 6, y + 13 * bar + 10, f"{share:.0%}", size=10))
    height = 54 + step * len(DRAWN)
    return str(svg(left + width + 50, height, parts, paper="white", title="How often BTN bets"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--svg", type=Path, help="write the picture here")
    options = parser.parse_args()
    two, three = solve(SB), solve(SB, BB)
    print(table(two, three))
    if options.svg is not None:
        options.svg.write_text(picture(two, three), encoding="utf-8")


if __name__ == "__main__":
    main()
