"""Games with small decks in which a blueprint and the search on top of it are measured exactly.

Both players put in an ante and get two cards each from a deck of a few ranks and suits; nobody bets
before the flop; then come flop, turn and river with bets of any whole number of chips. The
blueprint is trained with coarse buckets: after the flop it knows only in which of a few parts of
all hands its own lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from riverboat.errors import UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import HoldemConfig
from riverboat.holdem.blueprints.trainer import train_blueprint
from riverboat.holdem.search._options import SearchOptions
from riverboat.trees.best_response import Evaluation
from whole_game import AskedSearch, WholeGame

__all__ = ["MODES", "SmallDeck"]

MODES = ("unsafe", "safe")
SIZES = "0.5p;1p;a"


@dataclass(frozen=True)
class SmallDeck:
    """A game, its blueprint's abstraction and how long that is trained."""

    ranks: int
    suits: int
    behind: int
    """Chips that each player has after the ante of 1."""
    parts: int
    """Of all hands that the blueprint tells apart after the flop, times four kinds of draw."""
    bets: str = "0.5p,1p,a"
    """The blueprint's; the search knows 0.5p, 1p and a."""
    deals: int = 200_000

    @property
    def cards(self) -> int:
        """In the deck."""
        return self.ranks * self.suits

    @property
    def config(self) -> HoldemConfig:
        """What the blueprint is trained by."""
        game = {
            "players": 2,
            "stacks": 1 + self.behind,
            "small_blind": 0,
            "big_blind": 0,
            "ante": 1,
            "ranks": self.ranks,
            "suits": self.suits,
            "max_raises": [0, 10, 10, 10],
        }
        parts = dict.fromkeys(("flop", "turn", "river"), self.parts)
        return HoldemConfig.from_table(
            {
                "game": game,
                "bets": {"preflop": self.bets},
                "cards": {"scheme": "percentile", **parts},
            }
        )

    @cached_property
    def blueprint(self) -> Blueprint:
        """Trained now."""
        return train_blueprint(self.config, iterations=self.deals, seed=1)

    def options(self, way: str, *, flop: bool = False) -> SearchOptions:
        """The search's, "safe" or "unsafe", from the turn on or from the flop on."""
        if way not in MODES:
            raise UsageError(f"Search is {' or '.join(MODES)}, not {way!r}.")
        given = {"safe": str(int(way == "safe")), "sizes": SIZES, "flop": str(int(flop))}
        return SearchOptions.read(given, "search")

    def evaluation(self, way: str = "", *, flop: bool = False) -> Evaluation:
        """Exact best responses in the whole game, to the blueprint or to the search on top."""
        game = WholeGame(self.blueprint.rules)
        if not way:
            return game.evaluation(self.blueprint.all_hands)
        return game.evaluation(AskedSearch(self.blueprint, self.options(way, flop=flop)))
