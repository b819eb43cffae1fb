"""What search makes of a blueprint, exactly: turns and all that follows as games of their own.

python benchmarks/search.py [--blueprint FILE] [--games N] [--iterations N]

Each row: a turn, how exploitable the blueprint is in it, and how exploitable once every river is
solved anew, without and with a bound on what the opponent gets. In per cent of the pot, exact best
responses over all hands and rivers. Behind it, what either best response gained (+) or lost.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from exact_measure import MODES, TurnGame
from riverboat.cards.card import parse_cards
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.search._range_tracking import blueprint_start

TURNS = (
    ("r6r20c/cr20c/", "Qs7h2d9c"),
    ("r6r20c/cr40c/", "AsKh8d8c"),
    ("r6r20c/cr20c/", "Jc9c4h2s"),
    ("r6r20c/r20c/", "Td6s5s2h"),
    ("r6r20c/cr40c/", "Kh7d3c3s"),
    ("r6r20c/r40c/", "9h8h5dAc"),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blueprint", default="shipped")
    parser.add_argument("--games", type=int, default=len(TURNS))
    parser.add_argument("--iterations", type=int, default=300)
    given = parser.parse_args()
    blueprint = Blueprint.load(given.blueprint)
    print(f"{'betting':18} {'board':9} {'pot':>4} {'rivers':>6} {'blueprint':>9}", end="")
    print("".join(f" {way:>8} {'oop':>6} {'ip':>6}" for way in MODES), f"{'CPU s':>6}")
    for history, board in TURNS[: given.games]:
        state = blueprint.rules.resume([[], []], parse_cards(board), history)
        start, trail = blueprint_start(blueprint, state, 2)
        begin = time.process_time()
        game = TurnGame.of(blueprint, start, trail)
        before = game.evaluation()
        row = f"{history:18} {board:9} {start.pot:4} {game.num_rivers:6} {before.percent:8.2f}%"
        for way in MODES:
            after = game.evaluation(game.searched(way, iterations=given.iterations))
            gains = [100 * (after.best[p] - before.best[p]) / after.pot for p in (0, 1)]
            row += f" {after.percent:7.2f}% {gains[0]:+6.2f} {gains[1]:+6.2f}"
        print(row, f"{time.process_time() - begin:6.0f}", flush=True)


if __name__ == "__main__":
    main()
