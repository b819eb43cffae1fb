"""What local best response wins from the searching player and from its blueprint.

Before the flop the search plays its blueprint, so LBR wins the same from both up to there. What is
measured is the difference from the flop on (or from the turn on, for a search that plays its
blueprint on the flop, too):

1. A board is sampled. LBR plays the blueprint on it up to that street, all hands at once
   (strength/lbr.py); that gives every betting line that reaches it, with both players' hands.
2. One line is sampled, with probability p in proportion to the pairs of hands that reach it times
   the pot.
3. From there LBR is played against the search (range_walk.py) and against the blueprint on the
   same cards. (search − blueprint) / p is an estimate of the difference on this board, and the
   mean over boards one of the difference in the game, without bias.

The blueprint's own figure is exact for the board, up to four raises. Draw number i follows from the
seed and i alone, so draws can be made anywhere and in any order. The search has no clock here: its
trees are those for its seconds, and every solve has all its iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from riverboat.cards.card import cards_text
from riverboat.cards.combos import NUM_COMBOS
from riverboat.games.base import Action
from riverboat.holdem.blueprints.abstract_play import Estimate, estimate
from riverboat.holdem.blueprints.betting_tree import parse_raise_sizes
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.lbr import RAISES, Exploiter, StreetEntries, draw_boards
from riverboat.holdem.blueprints.pot_shares import meets
from riverboat.holdem.rules.betting import Street
from riverboat.holdem.rules.state import HoldemState
from riverboat.holdem.search._options import SearchOptions
from riverboat.holdem.search._range_walk import AllHandsWalk, LineDraw, Policy, run_draws
from riverboat.holdem.search.searcher import Searcher
from riverboat.runtime.array_types import F64, U8

LINES: dict[int, int] = {Street.FLOP: 5, Street.TURN: 2}
"""By where the walk begins: lines that are played on each later street, of all that reach it."""
MIN_SHARE: dict[int, float] = {Street.FLOP: 0.1, Street.TURN: 0.01}
"""By where the walk begins: lines with a smaller part of pairs times pot are dropped at random."""
MAX_RAISES = 4  # With more, the blueprint's lines are sampled too: there are too many to play all
MANY = ("0.25p", "0.33p", "0.5p", "0.75p", "1p", "1.5p", "2p", "a")  # The raises of `many`


@dataclass(frozen=True)
class LbrDraw(LineDraw):
    """A line to a flop or turn, and what LBR wins there; chips of both seats' mean."""

    blueprint: float
    """What LBR wins from the blueprint on this board, all lines; an estimate for many raises."""
    from_blueprint: float  # What of it in this line from there on,
    from_search: float  # and what it wins there from the search
    asked: int  # Decisions the search was asked for

    @property
    def difference(self) -> float:
        """How much more it wins from the search: an estimate for the whole board."""
        return (self.from_search - self.from_blueprint) / self.chance


@dataclass(frozen=True, eq=False)
class SearchLbrResult:
    """What LBR wins on average, in mbb/g with 95 % intervals."""

    draws: tuple[LbrDraw, ...]
    unit: float

    @property
    def blueprint(self) -> Estimate:
        """From the blueprint, on the same boards."""
        return estimate(np.array([draw.blueprint for draw in self.draws]), self.unit)

    @property
    def difference(self) -> Estimate:
        """How much more from the search."""
        return estimate(np.array([draw.difference for draw in self.draws]), self.unit)

    @property
    def search(self) -> Estimate:
        """From the search."""
        values = [draw.blueprint + draw.difference for draw in self.draws]
        return estimate(np.array(values), self.unit)

    def figures(self) -> dict[str, Estimate]:
        """All three by name."""
        return {
            "local best response wins": self.search,
            "local best response wins, blueprint": self.blueprint,
            "more than from the blueprint": self.difference,
        }


def exploiter_sizes(text: str) -> tuple[str, ...]:
    """The raises of LBR from "0.5p,1p,a"; "fc" for none: it only folds and calls; "many"."""
    named = {"fc": (), "many": MANY}
    word = text.strip()
    return named[word] if word in named else parse_raise_sizes(text, "--raises")


