"""Local best response: what a simple exploiter wins from a blueprint in the full game, heads-up.

Lisý and Bowling, "Equilibrium approximation quality of current no-limit poker bots" (AAAI 2017
workshop): LBR knows the blueprint's strategy and so its range. At each decision it compares a fold,
a call and a few raises as if both only checked and called afterwards, and takes the best. What it
wins is a lower bound of the exploitability in the real game, cards and bets as they are.

Departures: every deal is played from both seats, and a showdown counts as the average over the
blueprint's range (holdem_ranges.py), which keeps the mean and takes much of the luck out. Before
the flop the pot share is taken over random boards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from riverboat.abstraction.bets import amount_of
from riverboat.abstraction.blueprint import Blueprint
from riverboat.errors import UsageError
from riverboat.evaluation.abstract_play import Estimate, estimate
from riverboat.evaluation.holdem_match import blueprint_choice
from riverboat.evaluation.holdem_ranges import Range, pot_share_of
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.games.holdem import HoldemState
from riverboat.games.holdem_actions import CALL, FOLD

__all__ = ["RAISES", "local_best_response"]

RAISES = ("0.5p", "1p", "a")
"""The raises LBR looks at, as sizes of abstraction/bets.py."""


def local_best_response(
    blueprint: Blueprint,
    deals: int,
    *,
    raises: Sequence[str] = RAISES,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Estimate:
    """What LBR wins a game, in mbb, over `deals` deals played from both seats."""
    game = blueprint.rules
    if game.players != 2 or game.hole_cards != 2 or game.deck != tuple(range(52)):
        raise UsageError("Local best response is for two players and a whole deck.")
    chance, play = np.random.default_rng(seed).spawn(2)
    results = np.empty(deals)
    exploiter = _Exploiter(blueprint, tuple(raises), play)
    for deal in range(deals):
        deck = [int(card) for card in chance.permutation(52)]
        results[deal] = sum(exploiter.play(list(deck), seat) for seat in range(2)) / 2
        if progress is not None:
            progress(deal + 1)
    return estimate(results, float(game.big_blind or game.ante or 1), 2 * deals)


class _Exploiter:
    """Plays hands against a blueprint whose strategy it knows."""

    def __init__(
        self, blueprint: Blueprint, raises: tuple[str, ...], rng: np.random.Generator
    ) -> None:
        self.blueprint, self.raises, self.rng = blueprint, raises, rng
        self.mind = blueprint_choice(blueprint)

    def play(self, deck: list[int], seat: int) -> float:
        """One hand from a seat; the return, averaged over the range at a showdown."""
        game = self.blueprint.rules
        state = game.with_hands([deck[:2], deck[2:4]])
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
        """The action of highest value if nobody bet afterwards; folding is worth nothing."""
        betting, hand = state.betting, state.holes[state.actor]
        pot, to_call = betting.pot, betting.to_call
        share = pot_share_of(hand, state.board, held.weights, self.rng)
        best, worth = CALL, share * (pot + to_call) - to_call
        allowed = betting.raise_range()
        if allowed is not None:
            amounts = sorted({amount_of(size, betting, allowed) for size in self.raises})
            for amount in amounts:
                value = self.worth_of_raise(state, held, amount)
                if value > worth:
                    best, worth = f"r{amount}", value
        return FOLD if to_call and worth < 0 else best

    def worth_of_raise(self, state: HoldemState, held: Range, amount: int) -> float:
        betting, player = state.betting, state.actor
        after = state.after(f"r{amount}")
        # The blueprint sees its own cards only; LBR's, being in the state, are not looked at.
        folds, left = held.chance(after, FOLD)
        put = amount - betting.bets[player]
        answer = min(put - betting.to_call, betting.stacks[1 - player])
        if folds >= 1:
            return float(betting.pot)
        share = pot_share_of(state.holes[player], state.board, left, self.rng)
        called = share * (betting.pot + put + answer) - put
        return folds * betting.pot + (1 - folds) * called
