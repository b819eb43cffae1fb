"""Blackjack simulation: rounds per second on one thread, compared with Gymnasium's Blackjack-v1.

    python benchmarks/blackjack.py [--rounds 20000000] [--peer-rounds 20000]

Seconds are CPU time; compilation is not counted. Gymnasium's game has no shoe, doubles, splits,
surrender or insurance, so each of its rounds is less work than one of ours. Its player hits or
stands by the same chart. The exact analysis has its own benchmark, blackjack_exact.py.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import time

from riverboat.blackjack.charts import BlackjackChart, published_chart
from riverboat.blackjack.rules import rules_from
from riverboat.blackjack.simulation.counting import counter_from
from riverboat.blackjack.simulation.simulate import Simulation, simulate

SIX_DECKS = rules_from("vegas-6d-s17")
RUNS = [
    ("6 decks, published chart, flat bet", Simulation(SIX_DECKS)),
    ("the same, shuffled every round", Simulation(SIX_DECKS, penetration=0)),
    ("Hi-Lo, ramp, 22 deviations", Simulation(SIX_DECKS, counter=counter_from("hilo"))),
    ("8 decks H17 RSA late surrender", Simulation(rules_from("vegas-6d-h17", {"decks": 8}))),
    ("no hole card", Simulation(rules_from("european"))),
    ("Combo and Charlie", Simulation(rules_from("combo-charlie"))),
    ("infinite deck", Simulation(rules_from("infinite"))),
    ("Hi-Lo at a table of five", Simulation(SIX_DECKS, counter=counter_from("hilo"), seats=5)),
]


def rate(simulation: Simulation, rounds: int) -> tuple[float, float, float]:
    """Rounds a CPU second, EV and its standard error."""
    simulate(simulation, 1)
    start = time.process_time()
    result = simulate(simulation, rounds, seed=1)
    return rounds / (time.process_time() - start), result.ev, result.stderr


def gymnasium_rate(chart: BlackjackChart, rounds: int) -> float:
    """Rounds a CPU second of Blackjack-v1 with the chart's hits and stands."""
    import gymnasium

    table = gymnasium.make("Blackjack-v1", sab=True)
    hits: dict[tuple[int, int, int], int] = {}
    for up in range(10):
        for total in range(4, 22):
            hits[total, up + 1, 0] = int(chart.hard[total - 4][up] not in ("S", "Ds", "Rs"))
        for total in range(12, 22):
            hits[total, up + 1, 1] = int(chart.soft[total - 12][up] not in ("S", "Ds"))
    table.reset(seed=1)
    start = time.process_time()
    for _ in range(rounds):
        seen, _ = table.reset()
        over = False
        while not over:
            seen, _, over, _, _ = table.step(hits[seen])
    return rounds / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20_000_000)
    parser.add_argument("--peer-rounds", type=int, default=20_000)
    options = parser.parse_args()
    print(f"{'simulation, one thread':<38}{'million rounds/s':>17}{'EV a round':>14}{'±':>10}")
    rates = []
    for name, simulation in RUNS:
        speed, ev, error = rate(simulation, options.rounds)
        rates.append(speed)
        print(f"{name:<38}{speed / 1e6:>17.1f}{ev:>+14.6f}{error:>10.6f}")
    if importlib.util.find_spec("gymnasium") is None:
        print("Gymnasium is not installed: no peer.")
    else:
        peer = gymnasium_rate(published_chart(SIX_DECKS), options.peer_rounds)
        print(f"{'Gymnasium Blackjack-v1':<38}{peer / 1e6:>17.4f}")
        print(f"ratio {rates[0] / peer:,.0f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