class SearchLbr:
    """Sample lines that begin on the flop or the turn; by default where the search begins."""

    def __init__(
        self,
        blueprint: Blueprint,
        options: SearchOptions,
        raises: Sequence[str] = RAISES,
        *,
        street: int | None = None,
        lines: int | None = None,
        min_share: float | None = None,
    ) -> None:
        self.blueprint, self.options, self.raises = blueprint, options, tuple(raises)
        street = (Street.FLOP if options.flop else Street.TURN) if street is None else street
        self.street = street
        self.lines = LINES[street] if lines is None else lines
        self.min_share = MIN_SHARE[street] if min_share is None else min_share
        self.whole = len(self.raises) <= MAX_RAISES
        last = 3 if self.whole else street - 1
        self.exploiter = Exploiter(blueprint, raises, salt=options.salt, last=last)

    def draw(self, number: int, seed: int) -> LbrDraw:
        """The draw of a number; it follows from both numbers alone."""
        board = draw_boards(number + 1, seed)[number]
        rng = np.random.default_rng([seed, number, 1])
        entries = self.exploiter.to_street(board, self.street)
        weight = _weights(entries)
        chances = weight / weight.sum()
        drawn = int(rng.choice(len(chances), p=chances))
        history, seat = self.exploiter.tree.history(int(entries.nodes[drawn]))
        kept, whole = self._from_blueprint(entries, drawn, float(chances[drawn]), board)
        searcher = Searcher(self.blueprint, self.options, clock=False)
        walk = self.walk(searcher.all_hands, board, seat, rng)
        value = self.play(walk, entries, drawn, history)
        return LbrDraw(
            number,
            cards_text(board.tolist()),
            history,
            float(chances[drawn]),
            len(chances),
            entries.before + whole,
            kept,
            value,
            walk.asked,
        )

    def _from_blueprint(
        self, entries: StreetEntries, number: int, chance: float, board: U8
    ) -> tuple[float, float]:
        """What LBR wins from the blueprint in a line, and in all lines of the board.

        With many raises there are too many lines for that. Then the line is walked as against the
        search, with more of it played, and stands for all of them by its probability.
        """
        if self.whole:
            every = np.arange(len(entries.nodes))
            kept = self.exploiter.from_street(entries, np.array([number]))
            return kept, self.exploiter.from_street(entries, every)
        history, seat = self.exploiter.tree.history(int(entries.nodes[number]))
        walk = self.walk(self._blueprint_plays, board, seat, np.random.default_rng(number))
        walk.lines, walk.min_share = 4 * self.lines, self.min_share / 4
        kept = self.play(walk, entries, number, history)
        return kept, kept / chance

    def _blueprint_plays(self, state: HoldemState) -> tuple[tuple[Action, ...], F64]:
        return self.blueprint.all_hands(state, self.options.salt)

    def walk(self, policy: Policy, board: U8, seat: int, rng: np.random.Generator) -> AllHandsWalk:
        """A walk against a player who follows `policy`, on a board."""
        cards = tuple(board.tolist())
        return AllHandsWalk(policy, self.raises, cards, seat, rng, self.lines, self.min_share)

    def play(self, walk: AllHandsWalk, entries: StreetEntries, number: int, history: str) -> float:
        """What the exploiter wins from one of the lines on, both seats averaged."""
        cards = entries.street + 2
        state = self.blueprint.rules.resume([[], []], walk.board[:cards], history)
        for size, part in zip((3, 4), entries.deal.shares[1:], strict=True):
            live = entries.order[: len(part)]
            walk.shares[size] = np.zeros((NUM_COMBOS, NUM_COMBOS), np.float32)
            walk.shares[size][np.ix_(live, live)] = part
        theirs, mine = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
        theirs[entries.order] = entries.ranges[number]
        mine[entries.order] = entries.hands[number]
        return walk.value(state, theirs, mine) / 2


def _weights(entries: StreetEntries) -> F64:
    """(K,) pairs of hands that come to each line's street, times the pot."""
    weights = np.zeros(len(entries.nodes))
    for number, pot in enumerate(entries.pots.tolist()):
        theirs, mine = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
        live = entries.order[: entries.live]
        theirs[live] = entries.ranges[number, : entries.live]
        mine[live] = entries.hands[number, : entries.live]
        weights[number] = pot * float(mine @ np.maximum(meets(theirs), 0.0))
    return weights


def search_lbr(
    blueprint: Blueprint,
    options: SearchOptions,
    draws: int,
    *,
    raises: Sequence[str] = RAISES,
    seed: int = 0,
    street: int | None = None,
    progress: Callable[[int], None] | None = None,
    play: Callable[[Sequence[int]], Iterable[LbrDraw]] | None = None,
) -> SearchLbrResult:
    """LBR against the search and its blueprint on `draws` boards.

    `play` makes the draws of given numbers, in order; without it this process does.
    """
    if play is None:
        maker = SearchLbr(blueprint, options, raises, street=street)
        play = partial(map, partial(maker.draw, seed=seed))
    game = blueprint.rules
    results = run_draws(draws, play, progress)
    return SearchLbrResult(results, float(game.big_blind or game.ante or 1))
