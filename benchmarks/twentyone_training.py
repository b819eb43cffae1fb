"""Training games a second in one thread: ours, a plain C loop, and Python on Gymnasium's Blackjack.

`python benchmarks/twentyone_training.py [games] [repeats]`. The C loop
(benchmarks/twentyone_training.c) has the same rules and the same two methods, literal and
on-policy, for (points, up card); gcc compiles it into a temporary folder, once with -O2 and once
with -O3 for this processor, and the faster counts. Gymnasium's game has an infinite pack and is
otherwise the same kind of game, learned by the literal method.

CPU time of one thread, ours and the peer's by turns, the best of the repeats; compilation is not
counted.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from riverboat.twentyone.learning.information import INFORMATION
from riverboat.twentyone.learning.learner import METHODS, Trainer
from riverboat.twentyone.learning.q_table import QTable

SOURCE = Path(__file__).with_name("twentyone_training.c")
FLAGS = (["-O2"], ["-O3", "-march=native"])
PEER_SECONDS = 3.0


def ours(method: str, state: str, games: int) -> float:
    """Games a second."""
    trainer = Trainer(QTable.empty(state), method=method, seed=1)
    trainer.run(0)
    began = time.thread_time()
    trainer.run(games)
    return games / (time.thread_time() - began)


def compile_peers(folder: Path) -> list[Path]:
    """The C loop, compiled once for each set of flags; nothing where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    programs = []
    for number, flags in enumerate(FLAGS):
        program = folder / f"peer{number}"
        if compiler is None:
            break
        command = [compiler, "-std=c11", *flags, "-o", str(program), str(SOURCE)]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            programs.append(program)
    return programs


def plain_c(program: Path, method: str, games: int) -> float:
    """Games a second of a compiled peer, by its own CPU clock."""
    command = [str(program), method, str(games)]
    played, seconds, _ = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    return int(played) / float(seconds)


def beside_c(games: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        programs = compile_peers(Path(folder))
        if not programs:
            print("There is no C compiler here to compare with.")
            return
        print(f"\n{'points, and plain C':24}{'ours':>10}{'C':>10}{'ratio':>10}")
        for method in ("literal", "on-policy"):
            best, peer = 0.0, 0.0
            for _ in range(repeats):
                best = max(best, ours(method, "points", games))
                peer = max(peer, *(plain_c(program, method, games) for program in programs))
            print(f"{method:24}{best / 1e6:10.1f}{peer / 1e6:10.1f}{best / peer:10.2f}")


def gymnasium() -> float | None:
    """Games a second of a dictionary of averages over Blackjack-v1, as tutorials write it."""
    try:
        from gymnasium.envs.toy_text.blackjack import BlackjackEnv
    except ImportError:
        return None
    table = BlackjackEnv()
    averages: dict[tuple[object, int], tuple[float, int]] = {}
    played, began = 0, time.thread_time()
    while time.thread_time() - began < PEER_SECONDS:
        seen, _ = table.reset()
        path, over, reward = [], False, 0.0
        while not over:
            action = random.getrandbits(1)
            path.append((seen, action))
            seen, reward, over, _, _ = table.step(action)
        for taken in path:
            average, count = averages.get(taken, (0.0, 0))
            averages[taken] = (average + (reward - average) / (count + 1), count + 1)
        played += 1
    return played / (time.thread_time() - began)


def main() -> None:
    games = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print(f"{'million games a second':24}" + "".join(f"{state:>14}" for state in INFORMATION))
    rates = {}
    for method in METHODS:
        rates[method] = [ours(method, state, games) for state in INFORMATION]
        print(f"{method:24}" + "".join(f"{rate / 1e6:14.1f}" for rate in rates[method]))
    beside_c(games, repeats)
    peer = gymnasium()
    if peer is None:
        print("Gymnasium is not installed; pip install 'riverboat[interop]' to compare.")
    else:
        print(f"{'Python on Gymnasium':24}{peer / 1e6:14.4f}")
        print(f"literal, points: {rates['literal'][0] / peer:,.0f} times as fast")


if __name__ == "__main__":
    main()
