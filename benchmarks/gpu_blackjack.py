"""Blackjack on a GPU: billions of rounds per second at several tables.

    python benchmarks/gpu_blackjack.py [--rounds 2e10] [--trillion]

Seconds are wall time of one warm run with its kernel compiled; rounds are those of the player's
seat. `--trillion` then plays 10¹² rounds with a shuffle before each, whose exact value is known.
"""

from __future__ import annotations

import argparse
import time

from riverboat.blackjack.rules import BlackjackRules, rules_from
from riverboat.blackjack.simulation.counting import counter_from
from riverboat.blackjack.simulation.simulate import Simulation, simulate

SIX_DECKS, HILO = rules_from("vegas-6d-s17"), counter_from("hilo")
LATE = BlackjackRules(decks=2, h17=True, surrender="late")
CHARLIE = BlackjackRules(decks=3, charlie=5, split_by="rank")
RUNS = [
    ("six decks, S17, the published chart, one bet", Simulation(SIX_DECKS)),
    ("the same with Hi-Lo, ramp and 22 deviations", Simulation(SIX_DECKS, counter=HILO)),
    ("two decks, H17, late surrender, Hi-Lo", Simulation(LATE, counter=HILO)),
    ("three decks, five-card Charlie, pairs by rank", Simulation(CHARLIE)),
    ("infinite deck", Simulation(rules_from("infinite"))),
    ("six decks, three seats, Hi-Lo", Simulation(SIX_DECKS, counter=HILO, seats=3)),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=float, default=2e10)
    parser.add_argument("--trillion", action="store_true")
    options = parser.parse_args()
    for name, simulation in RUNS:
        simulate(simulation, 1, device="cuda")
        start = time.perf_counter()
        result = simulate(simulation, int(options.rounds), seed=1, device="cuda")
        seconds = time.perf_counter() - start
        rate = result.rounds / seconds / 1e9
        print(f"{name:<48}{rate:>7.1f}  EV {result.ev:+.7f} ± {result.stderr:.7f}", flush=True)
    if options.trillion:
        simulation = Simulation(SIX_DECKS, penetration=0)
        exact = simulation.exact_ev()
        assert exact is not None
        start = time.perf_counter()
        result = simulate(simulation, 10**12, seed=1, device="cuda")
        seconds, away = time.perf_counter() - start, (result.ev - exact) / result.stderr
        print(
            f"a trillion rounds in {seconds:.1f} s: EV {result.ev:+.7f} ± {result.stderr:.7f},"
            f" exact {exact:+.7f}, {away:+.1f} standard errors away"
        )


if __name__ == "__main__":
    main()
