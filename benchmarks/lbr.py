"""Local best response, all hands at once on every board, against the paper's hand-by-hand play.

    python benchmarks/lbr.py [--boards 40] [--deals 300] [--file BLUEPRINT]

Both are valid estimates of the same figure. The peer plays sampled hands of Lisý and Bowling's LBR
with the readable rules, already with the showdown averaged over the range. What counts is the CPU
time for the same interval: time × interval² is the same for any number of samples, and the ratio of
these products is printed. Without --file a small blueprint is trained first.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.blueprints.abstract_play import Estimate, estimate
from riverboat.holdem.blueprints.betting_tree import amount_of
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.duplicate_match import Range, blueprint_choice, pot_share_of
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.lbr import RAISES, local_best_response
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.rules.state import HoldemState
from riverboat.solvers.run import Limit

SMALL = {
    "game": {"stacks": 40},
    "bets": {"preflop": "0.5p,1p,a", "cap": 2},
    "cards": {"scheme": "percentile"},
}


class HandByHand:
    """The exploiter of the paper, one hand at a time."""

    def __init__(self, blueprint: Blueprint, rng: np.random.Generator) -> None:
        self.blueprint, self.rng = blueprint, rng
        self.mind = blueprint_choice(blueprint)

    def play(self, deck: list[int], seat: int) -> float:
        state = self.blueprint.rules.with_hands([deck[:2], deck[2:4]])
        rest, hand = deck[4:], state.holes[seat]
        held = Range(self.blueprint, hand)
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.deal([rest.pop() for _ in range(state.pending)])
                held.see_board(state.board)
            elif state.actor == seat:
                state = state.after(self.choose(state, held))
            else:
                action = self.mind(state, self.rng)
                held.see(state, action)
                state = state.after(action)
        betting = state.betting
        if not all(betting.in_hand):
            return state.returns()[seat]
        share = pot_share_of(hand, state.board, held.weights, self.rng)
        return share * betting.pot - (betting.rules.stacks[seat] - betting.stacks[seat])

    def choose(self, state: HoldemState, held: Range) -> Action:
        betting, hand = state.betting, state.holes[state.actor]
        share = pot_share_of(hand, state.board, held.weights, self.rng)
        worth = {"c": share * (betting.pot + betting.to_call) - betting.to_call}
        if betting.to_call:
            worth["f"] = 0.0
        allowed = betting.raise_range()
        for size in RAISES if allowed else ():
            action = f"r{amount_of(size, betting, allowed)}"
            after, put = state.after(action), -betting.bets[state.actor] + int(action[1:])
            actions, chances = self.blueprint.all_hands(after)
            folded = held.weights * chances[:, actions.index("f")]
            stay, total = held.weights - folded, held.weights.sum()
            share = pot_share_of(hand, state.board, stay, self.rng)
            called = share * (betting.pot + put + after.betting.to_call) - put
            worth[action] = (folded.sum() * betting.pot + stay.sum() * called) / total
        return max(worth, key=lambda action: worth[action])


def hand_by_hand(blueprint: Blueprint, deals: int, seed: int) -> Estimate:
    chance, play = np.random.default_rng(seed).spawn(2)
    exploiter = HandByHand(blueprint, play)
    results = np.empty(deals)
    for i in range(deals):
        deck = chance.permutation(52).tolist()
        results[i] = sum(exploiter.play(list(deck), seat) for seat in range(2)) / 2
    return estimate(results, float(blueprint.rules.big_blind))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=40)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--file", type=Path)
    options = parser.parse_args()
    if options.file is None:
        trainer = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(SMALL)), seed=1)
        trainer.run(Limit(iterations=600_000))
        blueprint = trainer.blueprint()
    else:
        blueprint = Blueprint.load(options.file)
    local_best_response(blueprint, 2)
    hand_by_hand(blueprint, 2, seed=0)
    marks = [time.process_time()]
    ours = local_best_response(blueprint, options.boards, seed=1).estimate
    marks.append(time.process_time())
    theirs = hand_by_hand(blueprint, options.deals, seed=1)
    marks.append(time.process_time())
    spent = [after - before for before, after in pairwise(marks)]
    print(f"all hands, {options.boards} boards:   {ours}, {spent[0]:.1f} CPU s")
    print(f"hand by hand, {options.deals} deals: {theirs}, {spent[1]:.1f} CPU s")
    ratio = spent[1] * theirs.ci95**2 / (spent[0] * ours.ci95**2)
    print(f"CPU time for the same interval: {ratio:,.0f} times less")


if __name__ == "__main__":
    main()
