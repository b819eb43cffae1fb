"""How fast hold'em is trained: walks a CPU second, two and six players, and what bounds it.

    python benchmarks/mccfr.py [--seconds 5] [--peer]

An iteration is one player's walk over one deal, all four streets; dealing, evaluating and bucketing
the cards is part of it. "one bet" has one pot-size bet a street and no raise, as simple programs
have it; "pot" has pot-size bets and raises until the chips are in. With --peer, OpenSpiel's C++
external sampling runs on its own Leduc poker and ours on the same game: the large game has no
peer to install. The shipped configs have many sizes and no target; headsup-small builds its card
tables on the first run (75 CPU seconds).
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig, read_config
from riverboat.holdem.blueprints.trainer import BATCH, HoldemTrainer
from riverboat.solvers.run import Limit

TARGETS = {2: 300_000, 6: 100_000}
"""Walks a CPU second to reach, by players: what an older C++ program did on eight threads."""
TWO: dict[str, Any] = {"game": {"stacks": 200}, "cards": {"scheme": "percentile"}}
SIX: dict[str, Any] = {"game": {"players": 6, "stacks": 200}, "cards": {"scheme": "percentile"}}
LEDUC: dict[str, Any] = {
    "game": {
        "small_blind": 0,
        "big_blind": 0,
        "ante": 1,
        "ranks": 3,
        "suits": 2,
        "hole_cards": 1,
        "board_cards": [0, 1],
        "limit": "fixed-limit",
        "bet_sizes": [2, 4],
        "max_raises": [2, 2],
        "stacks": 13,
    },
    "bets": {"preflop": "m"},
    "cards": {"scheme": "lossless"},
}
GAMES = {
    "2 players, one bet": TWO | {"bets": {"preflop": "1p", "cap": 1}},
    "2 players, pot": TWO | {"bets": {"preflop": "1p", "cap": 99}},
    "6 players, pot, 2 see the flop": SIX
    | {"bets": {"preflop": "1p", "cap": 2, "field": 2, "history": "letters"}},
}


def measure(name: str, config: HoldemConfig, seconds: float, target: int | None = None) -> None:
    """Train for `seconds` of CPU time after a warm-up and print the rates."""
    abstract = AbstractGame.build(config)
    players = config.game.players
    trainer = HoldemTrainer(abstract, seed=1)
    trainer.run(Limit(iterations=trainer.iterations + players * 4 * BATCH))
    worker = trainer.workers[0]
    first, nodes, began = trainer.iterations, int(worker.counts[0]), time.process_time()
    while time.process_time() - began < seconds:
        trainer.run(Limit(iterations=trainer.iterations + players * 16 * BATCH))
    spent = time.process_time() - began
    walks, seen = trainer.iterations - first, int(worker.counts[0]) - nodes
    began, batches = time.process_time(), 16
    for _ in range(batches):
        worker.deals.next(BATCH)
    dealing = (time.process_time() - began) / (batches * BATCH * players)
    reached = f"  ({walks / spent / target:.2f} × the target)" if target else ""
    print(
        f"{name:32} {walks / spent:>10,.0f} walks/s{reached}"
        f"  {1e6 * spent / walks:.2f} µs: cards {1e6 * dealing:.2f},"
        f" {seen / walks:.0f} nodes at {1e9 * (spent / walks - dealing) / (seen / walks):.0f} ns;"
        f" {abstract.num_bytes / 1e6:,.1f} MB, 8 bytes a pair"
    )


def peer(seconds: float) -> None:
    """Leduc poker by OpenSpiel's external sampling and by ours."""
    import pyspiel

    solver = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game("leduc_poker"), 1)
    count, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        solver.run_iteration()
        count += 2
    theirs = count / (time.process_time() - began)
    trainer = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(LEDUC)), seed=1)
    trainer.run(Limit(iterations=trainer.iterations + 2 * BATCH))
    first, began = trainer.iterations, time.process_time()
    while time.process_time() - began < seconds:
        trainer.run(Limit(iterations=trainer.iterations + 2 * 16 * BATCH))
    ours = (trainer.iterations - first) / (time.process_time() - began)
    print(f"Leduc poker, walks/s: ours {ours:,.0f}, OpenSpiel (C++) {theirs:,.0f}", end="")
    print(f": {ours / theirs:.1f} ×")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    for name, table in GAMES.items():
        config = HoldemConfig.from_table(table)
        measure(name, config, options.seconds, TARGETS[config.game.players])
    for name in ("headsup-small", "sixmax-small"):
        measure(name, read_config(name), options.seconds)
    if options.peer:
        peer(options.seconds)


if __name__ == "__main__":
    main()
