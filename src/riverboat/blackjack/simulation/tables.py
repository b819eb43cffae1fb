"""Tables: a simulation as the arrays that the kernels play, and blocks of rounds played by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from riverboat.blackjack.charts import published_chart
from riverboat.blackjack.rules import RANKS
from riverboat.blackjack.simulation.automaton import (
    MAX_HANDS,
    Automaton,
    CountTable,
    build_automaton,
    count_table,
)
from riverboat.blackjack.simulation.result import Simulation
from riverboat.errors import ParameterError
from riverboat.runtime.array_types import I64, U8, U32

if TYPE_CHECKING:
    from riverboat.blackjack.simulation._shoe_kernels import Setup

ROUNDS_PER_TABLE = 1 << 12  # A block plays no more tables than keep this many rounds each
_TENTHS = 10
_WHOLE_WORD = (1 << 32) - 1


@dataclass(frozen=True)
class Tables:
    """A simulation compiled into the kernel's arrays."""

    simulation: Simulation
    game: Automaton
    count: CountTable

    @classmethod
    def of(cls, simulation: Simulation) -> Tables:
        rules, counter = simulation.rules, simulation.counter
        count = count_table(rules, counter)
        chart = simulation.chart or published_chart(rules)
        deviations = counter.deviations if counter else ()
        game = build_automaton(rules, chart, count, deviations, simulation.others)
        return cls(simulation, game, count)

    def histogram(self) -> I64:
        """An empty histogram, wide enough for every hand doubled and insured."""
        rules = self.simulation.rules
        limits = [rules.split_limit(ace=ace) or MAX_HANDS for ace in (False, True)]
        width = 2 * (2 * _TENTHS * max(limits) + _TENTHS) + 1
        return np.zeros((len(self.count.edges) + 1, width), np.int64)

    def block(self, rounds: int, counter: int) -> I64:
        """Rounds from fresh shoes with the random words from `counter` on, as a histogram."""
        from riverboat.blackjack.simulation._shoe_kernels import LANES

        tables = max(1, min(int(LANES), rounds // ROUNDS_PER_TABLE))
        fresh = np.repeat(np.arange(13, dtype=np.uint8), self.simulation.shoe_size // 13)
        return self._play(np.tile(fresh, tables), rounds, counter, _WHOLE_WORD)[0]

    def stacked(self, shoe: str, rounds: int = 1) -> tuple[I64, int]:
        """Rounds from one shoe in the order it is in: the histogram and how many cards are out."""
        if len(shoe) != self.simulation.shoe_size:
            raise ParameterError(f"The shoe must have {self.simulation.shoe_size} cards.")
        cards = np.array([RANKS.index(rank) for rank in shoe], np.uint8)
        histogram, out = self._play(cards, rounds, 0, 0)
        return histogram, int(out[0])

    def _play(self, cards: U8, rounds: int, counter: int, mask: int) -> tuple[I64, U32]:
        from riverboat.blackjack.simulation._shoe_kernels import play_block

        game, histogram = self.game, self.histogram()
        out = play_block(
            self._setup(mask), game.nexts, game.answer, game.dealer, game.pay, game.ranks,
            game.bins, game.levels, game.insure, cards, np.uint64(rounds), np.uint64(counter),
            histogram,
        )  # fmt: skip
        return histogram, out

    def _setup(self, mask: int) -> Setup:
        from riverboat.blackjack.simulation._shoe_kernels import Setup

        simulation = self.simulation
        infinite = simulation.rules.decks == "infinite"
        return Setup(
            size=np.uint64(simulation.shoe_size),
            step=np.uint64(0 if infinite else 1),
            cut=np.uint64(simulation.cut),
            first_count=np.uint64(self.count.first),
            width=np.uint64(self.count.width),
            mask=np.uint64(mask),
            seats=np.uint64(simulation.seats),
            seat=np.uint64(simulation.seat),
            natural=np.uint64(self.game.natural),
            unplayed=np.uint64(self.game.unplayed),
            peek=simulation.rules.hole_card == "peek",
            whole=mask > 0 and not infinite,
        )
