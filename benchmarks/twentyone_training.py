"""Training games a second in one thread, ours and a plain Python learner on Gymnasium's Blackjack.

`python benchmarks/twentyone_training.py [games]`. Both learn by the literal method (random
actions, running averages); Gymnasium's game has an infinite pack and is otherwise the same kind of
game. CPU time of one thread; compilation is not counted.
"""

from __future__ import annotations

import random
import sys
import time

from riverboat.twentyone.information import INFORMATION
from riverboat.twentyone.learning import METHODS, Trainer
from riverboat.twentyone.q_table import QTable

PEER_SECONDS = 3.0


def ours(method: str, state: str, games: int) -> float:
    """Games a second."""
    trainer = Trainer(QTable.empty(state), method=method, seed=1)
    trainer.run(0)
    began = time.thread_time()
    trainer.run(games)
    return games / (time.thread_time() - began)


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
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    print(f"{'million games a second':24}" + "".join(f"{state:>14}" for state in INFORMATION))
    rates = {}
    for method in METHODS:
        rates[method] = [ours(method, state, games) for state in INFORMATION]
        print(f"{method:24}" + "".join(f"{rate / 1e6:14.1f}" for rate in rates[method]))
    peer = gymnasium()
    if peer is None:
        print("Gymnasium is not installed; pip install 'riverboat[interop]' to compare.")
    else:
        print(f"{'Python on Gymnasium':24}{peer / 1e6:14.4f}")
        print(f"literal, points: {rates['literal'][0] / peer:,.0f} times as fast")


if __name__ == "__main__":
    main()
