"""Many flops on a GPU: seconds per flop of the 3-bet preset, and what all 1,755 take at that pace.

    python benchmarks/gpu_flops.py --flops 100            every 17th of the 1,755 flops
    python benchmarks/gpu_flops.py --flops 1755

Flops are solved to 0.3 % of the pot, by several processes as `riverboat holdem report
--device cuda` does, and with all that a report reads at the root. The processes begin before the
clock does.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from holdem_spots import read
from riverboat.cards.combos import suit_permutations
from riverboat.holdem.spots import flop_report
from riverboat.jobs.holdem_flops_on_gpu import FlopsOnGpu
from riverboat.jobs.holdem_report_jobs import FlopWork


def flops() -> list[Any]:
    """The 1,755 flops, counted here so that numba is not needed."""
    cards = np.array([(a, b, c) for a in range(52) for b in range(a) for c in range(b)])
    maps = suit_permutations()[0].astype(np.int64)
    images = np.sort(maps[:, cards], axis=2) @ np.array([1, 52, 2704])
    _, first = np.unique(images.min(axis=0), return_index=True)
    return [flop_report.Flop(tuple(cards[i].tolist()), 1.0) for i in first]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flops", type=int, default=100)
    parser.add_argument("--processes", default="3", help="of several the best")
    parser.add_argument("--target", type=float, default=0.003, help="of the pot")
    options = parser.parse_args()
    spot, _ = read("3betpotfast")
    every = flops()
    chosen = [every[i] for i in np.linspace(0, len(every) - 1, options.flops).astype(int)]
    work = FlopWork(spot.to_toml(), options.target * spot.pot, 1, None, "cuda")
    trials: dict[int, float] = {}
    crews = [FlopsOnGpu(int(n)) for n in options.processes.split(",")]
    for crew in crews:
        list(crew.run(work, chosen[:: max(1, len(chosen) // 12)]))
        start = time.perf_counter()
        if len(crews) > 1:
            list(crew.run(work, chosen[:: max(1, len(chosen) // 36)]))
            trials[crew.workers()] = time.perf_counter() - start
            print(f"{trials[crew.workers()]:.2f} s for some with {crew.workers()}", flush=True)
    crew = min(crews, key=lambda each: trials.get(each.workers(), 0.0))
    start = time.perf_counter()
    last, rows = start, []
    for _, row in crew.run(work, chosen):
        rows.append(row)
        if time.perf_counter() - last > 20:
            last = time.perf_counter()
            print(f"{len(rows)} flops in {last - start:.1f} s", flush=True)
    wall = time.perf_counter() - start
    iterations = np.array([row.iterations for row in rows])
    print(
        f"{len(rows)} flops in {wall:.1f} s, {wall / len(rows):.3f} s each"
        f" ({iterations.mean():.0f} iterations, at most {iterations.max()});"
        f" all 1,755 at that pace {1755 * wall / len(rows) / 60:.2f} minutes"
    )
    for each in crews:
        each.close()


if __name__ == "__main__":
    main()
