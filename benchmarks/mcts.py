"""The search against exact values, at the table, with and without memory, and its speed.

    python benchmarks/mcts.py [speed] [convergence] [play] [memory] [poker] [--full]

Without names every part runs, short: some two minutes. --full makes the tables of notes/mcts.md:
a million simulations a decision and 200,000 rounds of play. The peers are flat rollouts and plain
UCT with the same budget, in the same run, and the table of numbers from the exact solver.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import Round, play_round
from riverboat.blackjack.rules import PRESETS, Shoe, fresh_cards
from riverboat.blackjack.search.mcts import Budget, Search, SearchConfig
from riverboat.blackjack.search.memory import Knowledge
from riverboat.blackjack.search.player import MctsPlayer, learn_by_playing, round_situation
from riverboat.blackjack.search.problem import TWENTYONE, Situation, Table
from riverboat.blackjack.search.tree import exact_values, measure_convergence, random_situations
from riverboat.evaluation.exploitability import evaluate
from riverboat.games.registry import make_game
from riverboat.solvers.sampling import search_game

TABLES = {
    "combo-charlie": Table(PRESETS["combo-charlie"]),
    "vegas-6d-s17": Table(PRESETS["vegas-6d-s17"]),
    "twenty-one": TWENTYONE,
}
METHODS = {
    "search (bellman)": SearchConfig(),
    "plain UCT (average)": SearchConfig(backup="average"),
    "flat, basic rollouts": SearchConfig(selection="flat", backup="average"),
    "flat, random rollouts": SearchConfig(selection="flat", backup="average", rollout="random"),
}
RULES = {
    "ucb1": SearchConfig(),
    "ucb1-tuned": SearchConfig(selection="ucb1-tuned"),
    "puct": SearchConfig(selection="puct"),
    "ucb1, random rollouts": SearchConfig(rollout="random"),
}


def speed(full: bool) -> None:
    print("\n## Speed: simulated rounds a second, one thread, tree warm (process time)")
    count, total = 2_000_000 if full else 500_000, 0.0
    for hand, up in (("T,6", "9"), ("5,6", "T"), ("A,7", "9"), ("2,3", "4"), ("8,8", "T")):
        situation = Situation.of(TABLES["combo-charlie"], hand, up)
        search = Search()
        search.run(situation, Budget(100_000))
        started = time.process_time()
        search.go_on(Budget(count))
        seconds = time.process_time() - started
        total += seconds
        print(f"{hand} against {up}: {count / seconds / 1e6:6.2f} million")
    print(f"together:      {5 * count / total / 1e6:6.2f} million")


def convergence(full: bool) -> None:
    budgets = (10_000, 100_000, 1_000_000) if full else (2_000, 10_000)
    print("\n## Convergence: 300 random decisions of each rule set against exact values")
    print("| rules | method | simulations | best | ± | best, ties apart | regret | ± |")
    print("|---|---|---|---|---|---|---|---|")
    for name, table in TABLES.items():
        situations = random_situations(table, 300, seed=1)
        for method, config in METHODS.items():
            for budget in budgets:
                _row(name, method, situations, config, budget)
    situations = [s for t in TABLES.values() for s in random_situations(t, 300, seed=2)]
    for method, config in RULES.items():
        for budget in (300, 1_000, 3_000):
            _row("all three", method, situations, config, budget)


def _row(
    name: str, method: str, situations: list[Situation], config: SearchConfig, budget: int
) -> None:
    search = Search(config, seed=5)
    found = measure_convergence(situations, lambda s: search.run(s, Budget(budget)).best)
    share, error = 100 * found.best, 100 * found.best_stderr
    print(
        f"| {name} | {method} | {budget:,} | {share:.1f} % | {error:.1f}"
        f" | {100 * found.clear_best:.1f} % | {found.regret:.6f} | {found.regret_stderr:.6f} |",
        flush=True,
    )


def play(full: bool) -> None:
    rounds = 200_000 if full else 4_000
    table = TABLES["combo-charlie"]
    print(f"\n## Play: combo-charlie, 2,000 simulations a decision, {rounds:,} rounds")
    player = MctsPlayer("mcts", table, Budget(2_000))
    started = time.process_time()
    result, cost, decisions = _play(table, rounds, player.decide)
    seconds = time.process_time() - started
    optimum = analyse(table.rules).ev
    mean, error = result.mean(), result.std(ddof=1) / rounds**0.5
    spread = cost.std(ddof=1) / rounds**0.5
    print(f"decisions: {decisions:,}, {1e3 * seconds / decisions:.2f} ms each, valued exactly")
    print(f"cost of the decisions: {cost.mean():.6f} ± {spread:.6f} bids a round")
    print(f"exact optimum {optimum:+.6f}, less cost {optimum - cost.mean():+.6f}")
    print(f"chips won {mean:+.6f} ± {error:.6f} bids a round", end="")
    print(f" ({(mean - optimum + cost.mean()) / error:+.2f} standard errors)")


def _play(
    table: Table, rounds: int, choose: Callable[[Situation, str, np.random.Generator], str]
) -> tuple[np.ndarray, np.ndarray, int]:
    """Chips and cost of decisions of each round, from fresh shoes."""
    chance, own = np.random.default_rng(11).spawn(2)
    chips, costs, decisions = np.zeros(rounds), np.zeros(rounds), 0
    decks = table.rules.decks
    assert decks != "infinite"
    for number in range(rounds):

        def decide(at: Round, number: int = number) -> str:
            nonlocal decisions
            situation, actions = round_situation(table, at), at.actions()
            action = choose(situation, actions, own)
            decisions += 1
            if "N" in actions:
                insurance = analyse(table.rules).insurance(situation.hand) if action == "I" else 0
                costs[number] -= min(insurance, 0.0) / 2
            else:
                values = exact_values(situation)
                costs[number] += max(values.values()) - values[action]
            return action

        cards = np.array(list(fresh_cards(decks)))
        chance.shuffle(cards)
        end, _ = play_round(table.rules, Shoe("".join(cards)), (1.0,), decide)
        chips[number] = end.payoffs()[0]
    return chips, costs, decisions


def memory(full: bool) -> None:
    table = TABLES["combo-charlie"]
    knowledge = Knowledge()
    learn_by_playing(knowledge, table, 20_000 if full else 3_000, Budget(2_000), seed=3)
    text, dropped = knowledge.compressed()
    print(f"\n## Memory: {len(knowledge.table):,} states, {len(text.table):,} of them in")
    print(f"{len(text.text()):,} characters; dropped {dropped}")
    print("| simulations | rounds | no memory | text memory | binary memory |")
    print("|---|---|---|---|---|")
    rounds = 20_000 if full else 2_000
    for budget in (5, 10, 20, 50, 100, 200, 500):
        cells = []
        for known in (None, text, knowledge):
            player = MctsPlayer("mcts", table, Budget(budget), None, known)
            _, cost, _ = _play(table, rounds, player.decide)
            cells.append(f"{cost.mean():.5f} ± {cost.std(ddof=1) / rounds**0.5:.5f}")
        print(f"| {budget} | {rounds:,} | {' | '.join(cells)} |", flush=True)


def poker(full: bool) -> None:
    print("\n## Information-set search: exploitability (an equilibrium has 0)")
    print("| game | 10⁴ | 10⁵ | 10⁶ |")
    print("|---|---|---|---|")
    for name in ("kuhn", "leduc", "showdown"):
        game = make_game(name)
        found = [
            evaluate(game, search_game(game, count)).exploitability
            for count in (10**4, 10**5, 10**6)
        ]
        print(f"| {name} | {' | '.join(f'{value:.4f}' for value in found)} |")


PARTS = {"speed": speed, "convergence": convergence, "play": play, "memory": memory, "poker": poker}


def main() -> None:
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    for name in names or PARTS:
        PARTS[name]("--full" in sys.argv)


if __name__ == "__main__":
    main()
