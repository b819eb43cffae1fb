"""Hold'em spots on a GPU: wall seconds to a target, milliseconds per iteration, and the byte floor.

    python benchmarks/gpu_spots.py                    the three reference spots
    python benchmarks/gpu_spots.py --spots flop       one of them

The first solve of a process loads or compiles kernels and is reported separately; the others are
warm. The floor is the time that moving an iteration's numbers once would take at the speed of a
copy on the same GPU: regrets of both players are read twice and written once, averages read and
written once by the iterations that are taken into them.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from holdem_spots import SPOTS, read
from riverboat.holdem.spots.schedule import parse_target
from riverboat.holdem.spots.solver import make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.runtime.cuda import GpuDevice
from riverboat.runtime.devices import list_devices
from riverboat.solvers.run import Limit


def copy_speed() -> float:
    """Bytes per second, read and written, of a large copy on the GPU."""
    import cupy

    source = cupy.ones(1 << 30, cupy.uint8)
    target = cupy.empty_like(source)
    best = 0.0
    for _ in range(5):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        for _ in range(10):
            cupy.copyto(target, source)
        cupy.cuda.Device().synchronize()
        best = max(best, 20 * source.nbytes / (time.perf_counter() - start))
    return best


def pace(spot: Spot, device: GpuDevice, every: int, repeats: int) -> float:
    """Milliseconds per iteration where one in `every` is taken into the averages."""
    solver = make_solver(spot, device="cuda", gpu=device)
    solver.passes.every = every
    solver.step(3)
    walls = []
    for _ in range(repeats):
        start = time.perf_counter()
        solver.step(20)
        walls.append((time.perf_counter() - start) / 20)
    return 1e3 * min(walls)


def measure(name: str, targets: list[str], repeats: int, speed: float) -> dict[str, object]:
    spot, data = read(SPOTS[name][0])
    start = time.perf_counter()
    first = make_solver(spot, device="cuda")
    opened = time.perf_counter() - start
    loaded = first.compile()
    first.step(3)
    device = first.passes.device
    facts: dict[str, object] = {
        "spot": name, "first_open_s": opened, "first_load_s": loaded,
        "memory_mb": first.memory_bytes / 1e6, "kernels": len(first.passes.launcher.texts),
    }  # fmt: skip
    updates = first.size.updates
    facts |= {
        "ms_with_averages": pace(spot, device, 1, repeats),
        "floor_with_ms": 1e3 * 20 * updates / speed,
        "ms_without": pace(spot, device, 1 << 30, repeats),
        "floor_without_ms": 1e3 * 12 * updates / speed,
    }
    start = time.perf_counter()
    for _ in range(5):
        first.measure()
    facts["check_ms"] = 200 * (time.perf_counter() - start)
    for target in targets:
        best: dict[str, float] = {}
        for _ in range(repeats):
            start = time.perf_counter()
            solver = make_solver(spot, device="cuda", gpu=device)
            made = time.perf_counter() - start
            solver.compile()
            ready = time.perf_counter() - start
            solver.run(Limit(target=parse_target(target, spot.pot)))
            whole = time.perf_counter() - start
            if not best or solver.seconds < best["seconds"]:
                found = solver.last_evaluation
                assert found is not None
                best = {
                    "seconds": solver.seconds, "with_tables": whole, "tree": made,
                    "tables": ready - made, "iterations": solver.iterations,
                    "percent": found.percent, "ev_oop": found.ev[0],
                    "zero_sum": abs(sum(found.ev) - spot.pot) / spot.pot,
                }  # fmt: skip
        facts[target] = best
    result = data["result"]
    assert isinstance(result, dict)
    facts["reference_ev_oop"] = result["ev_oop"]
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spots", default="river,turn,flop", help="with commas")
    parser.add_argument("--targets", default="0.1%,0.3%")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, help="write the figures as JSON, too")
    options = parser.parse_args()
    speed = copy_speed()
    print(f"{list_devices()[-1].title}: a copy moves {speed / 1e12:.2f} TB/s")
    found = []
    for name in options.spots.split(","):
        facts = measure(name, options.targets.split(","), options.repeats, speed)
        found.append(facts)
        for key, value in facts.items():
            text = value
            if isinstance(value, dict):
                text = ", ".join(f"{k} {v:.6g}" for k, v in value.items())
            elif isinstance(value, float):
                text = f"{value:.5g}"
            print(f"  {key:18} {text}", flush=True)
    if options.out is not None:
        options.out.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
