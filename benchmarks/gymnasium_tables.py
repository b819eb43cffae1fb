"""Rounds per processor second of the vectorised environments, and of Gymnasium's own blackjack.

    python benchmarks/gymnasium_tables.py

The policy is one of NumPy: hit below 17. "with policy" counts it, "environment" does not.
Gymnasium's Blackjack-v1 (stand and hit only) is stepped by its SyncVectorEnv.
"""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy as np

import riverboat.interop.gymnasium_envs  # noqa: F401


def policy(observation: Any) -> Any:
    """Hit below 17; before the dealer looks, no."""
    actions = (observation[:, 0] < 17).astype(np.int64)
    if observation.shape[1] > 6:
        actions[observation[:, 6] == 1] = 6
    return actions


def rate(env: Any, rounds: int) -> tuple[float, float]:
    """Rounds per second with the policy and without it."""
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        observation = env.step(policy(_rows(observation)))[0]  # compiles
    done, inside, began = 0, 0.0, time.process_time()
    while done < rounds:
        actions = policy(_rows(observation))
        before = time.process_time()
        observation, _, ended, _, _ = env.step(actions)
        inside += time.process_time() - before
        done += int(ended.sum())
    return done / (time.process_time() - began), done / inside


def _rows(observation: Any) -> Any:
    return np.stack(observation, axis=1) if isinstance(observation, tuple) else observation


def main() -> None:
    quick: dict[str, Any] = {"vectorization_mode": "vector_entry_point"}
    runs = [
        ("riverboat/Blackjack-v0", {**quick}, 4096, 3_000_000),
        ("riverboat/Blackjack-v0", {**quick, "observe": "count", "penetration": 0.75}, 4096, 10**6),
        ("riverboat/Blackjack-v0", {**quick, "observe": "shoe", "penetration": 0.75}, 4096, 10**6),
        ("riverboat/TwentyOne-v0", {**quick}, 4096, 3_000_000),
        ("Blackjack-v1", {"vectorization_mode": "sync"}, 64, 20_000),
    ]
    for name, options, tables, rounds in runs:
        env = gymnasium.make_vec(name, num_envs=tables, **options)
        best = max(rate(env, rounds) for _ in range(3))
        what = ", ".join(f"{k}={v}" for k, v in options.items() if k != "vectorization_mode")
        print(f"{name:24} {what:32} with policy {best[0]:>12,.0f}  environment {best[1]:>12,.0f}")


if __name__ == "__main__":
    main()
