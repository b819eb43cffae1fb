"""Strength inside an abstract hold'em game: self-play by seat, against simple opponents, and the
best response that can be learned there.

All play millions of deals in the compiled abstract game. They are quick and exact about it, and say
nothing of how much the abstraction itself gives away: for that see lbr.py and matches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.evaluation.estimates import half_width
from riverboat.holdem.abstraction.deals import Deals
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame
from riverboat.holdem.blueprints.trainer import Batch, Pruning, arrays_of, desk_for, play_out, walk
from riverboat.runtime.array_types import F32, F64
from riverboat.runtime.compiled import stream

UNIFORM, CALLER = -1, -2  # Opponents that `play_out` knows
ROOT = np.uint64(0)
BATCH = 4096


@dataclass(frozen=True)
class Estimate:
    """A mean with half its 95 % interval, in thousandths of a big blind per game."""

    mean: float
    ci95: float
    games: int

    def __str__(self) -> str:
        return f"{self.mean:+z,.0f} ± {self.ci95:,.0f} mbb/g"


def estimate(chips: F64, unit: float, games: int | None = None) -> Estimate:
    """From independent results in chips; `games` where each of them stands for several."""
    values = 1000.0 * chips / unit
    squares = float(((values - values.mean()) ** 2).sum())
    width = half_width(len(values), squares)
    return Estimate(float(values.mean()), width, games or len(values))


def table_of(blueprint: Blueprint) -> F32:
    """A trainer's table whose averages are the blueprint's probabilities; regrets are zero."""
    table = np.zeros(2 * len(blueprint.weights), np.float32)
    halves = _blocks(blueprint.abstract, blueprint.weights, 2)
    for (_, offset, count), numbers, parts in zip(
        blueprint.abstract.tree.infosets.tolist(),
        _blocks(blueprint.abstract, table),
        halves,
        strict=True,
    ):
        averages = parts[:, offset // 2 : offset // 2 + count]
        numbers[:, offset + count : offset + 2 * count] = averages
    return table


def _blocks(abstract: AbstractGame, table: NDArray[Any], parts: int = 1) -> Iterator[NDArray[Any]]:
    """For each infoset of the betting the numbers (buckets, stride) in which its own lie.

    `parts` 2 is for a table without the regrets.
    """
    tree, buckets = abstract.tree, abstract.buckets.num_buckets
    starts, streets = tree.starts(buckets) // parts, tree.game.num_streets
    for row in tree.infosets[:, 0].tolist():
        first, last, stride = int(starts[row]), int(starts[row + 1]), int(tree.strides[row])
        yield table[first:last].reshape(buckets[row % streets], stride // parts)


def unit_of(abstract: AbstractGame) -> float:
    """The chips of a big blind, or of whatever is bet first."""
    game = abstract.tree.game
    return float(game.big_blind or game.ante or 1)


def _returns(
    abstract: AbstractGame, tables: F32, seatings: list[list[int]], deals: int, seed: int
) -> F64:
    """(deals, seatings, P): every deal is played once with each seating."""
    tree = abstract.tree
    arrays = arrays_of(tree, tree.starts(abstract.buckets.num_buckets))
    source = Deals(tree.game, abstract.buckets, seed, 0, BATCH)
    generator = np.array([stream(seed % 2**64, 1)], np.uint64)
    rows = np.zeros(len(tree.strides), np.uint64)
    result = np.empty((deals, len(seatings), tree.game.players))
    for first in range(0, deals, BATCH):
        count = min(BATCH, deals - first)
        batch = Batch(*source.next(count))
        for i, seats in enumerate(seatings):
            out = np.empty((count, tree.game.players))
            play_out(arrays, tables, np.array(seats), ROOT, batch, generator, rows, out)
            result[first : first + count, i] = out
    return result


def seat_values(
    abstract: AbstractGame, table: F32, *, deals: int = 100_000, seed: int = 0
) -> list[Estimate]:
    """What each seat wins when all follow the averages of `table`; they sum to zero."""
    players = abstract.tree.game.players
    returns = _returns(abstract, table[None], [[0] * players], deals, seed)[:, 0]
    return [estimate(returns[:, seat], unit_of(abstract)) for seat in range(players)]


def against(
    abstract: AbstractGame,
    table: F32,
    opponent: int = CALLER,
    *,
    deals: int = 20_000,
    seed: int = 0,
) -> Estimate:
    """One seat follows `table`, all others `opponent`; every deal is played from each seat."""
    players = abstract.tree.game.players
    seatings = [[0 if p == seat else opponent for p in range(players)] for seat in range(players)]
    returns = _returns(abstract, table[None], seatings, deals, seed)
    mine = returns[:, np.arange(players), np.arange(players)].mean(axis=1)
    return estimate(mine, unit_of(abstract), deals * players)


def learned_response(
    abstract: AbstractGame,
    table: F32,
    *,
    deals: int = 1_000_000,
    test_deals: int = 200_000,
    seed: int = 0,
) -> tuple[Estimate, list[Estimate]]:
    """How much a best response inside the abstraction wins, as far as `deals` deals can teach it.

    For each of the two players regrets are learned against the fixed averages; the response takes
    the action of highest regret everywhere, and is then measured on other deals. The first estimate
    is half the sum of the two: a lower bound of the exploitability there, in mbb per game.
    """
    tree = abstract.tree
    if tree.game.players != 2:
        raise UsageError("A response is measured for two players only.")
    values = []
    for responder in range(2):
        learned = _learn_response(abstract, table, responder, deals, seed)
        seats = [1 if p == responder else 0 for p in range(2)]
        tables = np.stack([table, learned])
        returns = _returns(abstract, tables, [seats], test_deals, seed + 1)[:, 0, responder]
        values.append(returns)
    unit = unit_of(abstract)
    both = estimate((values[0] + values[1]) / 2, unit, 2 * test_deals)
    return both, [estimate(returns, unit) for returns in values]


def _learn_response(
    abstract: AbstractGame, table: F32, responder: int, deals: int, seed: int
) -> F32:
    """A table whose averages are the responder's pure response."""
    tree = abstract.tree
    streets = tree.game.num_streets
    learned = np.zeros_like(table)
    infosets = tree.infosets.tolist()
    for (row, offset, count), numbers, fixed in zip(
        infosets, _blocks(abstract, learned), _blocks(abstract, table), strict=True
    ):
        if row // streets != responder:
            # Regret matching on the averages draws from the averages.
            numbers[:, offset : offset + count] = fixed[:, offset + count : offset + 2 * count]
    source = Deals(tree.game, abstract.buckets, seed, 1, BATCH)
    generator = np.array([stream(seed % 2**64, 3)], np.uint64)
    desk = desk_for(tree, generator, np.zeros(2, np.int64))
    arrays = arrays_of(tree, tree.starts(abstract.buckets.num_buckets))
    never = Pruning(np.float32(-3e38), 0.0, np.float32(-3e38))
    for first in range(0, deals, BATCH):
        batch = Batch(*source.next(min(BATCH, deals - first)))
        walk(arrays, learned, batch, responder, responder + 1, False, never, desk)
    for (row, offset, count), numbers in zip(infosets, _blocks(abstract, learned), strict=True):
        if row // streets == responder:
            regrets = numbers[:, offset : offset + count]
            best = regrets.argmax(axis=1)
            numbers[np.arange(len(best)), offset + count + best] = regrets.any(axis=1)
    return learned
