"""What search makes of a blueprint, exactly: whole games with small decks.

    python benchmarks/search_small_decks.py [--games 1,2] [--flop]

Each row: a deck, the chips behind an ante of 1, and how exploitable the blueprint is in the whole
game, then with the search on top of it from the turn on (with --flop from the flop on), without and
with the bound. In thousandths of the ante per game, exact best responses over all hands and boards.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from small_decks import MODES, SmallDeck

GAMES = (
    SmallDeck(3, 3, 1, 2),
    SmallDeck(3, 3, 1, 4),
    SmallDeck(3, 4, 1, 2),
    SmallDeck(3, 4, 1, 4),
    SmallDeck(4, 3, 1, 3),
    SmallDeck(3, 3, 2, 2),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default=",".join(str(n + 1) for n in range(len(GAMES))))
    parser.add_argument("--flop", action="store_true", help="think about the flop, too")
    given = parser.parse_args()
    print(f"{'deck':>6} {'behind':>6} {'parts':>5} {'bets':>10} {'blueprint':>9}", end="")
    print("".join(f" {way:>8} {'first':>7} {'second':>7}" for way in MODES), f"{'CPU s':>6}")
    for number in map(int, given.games.split(",")):
        game, begin = GAMES[number - 1], time.process_time()
        before = game.evaluation()
        row = f"{game.ranks} × {game.suits}".rjust(6)
        row += (
            f" {game.behind:6} {game.parts:5} {game.bets:>10} {1000 * before.exploitability:9.2f}"
        )
        for way in MODES:
            after = game.evaluation(way, flop=given.flop)
            pairs = zip(after.best_response, before.best_response, strict=True)
            gains = "".join(f" {1000 * (now - then):+7.2f}" for now, then in pairs)
            row += f" {1000 * after.exploitability:8.2f}{gains}"
        print(row, f"{time.process_time() - begin:6.0f}", flush=True)


if __name__ == "__main__":
    main()
