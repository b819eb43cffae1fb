"""A match of the searching player against its blueprint, all hands of both at once.

A match of single hands needs tens of thousands of them before luck averages out, too many for a
player that thinks. Here only boards and betting lines are sampled:

1. A board is sampled. Up to the street on which the search begins to think both play the blueprint,
   so neither gains before. Every line that reaches it is known, with all hands of both.
2. One line is sampled, with probability p in proportion to the pairs of hands that reach it times
   the pot.
3. From there the search plays the blueprint with all hands, once from each seat (duplicate deals),
   with the same random numbers (range_walk.py). Blueprint against blueprint would win in one seat
   what it loses in the other, so what the search wins in both together is its gain. Divided by 2p
   it is an estimate of what it wins per game on this board, and the mean over boards one of what it
   wins in the game, without bias.

Draws follow from the seed, and the search has no clock, as in local_response.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from riverboat.cards.card import cards_text
from riverboat.errors import UsageError
from riverboat.holdem.blueprints.abstract_play import Estimate, estimate
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.lbr import can_be_exploited, draw_boards
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_walk import (
    BlueprintLines,
    Draws,
    LineDraw,
    MatchWalk,
    Policy,
    run_draws,
)
from riverboat.holdem.search.searcher import Searcher


@dataclass(frozen=True)
class MatchDraw(LineDraw):
    """A sampled line, and what the search wins from there on; chips per game."""

    wins: tuple[float, float]  # In the first seat and in the second
    asked: int  # Decisions the search was asked for

    @property
    def gain(self) -> float:
        """What it wins per game, both seats averaged: an estimate for the whole board."""
        return (self.wins[0] + self.wins[1]) / (2 * self.chance)

    @classmethod
    def from_dict(cls, row: dict[str, Any]) -> MatchDraw:
        """What `as_dict` gave."""
        return cls(**{**row, "wins": (row["wins"][0], row["wins"][1])})


@dataclass(frozen=True, eq=False)
class SearchMatchResult:
    """What the search wins on average, in mbb/g with its 95 % interval."""

    draws: tuple[MatchDraw, ...]
    unit: float

    @property
    def wins(self) -> Estimate:
        """From its blueprint."""
        return estimate(np.array([draw.gain for draw in self.draws]), self.unit)

    def figures(self) -> dict[str, Estimate]:
        """By name."""
        return {"search wins from its blueprint": self.wins}


class SearchMatch:
    """Makes draws."""

    def __init__(
        self, blueprint: Blueprint, options: SearchOptions, draws: Draws | None = None
    ) -> None:
        if not can_be_exploited(blueprint):
            raise UsageError("A match of all hands is for two players, 52 cards and four streets.")
        self.blueprint, self.options = blueprint, options
        self.draws = draws or Draws()
        self.street = Searcher(blueprint, options).first_street
        self.lines = BlueprintLines(blueprint)

    def draw(self, number: int, seed: int) -> MatchDraw:
        """The draw of a number; it follows from both numbers alone."""
        searcher = Searcher(self.blueprint, self.options, clock=False)
        return self.played(number, seed, searcher.all_hands)

    def played(self, number: int, seed: int, player: Policy) -> MatchDraw:
        """The same with any player in place of the search, which begins on that street."""
        shown = sum(self.blueprint.rules.board_cards[: self.street + 1])
        board = tuple(draw_boards(number + 1, seed)[number].tolist())[:shown]
        points = self.lines.to(self.street, board)
        weight = np.array([point.weight for point in points])
        chances = weight / weight.sum()
        drawn = int(np.random.default_rng([seed, number, 1]).choice(len(points), p=chances))
        blueprint = partial(self.blueprint.all_hands, salt=self.options.salt)
        walks = [
            MatchWalk(player, blueprint, seat, np.random.default_rng([seed, number, 2]), self.draws)
            for seat in (0, 1)
        ]
        wins = [walk.value(points[drawn]) for walk in walks]
        return MatchDraw(
            number,
            cards_text(board),
            points[drawn].state.history,
            float(chances[drawn]),
            len(points),
            (float(wins[0]), float(wins[1])),
            sum(walk.asked for walk in walks),
        )


def search_match(
    blueprint: Blueprint,
    options: SearchOptions,
    draws: int,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
    play: Callable[[Sequence[int]], Iterable[MatchDraw]] | None = None,
) -> SearchMatchResult:
    """The search against its blueprint on `draws` boards.

    `play` makes the draws of given numbers, in order; without it this process does.
    """
    if play is None:
        maker = SearchMatch(blueprint, options)
        play = partial(map, partial(maker.draw, seed=seed))
    game = blueprint.rules
    results = run_draws(draws, play, progress)
    return SearchMatchResult(results, float(game.big_blind or game.ante or 1))
