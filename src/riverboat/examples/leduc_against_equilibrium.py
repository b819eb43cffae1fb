"""An agent learns Leduc poker in PettingZoo against our equilibrium.

Try: python leduc_against_equilibrium.py --hands 100000

The agent sits in both seats in turn and averages what each action brought (Monte Carlo control).
Nobody wins against an equilibrium, so the best it can reach is the game's value: nothing over both
seats. How far it is from that, and how badly the strategy it learned could be beaten by another
opponent, is worked out exactly.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np

import riverboat as rb
from riverboat.evaluation.head_to_head import exact_value
from riverboat.interop.pettingzoo_table import TableEnv
from riverboat.strategies.strategy import strategy_on
from riverboat.trees.game_tree import build_tree


def train(hands: int, *, seed: int = 0) -> tuple[float, float]:
    """Regret against the equilibrium and exploitability of what was learned, chips per hand."""
    rng = np.random.default_rng(seed)
    env = TableEnv("leduc")
    solution = rb.solve("leduc")
    opponent = rb.player("leduc", solution)
    actions = env.codes.actions
    sums: dict[tuple[int, str], np.ndarray] = defaultdict(lambda: np.zeros(len(actions)))
    counts: dict[tuple[int, str], np.ndarray] = defaultdict(lambda: np.full(len(actions), 1e-9))
    env.reset(seed=seed)
    for hand in range(hands):
        env.reset()
        me, taken = hand % 2, []
        epsilon = max(0.05, 1 - 2 * hand / hands)
        while not all(env.terminations.values()):
            agent = env.agent_selection
            if agent != f"player_{me}":
                env.step(env.ask(opponent))
                continue
            open_ = np.flatnonzero(env.observe(agent)["action_mask"])
            key = (me, env.infos[agent]["infoset"])
            means = sums[key] / counts[key]
            action = int(open_[means[open_].argmax()])
            if rng.random() < epsilon:
                action = int(rng.choice(open_))
            taken.append((key, action))
            env.step(action)
        for key, action in taken:
            sums[key][action] += env.rewards[f"player_{me}"]
            counts[key][action] += 1
    return judge(sums, counts, actions, solution)


def judge(sums, counts, actions, solution) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    """The greedy policy as a strategy of the house, measured without sampling."""
    tree = build_tree(rb.game("leduc"))
    chosen = tree.uniform()
    for i, (player, infoset) in enumerate(zip(tree.players.tolist(), tree.infosets, strict=True)):
        key = (player, infoset)
        if key in sums:
            first, last = int(tree.offsets[i]), int(tree.offsets[i + 1])
            open_ = [actions.index(action) for action in tree.actions[first:last]]
            means = (sums[key] / counts[key])[open_]
            chosen[first:last] = np.arange(last - first) == means.argmax()
    learned = strategy_on(tree, chosen)
    first = exact_value(tree, [learned, solution.strategy])[0]
    second = exact_value(tree, [solution.strategy, learned])[1]
    return -(first + second) / 2, rb.evaluate(learned).exploitability


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    regret, exploitability = train(options.hands, seed=options.seed)
    print(f"loses {regret:.4f} chips per hand to the equilibrium (0 is the best possible)")
    print(f"would lose {exploitability:.4f} chips per hand to its best response")


if __name__ == "__main__":
    main()
