"""Card abstractions: nearest centres against SciPy, look-ups, builds; one thread, CPU time.

    python benchmarks/abstraction.py            under a minute
    python benchmarks/abstraction.py --long     also builds features and equity-k with 200 buckets

The peer is what one would write with SciPy: all distances of a block, then the smallest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from riverboat.holdem.abstraction._k_medians import k_medians
from riverboat.holdem.abstraction.card_abstraction import STREET_NAMES
from riverboat.holdem.abstraction.card_tables import Recipe, card_abstraction
from riverboat.holdem.abstraction.equity_buckets import sample_rows

NUM_DEALS = 100_000
PEER_ROWS = 1000


def best(work: Callable[[], object], runs: int = 5) -> float:
    """CPU seconds of the fastest run, after one that compiles."""
    work()
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def compare_nearest(num_centres: int) -> None:
    rows = sample_rows(2, 50, rng=np.random.default_rng(0), num_boards=300)
    centres = k_medians(rows, num_centres, rng=np.random.default_rng(1))
    ours = best(lambda: centres.nearest(rows)) / len(rows)
    few = rows[:PEER_ROWS].astype(np.float64)
    table = centres.rows.astype(np.float64)
    theirs = best(lambda: cdist(few, table, "cityblock").argmin(axis=1), 2) / len(few)
    print(
        f"nearest of {num_centres:,} centres, 48 coordinates: {ours * 1e9:,.0f} ns a row,"
        f" SciPy {theirs * 1e9:,.0f} ns: {theirs / ours:.0f} times as fast"
    )


def time_lookups() -> None:
    abstraction = card_abstraction("features")
    rng = np.random.default_rng(0)
    for players in (2, 6):
        deck = np.tile(np.arange(52, dtype=np.uint8), (NUM_DEALS, 1))
        deals = np.ascontiguousarray(rng.permuted(deck, axis=1)[:, : 2 * players + 5])
        out = np.empty((NUM_DEALS, players, 4), np.uint32)
        for streets in range(1, 5):
            part = np.ascontiguousarray(out[:, :, :streets])
            seconds = best(lambda p=players, o=part, d=deals: abstraction.assign(d, p, o))
            print(
                f"{players} players, streets up to the {STREET_NAMES[streets - 1]}:"
                f" {seconds / NUM_DEALS * 1e9:,.0f} ns a deal"
            )


def time_build(name: str) -> None:
    start = time.process_time()
    abstraction = Recipe.parse(name).build()
    seconds = time.process_time() - start
    counts = ", ".join(f"{count:,}" for count in abstraction.num_buckets)
    print(f"build {name}: {seconds:.0f} s, buckets {counts}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    arguments = parser.parse_args()
    compare_nearest(200)
    compare_nearest(2000)
    time_lookups()
    if arguments.long:
        time_build("features")
        time_build("equity-k-200")


if __name__ == "__main__":
    main()
