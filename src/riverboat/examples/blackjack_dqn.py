"""A deep Q-network learns blackjack; its exact regret is reported.

Try: python blackjack_dqn.py --rounds 2000000

One file in plain NumPy, in the manner of CleanRL: a network of two hidden layers, a target network,
epsilon-greedy play at 512 tables in step, Adam. That many tables are a batch and need no replay
memory. Every so often the exact value of the greedy policy is worked out (no simulation) and set
against the exact optimum: the regret.
"""

from __future__ import annotations

import argparse
from itertools import pairwise

import gymnasium
import numpy as np
from numpy.typing import NDArray

import riverboat.interop.gymnasium_envs  # noqa: F401  registers riverboat/Blackjack-v0

Array = NDArray[np.float32]
Rows = NDArray[np.int64]
ACTIONS = 7
HIDDEN = 64
SITUATIONS = 3 * 2 * 2 * 3 * 18 * 10


def situation(observation: Array) -> Rows:
    """A number for stage, hands, first decision or later, hard, soft or pair, total and up card.

    Each has a row of its own in the first layer: 16 and 17 are neighbours in number, not in play.
    After a split the reward is that of several hands, so those situations are kept apart.
    """
    total, soft, up, pair, hands, cards, stage = observation.astype(np.int64).T[:7]
    kind = np.where(pair == 1, 2, soft)
    row = ((stage * 2 + (hands > 1)) * 2 + (cards == 2)) * 3 + kind
    return (row * 18 + np.clip(total - 4, 0, 17)) * 10 + up - 1


class Network:
    """Q values of every action, by two hidden layers of rectified units, trained by Adam."""

    def __init__(self, rng: np.random.Generator) -> None:
        sizes = [SITUATIONS, HIDDEN, HIDDEN, ACTIONS]
        scales = [20.0, HIDDEN, HIDDEN]
        self.weights = [
            (rng.standard_normal(shape) * np.sqrt(2 / scale)).astype(np.float32)
            for shape, scale in zip(pairwise(sizes), scales, strict=True)
        ]
        self.weights += [np.zeros(size, np.float32) for size in sizes[1:]]
        self.first = [np.zeros_like(w) for w in self.weights]
        self.second = [np.zeros_like(w) for w in self.weights]
        self.steps = 0

    def layers(self, rows: Rows) -> list[Array]:
        layers = [np.maximum(self.weights[0][rows] + self.weights[3], 0)]
        layers.append(np.maximum(layers[0] @ self.weights[1] + self.weights[4], 0))
        layers.append(layers[1] @ self.weights[2] + self.weights[5])
        return layers

    def values(self, rows: Rows) -> Array:
        return self.layers(rows)[-1]

    def learn(self, rows: Rows, actions: Rows, targets: Array, rate: float) -> None:
        """One step of Adam on the squared error of the actions that were taken."""
        one, two, out = self.layers(rows)
        batch = np.arange(len(rows))
        error = np.zeros_like(out)
        error[batch, actions] = (out[batch, actions] - targets) / len(rows)
        back = (error @ self.weights[2].T) * (two > 0)
        deep = (back @ self.weights[1].T) * (one > 0)
        table = np.zeros_like(self.weights[0])
        np.add.at(table, rows, deep)
        gradients = [table, one.T @ back, two.T @ error, deep.sum(0), back.sum(0), error.sum(0)]
        self.steps += 1
        scale = rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for w, g, m, v in zip(self.weights, gradients, self.first, self.second, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            w -= (scale * m / (np.sqrt(v) + 1e-8)).astype(np.float32)

    def follow(self, other: Network, share: float) -> None:
        """Move a little towards another network: the average of where it has been."""
        for w, theirs in zip(self.weights, other.weights, strict=True):
            w += share * (theirs - w)


def masked_best(values: Array, mask: NDArray[np.int8]) -> Rows:
    return np.where(mask > 0, values, -np.inf).argmax(axis=1)


def train(rounds: int, *, tables: int = 512, seed: int = 0, quiet: bool = False) -> float:
    """Learn for `rounds` rounds; the regret of the greedy policy at the end, in bets per round."""
    rng = np.random.default_rng(seed)
    env = gymnasium.make_vec(
        "riverboat/Blackjack-v0", num_envs=tables, vectorization_mode="vector_entry_point"
    )
    exact = gymnasium.make("riverboat/Blackjack-v0").unwrapped
    observation, info = env.reset(seed=seed)
    x, mask = situation(observation), info["action_mask"]
    online, target = Network(rng), Network(rng)
    target.follow(online, 1.0)

    def value_now() -> float:
        """The exact value of the averaged network's policy; it is asked once for each situation."""
        known: dict[bytes, int] = {}

        def greedy(row: Array, allowed: NDArray[np.int8]) -> int:
            key = row.tobytes() + allowed.tobytes()
            if key not in known:
                values = target.values(situation(row[None]))
                known[key] = int(masked_best(values, allowed[None])[0])
            return known[key]

        return float(exact.policy_ev(greedy))

    done = updates = 0
    best, looks = exact.best_ev, max(rounds // 10, 1)
    while done < rounds:
        epsilon = max(0.05, 1 - done / (0.3 * rounds))
        actions = masked_best(online.values(x), mask)
        wild = rng.random(tables) < epsilon
        wild_actions = masked_best(rng.random(mask.shape, np.float32), mask)
        actions = np.where(wild, wild_actions, actions)
        observation, rewards, ended, _, info = env.step(actions)
        following, next_mask = situation(observation), info["action_mask"]
        future = np.where(next_mask > 0, target.values(following), -np.inf).max(axis=1)
        targets = (rewards + np.where(ended, 0, future)).astype(np.float32)
        rate = 3e-3 * (1 - 0.98 * min(done / rounds, 1))
        online.learn(x, actions, targets, rate)
        x, mask, updates = following, next_mask, updates + 1
        target.follow(online, max(0.005, 1 / updates))
        before, done = done, done + int(ended.sum())
        if not quiet and done // looks > before // looks:
            value = value_now()
            print(f"{done:>10,} rounds: worth {value:+z.5f}, regret {best - value:.5f}")
    return float(best - value_now())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    regret = train(options.rounds, seed=options.seed)
    print(f"regret {regret:.5f} bets per round against the exact optimum")


if __name__ == "__main__":
    main()
