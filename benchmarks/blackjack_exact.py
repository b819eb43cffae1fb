"""Exact blackjack: CPU seconds for whole rule sets, and the dealer sweep against textbook
recursion.

    python benchmarks/blackjack_exact.py [--repeat 5]

The peer is the method of the literature written plainly: for each hand, recurse over the dealer's
draws with a memory of states. One thread; compilation is not counted.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement

from riverboat.blackjack.exact.analysis import analyse, fresh_shoe
from riverboat.blackjack.exact.best_chart import best_chart
from riverboat.blackjack.rules import rules_from

TABLES = [
    ("6 decks, split to 4 hands", "vegas-6d-s17", {}, "CDZ-"),
    ("6 decks, split to 4 hands", "vegas-6d-s17", {}, "CDP1"),
    ("6 decks, split to 4 hands", "vegas-6d-s17", {}, "CDP"),
    ("8 decks H17 RSA LS", "vegas-6d-h17", {"decks": 8}, "CDZ-"),
    ("1 deck", "single-deck", {}, "CDZ-"),
    ("infinite deck", "infinite", {}, "CDZ-"),
    ("3 decks, Combo and Charlie", "combo-charlie", {}, "CDZ-"),
]


def seconds(work: Callable[[], object], repeat: int) -> float:
    """The least CPU time of a few runs, after one that compiles."""
    work()
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def textbook(shoe: tuple[int, ...], up: int) -> tuple[float, ...]:
    """17, 18, 19, 20, 21 (naturals included) and bust, by recursion over the draws."""

    @cache
    def draw(left: tuple[int, ...], hard: int, ace: bool) -> tuple[float, ...]:
        total = hard + 10 * (ace and hard <= 11)
        if total > 16:
            return tuple(float(k == min(total - 17, 5)) for k in range(6))
        cards = sum(left)
        result = [0.0] * 6
        for card, count in enumerate(left):
            if count:
                rest = (*left[:card], count - 1, *left[card + 1 :])
                for k, p in enumerate(draw(rest, hard + card + 1, ace or card == 0)):
                    result[k] += count / cards * p
        return tuple(result)

    return draw(shoe, up + 1, up == 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    print(f"{'rules':<28}{'convention':<12}{'EV %':>11}{'CPU s':>9}")
    for name, preset, changes, convention in TABLES:
        rules = rules_from(preset, changes)
        spent = seconds(lambda r=rules, c=convention: analyse(r, convention=c).ev, repeat)
        value = analyse(rules, convention=convention).ev
        print(f"{name:<28}{convention:<12}{100 * value:>11.6f}{spent:>9.3f}")
    for preset in ("vegas-6d-s17", "single-deck", "combo-charlie"):
        rules = rules_from(preset)
        spent = seconds(lambda r=rules: best_chart(r), repeat)
        print(f"{'best chart, ' + preset:<40}{'':>11}{spent:>9.3f}")
    rules = rules_from("vegas-6d-s17")
    up, hands = 5, list(combinations_with_replacement(range(10), 2))
    analysis = analyse(rules)
    num_hands = int((analysis.engine.column(up).stand != 0).sum())
    ours = seconds(lambda: analyse(rules).engine.column(up), repeat) / num_hands
    start = time.process_time()
    for cards in hands:
        shoe = list(fresh_shoe(6))
        for card in (*cards, up):
            shoe[card] -= 1
        textbook(tuple(shoe), up)
    plain = (time.process_time() - start) / len(hands)
    print(f"one hand against one dealer up card: ours {1e6 * ours:.2f} µs,", end=" ")
    print(f"textbook recursion {1e6 * plain:.0f} µs, ratio {plain / ours:.0f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
