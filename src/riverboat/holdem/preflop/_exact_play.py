"""CFR+ for two or three players who go all-in or fold: every deal of classes counts, exactly.

Predictive CFR+ (Farina, Kroer and Sandholm, AAAI 2021): regrets stay above zero, the last regret
predicts the next one, and strategies are averaged with quadratic weights. Two players who play
for chips reach an equilibrium. With three, or with prizes, nothing guarantees that; the measured
gains of best responses say how near it is.

A player acts once in a hand. So a decision's counterfactual values are sums over the classes of
the others, weighted by their strategies: a tensor times one vector a player for each end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.combos import NUM_CLASSES
from riverboat.holdem.preflop._finishing_orders import subsets, weak_orders
from riverboat.holdem.preflop._matchups import Matchups
from riverboat.runtime.array_types import F64

if TYPE_CHECKING:
    from riverboat.holdem.preflop.push_fold import PushFold


@dataclass(frozen=True)
class Measured:
    """What strategies are worth."""

    values: F64  # (D, 2, 169) of folding and going all-in, times the chance to reach the decision
    reach: F64  # (D, 169) that chance: the class is dealt and the others act so
    ev: F64  # (P,)
    gains: F64  # (P,) of a best response; where deals are sampled, of one chosen on other deals
    sampled: Intervals | None = None  # None where every deal is counted


@dataclass(frozen=True)
class Intervals:
    """How far sampled figures may be off: half-widths of 95 % intervals, and a bound."""

    values: (
        F64  # (D, 2, 169) of the value of folding and going all-in at the decision; nan: unknown
    )
    ev: F64  # (P,)
    gains: F64  # (P,)
    bounds: F64
    """(P,) what no response gains more than, with 97.5 % confidence for each player."""


@dataclass(frozen=True)
class _End:
    """One end for one player: which decision and action of theirs lead to it, and its values."""

    decision: int  # -1 where the player never decides: all fold to the big blind
    action: int
    others: tuple[tuple[int, int], ...]  # Decision and action of each other player
    constant: float
    tensor: NDArray[Any] | None  # Chance times value, the player's classes first; None: constant


class ExactPlay:
    """The work of a run: `advance` iterates, `evaluate` measures the average strategy."""

    algorithm = "predictive CFR+"

    def __init__(self, game: PushFold, progress: Callable[[float], None] | None = None) -> None:
        self.game, self.deals = game, Matchups(game.num_players, progress)
        self.iterations, self.seconds = 0, 0.0
        self._ends = self._list_ends()
        shape = (len(game.decisions), 2, NUM_CLASSES)
        self._regrets, self._last = np.zeros(shape), np.zeros(shape)
        self._sum = np.zeros((len(game.decisions), NUM_CLASSES))
        self._forced = np.array([game.forced(decision) for decision in game.decisions])

    def _list_ends(self) -> list[list[_End]]:
        """For each player the ends of the game."""
        game, num_players = self.game, self.game.num_players
        numbers = {(decision.player, decision.code): i for i, decision in enumerate(game.decisions)}
        columns: list[F64] = []
        first: list[int] = []
        wanted: list[tuple[int, _End]] = []
        for allin in subsets(num_players):
            if allin == (num_players - 1,):
                continue  # Where all others fold, the last player has won without deciding
            code = sum(1 << seat for seat in allin)
            taken = [
                (numbers.get((seat, code & (1 << seat) - 1), -1), int(seat in allin))
                for seat in range(num_players)
            ]
            values = game.end_values(allin)
            for player in range(num_players):
                mine = values[:, player]
                others = tuple(decision for seat, decision in enumerate(taken) if seat != player)
                wanted.append((player, _End(*taken[player], others, float(mine[0]), None)))
                if np.ptp(mine) > 1e-12:
                    columns.append(mine[self._restricted(allin)])
                    first.append(player)
                    wanted[-1] = (player, _End(*taken[player], others, np.nan, None))
        # Where every player is indifferent to how the hands finish, there are no columns.
        tensors = self.deals.tensors(np.stack(columns, axis=1), tuple(first)) if columns else []
        remaining = iter(tensors)
        ends: list[list[_End]] = [[] for _ in range(num_players)]
        for player, end in wanted:
            tensor = next(remaining) if np.isnan(end.constant) else None
            ends[player].append(_End(end.decision, end.action, end.others, end.constant, tensor))
        return ends

    def _restricted(self, allin: tuple[int, ...]) -> list[int]:
        """For each order of all hands the place of the all-in hands' order in `weak_orders`."""
        places = {order: number for number, order in enumerate(weak_orders(len(allin)))}
        columns = []
        for order in self.deals.orders:
            among = [order[seat] for seat in allin]
            columns.append(places[tuple(sum(o < mine for o in among) for mine in among)])
        return columns

    def advance(self, count: int) -> None:
        """Iterate; the players update one after the other."""
        began = time.perf_counter()
        for _ in range(count):
            self.iterations += 1
            for player in range(self.game.num_players):
                strategy = self._current()
                values = self._values(player, strategy)[0]
                for number, decision in enumerate(self.game.decisions):
                    if decision.player == player:
                        self._learn(number, values[number], strategy[number])
            self._sum += self.iterations**2 * self._current()
        self.seconds += time.perf_counter() - began

    def _learn(self, number: int, values: F64, allin: F64) -> None:
        mean = allin * values[1] + (1 - allin) * values[0]
        regret = values - mean
        self._regrets[number] = np.maximum(self._regrets[number] + regret, 0.0)
        self._last[number] = regret

    def _current(self) -> F64:
        """(D, 169) the chance of going all-in."""
        expected = np.maximum(self._regrets + self._last, 0.0)
        total = expected.sum(axis=1)
        share = np.divide(expected[:, 1], total, out=np.full_like(total, 0.5), where=total > 0)
        share[self._forced] = 1.0
        return np.asarray(share)

    def average(self) -> F64:
        """(D, 169) the average strategy: the chance of going all-in."""
        last = self.iterations
        weights = last * (last + 1) * (2 * last + 1) // 6  # The sum of the squares up to it
        return np.clip(self._sum / max(1, weights), 0.0, 1.0)

    def _values(self, player: int, strategy: F64) -> tuple[F64, F64, float]:
        """A player's counterfactual values (D, 2, 169), their chances (D, 169), a walk's value."""
        num_decisions = len(self.game.decisions)
        values = np.zeros((num_decisions, 2, NUM_CLASSES))
        reach, walk = np.zeros((num_decisions, NUM_CLASSES)), 0.0
        for end in self._ends[player]:
            columns = [self._share(strategy, *other) for other in end.others]
            chances = self._contract(self.deals.weights, columns)
            if end.decision < 0:
                walk = end.constant * float(chances.sum())
                continue
            if end.tensor is None:
                values[end.decision, end.action] += end.constant * chances
            else:
                values[end.decision, end.action] += self._contract(end.tensor, columns)
            if end.action == 1:
                reach[end.decision] += chances
        return values, reach, walk

    def _contract(self, tensor: NDArray[Any], columns: list[F64]) -> NDArray[Any]:
        """(169,) a tensor summed over the other players' classes, with their weights (169,) each.

        One axis at a time: products of small matrices, for which BLAS starts no threads.
        """
        for column in reversed(columns):
            tensor = tensor @ column.astype(self.deals.dtype)
        return tensor

    def _share(self, strategy: F64, decision: int, action: int) -> F64:
        if decision < 0:
            return np.ones(NUM_CLASSES)
        return np.asarray(strategy[decision] if action else 1 - strategy[decision])

    def measure(self, strategy: F64) -> Measured:
        """Values, EVs and best responses of a strategy (D, 169)."""
        num_players = self.game.num_players
        values = np.zeros((len(self.game.decisions), 2, NUM_CLASSES))
        reach = np.zeros((len(self.game.decisions), NUM_CLASSES))
        ev, gains = np.zeros(num_players), np.zeros(num_players)
        for player in range(num_players):
            mine, arrives, walk = self._values(player, strategy)
            ev[player] = walk
            for number, decision in enumerate(self.game.decisions):
                if decision.player == player:
                    values[number], reach[number] = mine[number], arrives[number]
                    allin = strategy[number]
                    got = allin * mine[number, 1] + (1 - allin) * mine[number, 0]
                    ev[player] += got.sum()
                    if not self._forced[number]:
                        gains[player] += (mine[number].max(axis=0) - got).sum()
        return Measured(values, reach, ev, gains)

    def evaluate(self) -> float:
        """What the players gain by best responses, on average."""
        return float(self.measure(self.average()).gains.mean())
