"""Many flops on a GPU: seconds per flop of the 3-bet preset, and what all 1,755 take at that pace.

    python benchmarks/gpu_flops.py --flops 100            every 17th of the 1,755 flops
    python benchmarks/gpu_flops.py --flops 1755 --keep rows.jsonl

With `--keep` each row is added to a file at once; a run that was stopped goes on with what is
missing, and the seconds of all runs add up. Flops are solved to 0.3 % of the pot, by several
processes as `riverboat holdem report --device cuda` does, and with all that a report reads at the
root. The processes begin before the clock does.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from holdem_spots import read
from riverboat.cards.combos import suit_permutations
from riverboat.holdem.spots import flops as flop_report
from riverboat.holdem.spots.flop_report import FlopsOnGpu, FlopWork


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
    parser.add_argument("--keep", type=Path, help="a file of rows to go on with")
    options = parser.parse_args()
    spot, _ = read("3betpotfast")
    every = flops()
    chosen = [every[i] for i in np.linspace(0, len(every) - 1, options.flops).astype(int)]
    work = FlopWork(spot.to_toml(), options.target * spot.pot, 1, None, "cuda")
    crew = best_crew(work, chosen, [int(each) for each in options.processes.split(",")])
    kept = Kept(options.keep)
    missing = [flop for flop in chosen if flop.name not in kept.rows]
    last = start = time.perf_counter()
    for place, row in crew.run(work, missing):
        now = time.perf_counter()
        kept.add(missing[place].name, row.iterations, now - start)
        start = now
        if now - last > 20:
            last = now
            done = sum(row["seconds"] for row in kept.rows.values())
            print(f"{len(kept.rows)} flops in {done:.1f} s", flush=True)
    crew.close()
    iterations = np.array([row["iterations"] for row in kept.rows.values()])
    seconds = np.array([row["seconds"] for row in kept.rows.values()])
    later = seconds[len(seconds) // 2 :].mean()
    print(
        f"{len(seconds)} flops in {seconds.sum():.1f} s with {crew.workers()} processes,"
        f" {seconds.mean():.3f} s each ({iterations.mean():.0f} iterations, at most"
        f" {iterations.max()}), {later:.3f} in the second half, when kernels for all numbers of"
        f" hands are there; all 1,755 at that pace {1755 * later / 60:.2f} minutes"
    )


def best_crew(work: FlopWork, chosen: list[Any], counts: list[int]) -> FlopsOnGpu:
    """Processes that have begun and loaded their kernels; of several numbers the fastest."""
    crews, walls = [FlopsOnGpu(count) for count in counts], []
    for crew in crews:
        list(crew.run(work, chosen[:: max(1, len(chosen) // 12)]))
        start = time.perf_counter()
        if len(crews) > 1:
            list(crew.run(work, chosen[:: max(1, len(chosen) // 36)]))
            print(f"{time.perf_counter() - start:.2f} s for some with {crew.workers()}", flush=True)
        walls.append(time.perf_counter() - start)
    best = int(np.argmin(walls))
    for place, crew in enumerate(crews):
        if place != best:
            crew.close()
    return crews[best]


class Kept:
    """Rows by flop, in a file where one is given, and the seconds they took."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            found = [json.loads(line) for line in path.read_text().splitlines()]
            self.rows = {row["flop"]: row for row in found}

    def add(self, flop: str, iterations: int, seconds: float) -> None:
        row = {"flop": flop, "iterations": iterations, "seconds": seconds}
        self.rows[flop] = row
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
