"""Two players before the flop, with flops behind every call: memory, pace and exploitability.

    python benchmarks/preflop_flops.py --device cuda             100 big blinds, 25 flops, one H200
    python benchmarks/preflop_flops.py --stack 20 --flops 10 --memory 12G     two CPU cores

The tree: the small blind folds or raises to 2.5, re-raises are to 4 and 2.3 times the bet, then
all-in; behind the flop bets of 75 %, raises of 60 %, two on a street, all-in below one pot. All
1,326 hands, all turns and rivers. Exploitability is that of the averages in this game, in
thousandths of a big blind per hand.
"""

from __future__ import annotations

import argparse
import json
import time

from riverboat.holdem.abstraction.preflop_store import preflop_table
from riverboat.holdem.preflop.flop_game import FlopGame
from riverboat.holdem.preflop.flop_solver import FlopGameSize, FlopGameSolver
from riverboat.holdem.spots.bet_sizes import PlayerSizes, TreeOptions, parse_sizes
from riverboat.holdem.spots.flops import parse_flops
from riverboat.runtime.devices import machine_memory, parse_memory
from riverboat.solvers.run import Limit, Progress


def make_game(stack: float, flops: int) -> FlopGame:
    words = {"open": "2.5x", "3bet": "4x", "4bet": "2.3x", "5bet": "a"}
    if stack <= 25:
        words = {"open": "2x", "3bet": "a"}
    one = PlayerSizes(parse_sizes("75%", "bets"), parse_sizes("60%", "raises", raises=True))
    return FlopGame(
        parse_flops(f"subset:{flops}"),
        stacks=(stack, stack),
        limp=False,
        raises={name: parse_sizes(text, name, raises=True) for name, text in words.items()},
        sizes={"flop": (one, one)},
        tree=TreeOptions(allin_below_spr=1.0, raises=2),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--stack", type=float, default=100.0, help="big blinds of each player")
    parser.add_argument("--flops", type=int, default=25)
    parser.add_argument("--target", type=float, default=5.0, help="mbb per hand")
    parser.add_argument("--iterations", type=int, default=None, help="stop here at the latest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default=None, help="bytes allowed, e.g. 12G; else all of it")
    parser.add_argument("--out", default=None, help="keep the solution in this file")
    options = parser.parse_args()
    began = time.perf_counter()
    game = make_game(options.stack, options.flops)
    memory = None if options.memory is None else parse_memory(options.memory)
    if memory is None and options.device == "cpu":
        memory = machine_memory()

    def print_size(size: FlopGameSize, int16: bool) -> None:
        print(
            f"{size.spots} spots, {size.updates / 1e9:.2f} billion updates an iteration,"
            f" {size.memory_bytes(int16=int16) / 2**30:.2f} GiB of {(memory or 0) / 2**30:.2f} GiB",
            flush=True,
        )

    solver = FlopGameSolver(
        game,
        preflop_table().equities(),
        threads=options.threads,
        memory=memory,
        device=options.device,
        sized=print_size,
    )
    solver.compile()
    ready, cpu = time.perf_counter() - began, time.process_time()

    def tell(at: Progress) -> None:
        print(
            f"{at.iterations:6} {at.seconds:8.1f} s {1e3 * at.exploitability:10.2f} mbb", flush=True
        )

    solver.run(Limit(options.iterations, options.target / 1e3), tell)
    cpu = time.process_time() - cpu
    found = solver.evaluation()
    if options.out is not None:
        stacks = {"game": "flops", "stacks": [options.stack] * 2, "blinds": [0.5, 1]}
        solver.solution({**stacks, "flops": f"subset:{options.flops}"}).save(options.out)
    print(
        json.dumps(
            {
                "stack": options.stack,
                "flops": options.flops,
                "device": options.device,
                "bytes": solver.memory_bytes,
                "ready_s": round(ready, 1),
                "iterations": solver.iterations,
                "ms_per_iteration": round(1e3 * solver.seconds / solver.iterations, 1),
                "cpu_s_per_iteration": round(cpu / solver.iterations, 2),
                "seconds": round(solver.seconds, 1),
                "mbb": round(1e3 * found.exploitability, 2),
                "ev_sb": round(found.ev[0], 4),
            }
        )
    )


if __name__ == "__main__":
    main()
