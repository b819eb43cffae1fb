"""Many flops on a GPU: seconds per flop of the 3-bet preset, and what all 1,755 take at that pace.

    python benchmarks/gpu_flops.py --flops 100            every 17th of the 1,755 flops
    python benchmarks/gpu_flops.py --flops 1755

Flops are solved to 0.3 % of the pot, two at a time as `riverboat holdem report --device cuda` does.
What the report then reads at the root (equities among it, 0.07 s of CPU for each flop) is left out
where numba is missing.
"""

from __future__ import annotations

import argparse
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

from holdem_spots import read
from riverboat.cards.combos import suit_permutations
from riverboat.holdem.spots import flop_report
from riverboat.jobs import holdem_flops_on_gpu


def root_row(solved: Any, job: Any) -> Any:
    """A row without equities: they need numba."""
    info = solved.info
    node = solved.tree.nodes[0]
    shares = solved.strategy(node, 0)
    weights = solved.arena.runouts.unranked[0].weights[: shares.shape[1]]
    means = (shares * weights).sum(axis=1) / weights.sum()
    return SimpleNamespace(
        flop=job.name, iterations=info["iterations"], seconds=info["seconds"],
        percent=info["exploitability_pct"], ev=info["ev"], root=means,
    )  # fmt: skip


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
    parser.add_argument("--threads", default="2", help="flops at a time; of several the best")
    parser.add_argument("--target", type=float, default=0.003, help="of the pot")
    options = parser.parse_args()
    spot, _ = read("3betpotfast")
    every = flops()
    chosen = [every[i] for i in np.linspace(0, len(every) - 1, options.flops).astype(int)]
    try:
        import numba
    except ImportError:
        numba = None
        holdem_flops_on_gpu.flop_row = root_row
    work = SimpleNamespace(target=options.target * spot.pot, memory=None, prepare=lambda: spot)
    trials: dict[int, float] = {}
    crews = [holdem_flops_on_gpu.FlopsOnGpu(int(n)) for n in options.threads.split(",")]
    for crew in crews:
        list(crew.run(work, chosen[:4]))
        start = time.perf_counter()
        if len(crews) > 1:
            list(crew.run(work, chosen[:: len(chosen) // 36]))
        trials[crew.threads] = time.perf_counter() - start
    print("seconds for some flops, by threads:", {n: round(t, 2) for n, t in trials.items()})
    crew = min(crews, key=lambda each: trials[each.threads])
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
        f" all 1,755 at that pace {1755 * wall / len(rows) / 60:.2f} minutes;"
        f" equities {'included' if numba else 'left out'}"
    )


if __name__ == "__main__":
    main()
