"""Players of twenty-one by name: `basic`, the exact optimum, and `q:FILE`, a learned table.

`basic` looks at every card and at the expected reward; `basic?state=points&objective=wins` looks
at less and counts wins. Where a table knows nothing it draws like the dealer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riverboat.errors import UnknownNameError, UsageError
from riverboat.games.base import Action, Game
from riverboat.players.player import View
from riverboat.players.roster import PlayerSpec
from riverboat.twentyone.game import HIT, STAND, dealer_draws
from riverboat.twentyone.information import INFORMATION, keys, state_key
from riverboat.twentyone.q_table import OBJECTIVES, QTable

__all__ = ["BasicPlayer", "QPlayer", "basic", "q", "seat_table"]


@dataclass(frozen=True)
class BasicPlayer:
    """Plays what exact enumeration found best."""

    name: str
    state: str
    hits: frozenset[str]
    """The keys of `state` at which to hit."""

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        return HIT if state_key(self.state, view.infoset) in self.hits else STAND


@dataclass(frozen=True)
class QPlayer:
    """Plays the action with the better average."""

    name: str
    table: QTable

    def choose(self, view: View, rng: np.random.Generator) -> Action:
        known = self.table.lookup(view.player, view.infoset)
        if known is None:
            return HIT if dealer_draws(view.infoset.partition("|")[0]) else STAND
        return max(known, key=known.__getitem__)


def basic(game: Game, spec: PlayerSpec) -> BasicPlayer:
    """`basic[?state=…&objective=…]`: the exact best play of twenty-one."""
    from riverboat.twentyone.optimum import optimum

    _check(game, spec, {"state", "objective"})
    state = spec.options.get("state", "composition")
    objective = spec.options.get("objective", "reward")
    if state not in INFORMATION:
        raise UnknownNameError.among("kind of state", state, INFORMATION)
    if objective not in OBJECTIVES:
        raise UnknownNameError.among("objective", objective, OBJECTIVES)
    _, best = optimum(state, objective)
    hits = frozenset(key for key, hit in zip(keys(state), best.tolist(), strict=True) if hit)
    return BasicPlayer(spec.text, state, hits)


def q(game: Game, spec: PlayerSpec) -> QPlayer:
    """`q:FILE`, or the file alone: plays a Q table of twenty-one."""
    _check(game, spec, set())
    if not spec.argument:
        raise UsageError("A player with a Q table is written q:FILE.")
    return QPlayer(spec.text, QTable.load(spec.argument))


def seat_table(game: Game, name: str, table: QTable) -> QPlayer:
    """The player of a table that was not read from a file."""
    if game.name != "twentyone":
        raise UsageError(f"A Q table plays twentyone, not {game.name}.")
    return QPlayer(name, table)


def _check(game: Game, spec: PlayerSpec, known: set[str]) -> None:
    if game.name != "twentyone":
        raise UsageError(f"The player {spec.name!r} plays twentyone, not {game.name}.")
    unknown = sorted(spec.options.keys() - known)
    if unknown:
        raise UsageError(f"The player {spec.name!r} has no option {unknown[0]!r}.")
