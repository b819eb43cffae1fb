"""Spots of three players: seconds to a sum of gains of 0.3 % of the pot, and what they go into.

    python benchmarks/three_way.py                  a river and a turn, in CPU seconds
    python benchmarks/three_way.py --spots river
    python benchmarks/three_way.py --device cuda    river, turn and flop on a GPU, in seconds
    python benchmarks/three_way.py --toml river     print the spot instead

Ranges of 195, 108 and 169 hands on the river, pot 60, stacks 100, one bet size and all-in. Next to
it stands the same spot for two of the players, solved to an exploitability of 0.15 % (a sum of two
gains of 0.3 %), and the cost of one update of a hand's action. There is no open solver for three
players to compare with. Compiling is done before and reported separately.
"""

from __future__ import annotations

import argparse
import time

from riverboat.holdem.spots._three_way_plan import END, OWN
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import make_spot
from riverboat.runtime.devices import why_no_gpu
from riverboat.solvers.run import Limit

SB = (
    "99,88,77,66,55,44,33,22,AQs,AJs,ATs,A9s,A8s,A7s,A6s,A5s,A4s,A3s,A2s,KQs,KJs,KTs,K9s,QJs,QTs,"
    "Q9s,JTs,J9s,T9s,T8s,98s,97s,87s,86s,76s,75s,65s,64s,54s,AJo,ATo,KQo,KJo,QJo"
)
BB = (
    "TT,99,88,77,66,55,44,AQs,AJs,ATs,KQs,KJs,KTs,QJs,QTs,JTs,T9s,98s,87s,76s,AQo,AJo,KQo"
)  # fmt: skip
BTN = (
    "AA,KK,QQ,JJ,TT,99,88,77,66,55,44,33,22,AKs,AQs,AJs,ATs,A9s,A8s,A5s,A4s,KQs,KJs,KTs,QJs,QTs,"
    "JTs,T9s,98s,87s,76s,65s,AKo,AQo,AJo,KQo"
)
BOARDS = {"river": "Ks Th 7s 4d 2c", "turn": "Ks Th 7s 4d", "flop": "Ks Th 7s"}
AIMS = {
    "cpu": {"river": 1.5, "turn": 600.0, "flop": float("nan")},
    "cuda": {"river": 0.05, "turn": 2.0, "flop": 120.0},
}
"""Seconds: of CPU time, or on a GPU."""


def question(street: str, players: dict[str, str]) -> str:
    """The TOML of a spot: names with their ranges."""
    sizes = '{ bet = "60%,a", raise = "a" }'
    lines = [f'board = "{BOARDS[street]}"', "pot = 60", "stack = 100", "[ranges]"]
    lines += [f'{name} = "{text}"' for name, text in players.items()]
    lines += [f"[sizes.{street}]", *(f"{name} = {sizes}" for name in players)]
    return "\n".join(lines) + "\n"


def per_iteration(solver: SpotSolver, count: int) -> float:
    clock = time.process_time if solver.device_name == "cpu" else time.perf_counter
    began = clock()
    solver.step(count)
    return (clock() - began) / count


def spent(solver: SpotSolver) -> float:
    return solver.cpu_seconds if solver.device_name == "cpu" else solver.seconds


def measure(street: str, device: str) -> None:
    three = make_spot(question(street, {"sb": SB, "bb": BB, "btn": BTN}))
    two = make_spot(question(street, {"oop": SB, "ip": BTN}))
    solver, pair = make_solver(three, device=device), make_solver(two, device=device)
    compiled = solver.compile(), pair.compile()
    solver.run(Limit(target=0.003 * three.pot))
    pair.run(Limit(target=0.0015 * two.pot))
    found = solver.last_evaluation
    assert found is not None
    count = 20 if street == "river" or device == "cuda" else 2
    own, other = per_iteration(solver, count), per_iteration(pair, 10 * count)
    size, unit = solver.size, "CPU s" if device == "cpu" else "s on the GPU"
    print(
        f"{street:6} three: {spent(solver):8.3f} {unit} (aim {AIMS[device][street]:g}), "
        f"{solver.iterations} iterations of {1e3 * own:.2f} ms, {size.nodes:,} nodes,"
        f" {size.updates:,} updates an iteration, {solver.memory_bytes / 1e6:.1f} MB\n"
        f"       gains {', '.join(f'{100 * gain / three.pot:.3f}' for gain in found.gains)} %,"
        f" EV {', '.join(f'{ev:.3f}' for ev in found.ev)}\n"
        f"       two:   {spent(pair):8.3f} {unit}, {pair.iterations} iterations of"
        f" {1e3 * other:.2f} ms, {pair.size.updates:,} updates an iteration\n"
        f"       an update: three {1e9 * own / size.updates:.1f} ns, two"
        f" {1e9 * other / pair.size.updates:.1f} ns; loading or compiling took"
        f" {compiled[0]:.1f} and {compiled[1]:.1f} s before\n"
        f"       three's iteration weighs {num_meetings(solver):,} hands against two ranges:"
        f" {1e9 * own / num_meetings(solver):.2f} ns for each, all else included"
    )


def num_meetings(solver: SpotSolver) -> int:
    """How often an iteration weighs a hand against two ranges: at ends, and where it pays."""
    boards, first, total = solver.layout.boards.num_boards, solver.spot.street, 0
    for learner, (plan, _) in enumerate(solver.layout.plans):
        hands = len(solver.layout.combos[learner])
        for kind, node, pays in zip(plan.kind, plan.node, plan.pays, strict=True):
            if kind == END or (kind == OWN and pays):
                total += hands * boards[solver.layout.tree.nodes[node].street - first]
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spots", nargs="+", choices=list(BOARDS))
    parser.add_argument("--device", choices=list(AIMS), default="cpu")
    parser.add_argument("--toml", choices=list(BOARDS))
    chosen = parser.parse_args()
    if chosen.device == "cuda" and why_no_gpu():
        parser.error(why_no_gpu())
    if chosen.toml:
        print(question(chosen.toml, {"sb": SB, "bb": BB, "btn": BTN}), end="")
    else:
        usual = ["river", "turn"] if chosen.device == "cpu" else list(BOARDS)
        for spot in chosen.spots or usual:
            measure(spot, chosen.device)
