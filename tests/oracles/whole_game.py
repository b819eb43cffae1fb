"""Exact best responses over a whole game with a small deck, whoever is asked what he does.

The game is walked by what everybody sees, the betting and the board, with all hands of both
players at once. At each decision of the one who is measured he is asked for his actions with every
hand: a blueprint, or a search that solves the rest of the hand. His opponent takes, with each hand,
the best of all actions that the rules allow.

Boards that differ only by the names of suits are walked once, and the player is asked about that
one. So he is measured as somebody who renames suits before he looks, which costs nobody anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS, suit_permutations
from riverboat.errors import UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action
from riverboat.holdem.abstraction.deals import has_two_cards
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.pot_shares import end_values, shares_against, without
from riverboat.holdem.rules.state import Holdem, HoldemState
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_walk import Policy
from riverboat.holdem.search.searcher import Searcher
from riverboat.trees.best_response import Evaluation

__all__ = ["AskedSearch", "WholeGame"]

Doubles = NDArray[np.float64]
MAX_CARDS = 24
"""Of a deck; with more there are too many boards."""


class WholeGame:
    """A game of two players with two cards each and a small deck."""

    def __init__(self, game: Holdem) -> None:
        if game.players != 2 or not has_two_cards(game) or sum(game.board_cards) != 5:
            raise UsageError("Best responses are exact for two players, two cards, boards of five.")
        if len(game.deck) > MAX_CARDS:
            raise UsageError(f"A deck of {len(game.deck)} cards has too many boards to walk.")
        self.game = game
        cards, combos = suit_permutations()
        deck = set(game.deck)
        kept = [g for g in range(len(cards)) if {int(cards[g, card]) for card in deck} == deck]
        self._cards = cards[kept].astype(np.int64)
        self._combos = combos[kept].astype(np.int64)
        held = np.isin(COMBO_CARDS, game.deck).all(axis=1)
        self._in_deck: Doubles = np.asarray(held, np.float64)

    def evaluation(self, policy: Policy) -> Evaluation:
        """Who wins what when both play by `policy`, and what the best answers to it win."""
        first = self._wins(policy, 0, respond=False)
        best = [self._wins(policy, seat, respond=True) for seat in (0, 1)]
        return Evaluation([first, -first], best)

    def _wins(self, policy: Policy, seat: int, *, respond: bool) -> float:
        every = list(range(len(self._cards)))
        start = self.game.with_hands([[], []])
        values = self._values(policy, start, self._in_deck, every, seat, respond)
        num = len(self.game.deck)
        return float(values.sum()) / (comb(num, 2) * comb(num - 2, 2))

    def _values(
        self,
        policy: Policy,
        state: HoldemState,
        theirs: Doubles,
        group: Sequence[int],
        seat: int,
        respond: bool,
    ) -> Doubles:
        """(1326,) what each hand of the seat wins, summed over the opponent's by their weights.

        `group` are the renamings of suits that change nothing so far.
        """
        if not theirs.any():
            return np.zeros(NUM_COMBOS)
        if state.actor == TERMINAL:
            shares = partial(shares_against, state.board)
            won = end_values(state.betting, seat, theirs, shares) * self._in_deck
            return without(won, state.board)
        if state.actor == CHANCE:
            total = np.zeros(NUM_COMBOS)
            for cards, images, keep in self._deals(state, group):
                after, left = state.deal(cards), without(theirs, cards)
                values = self._values(policy, after, left, keep, seat, respond)
                for image in images:
                    total[self._combos[image]] += values
            return total / comb(len(state.unseen()) - 4, state.pending)
        if state.actor == seat and respond:
            found = [
                self._values(policy, state.after(action), theirs, group, seat, respond)
                for action in state.actions()
            ]
            return np.asarray(np.max(found, axis=0))
        actions, chances = policy(state)
        total = np.zeros(NUM_COMBOS)
        for number, action in enumerate(actions):
            part = chances[:, number]
            left = theirs if state.actor == seat else theirs * part
            values = self._values(policy, state.after(action), left, group, seat, respond)
            total += values * part if state.actor == seat else values
        return total

    def _deals(
        self, state: HoldemState, group: Sequence[int]
    ) -> Iterator[tuple[tuple[int, ...], list[int], list[int]]]:
        """Cards that may come, one set for each class of the same ones.

        With each a renaming to every set of the class, and those that leave the set as it is.
        """
        done: set[tuple[int, ...]] = set()
        for cards in combinations(sorted(state.unseen()), state.pending):
            if cards in done:
                continue
            images: dict[tuple[int, ...], int] = {}
            keep = []
            for g in group:
                image = tuple(sorted(int(card) for card in self._cards[g, list(cards)]))
                images.setdefault(image, g)
                if image == cards:
                    keep.append(g)
            done.update(images)
            yield cards, list(images.values()), keep


class AskedSearch:
    """The searching player, asked about all hands wherever it may have to decide."""

    def __init__(self, blueprint: Blueprint, options: SearchOptions) -> None:
        self.blueprint, self.options = blueprint, options
        self._known: dict[tuple[tuple[int, ...], str], tuple[tuple[Action, ...], Doubles]] = {}
        self._board: tuple[int, ...] = ()
        self._searcher = Searcher(blueprint, options, clock=False)

    def __call__(self, state: HoldemState) -> tuple[tuple[Action, ...], Doubles]:
        """Its actions and (1326, A) their probabilities."""
        key = state.board, state.history
        if key not in self._known:
            first = self._searcher.first_street
            if state.betting.street < first:
                return self.blueprint.all_hands(state, self.options.salt)
            board = state.board[: sum(state.game.board_cards[: first + 1])]
            if board != self._board:
                # What it thought about another board is not asked for again.
                self._board = board
                self._searcher = Searcher(self.blueprint, self.options, clock=False)
            self._known[key] = self._searcher.all_hands(state)
        return self._known[key]

    @property
    def asked(self) -> int:
        """Decisions that were thought about."""
        return len(self._known)
