"""How fast PokerStars' text is read, played and checked, compared with PokerKit's reader.

    python benchmarks/hand_histories.py [--hands 2000]

The hands are random ones at a table of six, most of them folded before the flop as people do. Both
readers get the same text in one run; CPU time counts, the best of three rounds.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections.abc import Callable
from decimal import Decimal

from riverboat.games.base import CHANCE, TERMINAL
from riverboat.holdem.histories._pokerstars import parse_pokerstars
from riverboat.holdem.histories._pokerstars_writing import write_pokerstars_hands
from riverboat.holdem.histories.hand import PhhHand
from riverboat.holdem.rules.state import Holdem


def random_hand(rng: random.Random, number: int) -> PhhHand:
    """A hand in cents with blinds of 25 and 50; tight before the flop, loose after it."""
    stacks = tuple(rng.randint(2_000, 10_000) for _ in range(6))
    game = Holdem(players=6, stacks=stacks, small_blind=25, big_blind=50)
    deck = list(game.deck)
    rng.shuffle(deck)
    state = game.start().deal_from(deck)
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            state = state.deal_from(deck)
            continue
        actions, mark = state.actions(), rng.random()
        raises = state.betting.raise_range()
        if state.betting.to_call and mark < (0.75 if not state.board else 0.4):
            state = state.after("f")
        elif raises and mark > 0.85:
            state = state.after(f"r{min(raises[1], 3 * raises[0])}")
        else:
            state = state.after("c" if "c" in actions else actions[0])
    return PhhHand(state, Decimal("0.01"), fields={"hand": number, "currency_symbol": "$"})


def best(task: Callable[[], int], rounds: int = 3) -> float:
    """CPU seconds of the quickest round."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        task()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=2000)
    hands = parser.parse_args().hands
    rng = random.Random(1)
    text = "".join(write_pokerstars_hands(random_hand(rng, i + 1) for i in range(hands)))
    few = "".join(write_pokerstars_hands(random_hand(rng, i + 1) for i in range(hands // 20)))

    def ours() -> int:
        return sum(isinstance(found, PhhHand) for found in parse_pokerstars(text))

    def theirs() -> int:
        from pokerkit import HandHistory

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sum(1 for _ in HandHistory.from_pokerstars(few))

    assert ours() == hands
    mine = hands / best(ours)
    print(
        f"riverboat  {mine:>8,.0f} hands per CPU second ({len(text) / hands:,.0f} characters each)"
    )
    peer = (hands // 20) / best(theirs)
    print(f"PokerKit   {peer:>8,.0f} hands per CPU second")
    print(f"ratio      {mine / peer:>8.1f}")


if __name__ == "__main__":
    main()
