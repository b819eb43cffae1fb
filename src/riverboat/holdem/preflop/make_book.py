"""Make a book of a trained blueprint: every decision before the flop, with the value of each action
and what its seat could gain by deviating there.

    book = make_book(Blueprint.load("sixmax.rb"), deals=10_000_000)
    book.save("book.rb", small=True)

Frequencies are the blueprint's average strategy. Everything else is measured on deals that the
training has not seen, in the blueprint's own abstract game:

1. **Values.** At a decision the other players get hands from the ranges with which they arrive
   there (cards that are gone, also with folded players, count), the seat to act one of each class.
   Each of its actions is played to the end, all players following the blueprint from there on.
   Every action meets the same cards and the same random numbers. Decisions share the deals by the
   square root of their chance.
2. **Gain of a decision.** Half of its deals choose the best action of each class, where it beats
   the blueprint by more than chance (its 95 % interval lies above zero); the other half says what
   it gains. Then the halves change places. So the figure is not biased upward, and may fall below
   zero. It counts for every hand dealt, so the decision's chance is in it.
3. **Gain of a seat.** All its better actions together are played on new deals against the
   blueprint in the other seats, next to the blueprint itself with the same cards.

A line that is reached less often than `min_chance` is left out, with all that follows it. Gains are
lower bounds: a response that also deviates after the flop can win more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count as counting
from typing import Any

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, NUM_COMBOS, class_of_combos
from riverboat.errors import ParameterError, UsageError
from riverboat.evaluation.estimates import Z95
from riverboat.holdem.abstraction.deals import Deals, has_full_boards
from riverboat.holdem.blueprints.abstract_play import table_of, unit_of
from riverboat.holdem.blueprints.betting_tree import (
    ACTOR,
    COST,
    END,
    NODE_WIDTH,
    OFFSET,
    ROW,
    action_text,
)
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.trainer import Batch, arrays_of, play_out
from riverboat.holdem.preflop._range_deal_kernels import deal_ranges
from riverboat.holdem.preflop.node import CLASS_COMBOS, PreflopNode
from riverboat.holdem.preflop.solution import BOOK, PreflopSolution
from riverboat.holdem.rules.betting import Betting, open_betting
from riverboat.holdem.rules.seats import short_seat_names
from riverboat.runtime.array_types import F32, F64, I64
from riverboat.runtime.compiled import stream

MIN_CHANCE = 1e-5
MAX_DEALS = 10**10
MIN_ROUNDS, MIN_HELD_OUT = 2, 1_000
MIN_CHOICE = 100  # Deals of a class on which a better action may be chosen
MAX_TRIES = 1_000
ROUND = 2 * NUM_CLASSES  # Deals come in rounds: each class once for each half
MAX_ROUNDS = 48  # In one call of the kernels
HELD_OUT = 4  # Deals for values per deal that is played for the seats' gains
NEW_DEALS = 0xB00C
Report = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class _Line:
    """A decision before the flop: its node in the blueprint's tree, and how everybody got there."""

    node: int
    words: tuple[str, ...]
    betting: Betting
    actions: tuple[str, ...]
    frequencies: F64  # (A, 169)
    reach: F64  # (P, 169) how often each player plays each class towards it

    @property
    def hero(self) -> int:
        return self.betting.queue[0]

    @property
    def shares(self) -> F64:
        """(P,) how often each player gets here, if the others let it."""
        return np.asarray(self.reach @ CLASS_COMBOS / NUM_COMBOS)

    @property
    def chance(self) -> float:
        """How often a hand gets here, cards that two players share not counted."""
        return float(self.shares.prod())


@dataclass(eq=False)
class _Values:
    """Sums over the deals of one decision, by half and class; in big blinds."""

    deals: F64  # (2, 169)
    sums: F64  # (2, 169, A)
    products: F64  # (2, 169, A, A)
    tries: I64  # (169,)

    @classmethod
    def none(cls, actions: int) -> _Values:
        shape = (2, NUM_CLASSES)
        return cls(
            np.zeros(shape),
            np.zeros((*shape, actions)),
            np.zeros((*shape, actions, actions)),
            np.zeros(NUM_CLASSES, np.int64),
        )

    def add(self, cells: I64, values: F64) -> None:
        """Count deals: `cells` (D,) half · 169 + class, `values` (D, A)."""
        size = ROUND
        self.deals += np.bincount(cells, minlength=size).reshape(2, -1)
        for a in range(values.shape[1]):
            self.sums[..., a] += np.bincount(cells, values[:, a], size).reshape(2, -1)
            for b in range(a + 1):
                both = np.bincount(cells, values[:, a] * values[:, b], size).reshape(2, -1)
                self.products[..., a, b] += both
                if a != b:
                    self.products[..., b, a] += both


@dataclass(frozen=True, eq=False)
class _Moments:
    """Means of the actions' values and the covariance of these means."""

    means: F64  # (169, A); nan where a class was dealt less than twice
    spread: F64  # (169, A, A)
    deals: F64  # (169,) deals

    @classmethod
    def of(cls, deals: F64, sums: F64, products: F64) -> _Moments:
        known = np.where(deals > 1, deals, np.nan)
        means = sums / known[:, None]
        spread = products / known[:, None, None] - means[:, :, None] * means[:, None, :]
        return cls(means, spread / (known - 1)[:, None, None], deals)

    def along(self, weights: F64) -> tuple[F64, F64]:
        """(169,) mean and variance of the sum of the actions' values times `weights` (169, A)."""
        means = np.einsum("ca,ca->c", weights, self.means)
        spread = np.einsum("ca,cab,cb->c", weights, self.spread, weights)
        return means, np.maximum(spread, 0.0)

    def better(self, frequencies: F64) -> F64:
        """(169, A) the best action's share minus the blueprint's; 0 where it is not clearly better.

        With few deals the variance itself is not known, and a class stays as it is.
        """
        best = np.argmax(np.nan_to_num(self.means, nan=-np.inf), axis=1)
        change = np.eye(self.means.shape[1])[best] - frequencies.T
        gain, variance = self.along(change)
        clear = (gain > Z95 * np.sqrt(variance)) & (self.deals >= MIN_CHOICE)
        return np.where(clear[:, None], change, 0.0)


def make_book(
    blueprint: Blueprint,
    *,
    deals: int = 10_000_000,
    min_chance: float = MIN_CHANCE,
    seed: int = 1,
    threads: int = 1,
    progress: Report | None = None,
) -> PreflopSolution:
    """The book of a blueprint, measured on `deals` deals and a quarter as many for the seats.

    Args:
        blueprint: A trained one for whole decks, with every class of hands for itself.
        deals: Deals for the values of actions; each decision gets two for each class at least.
        min_chance: Lines with a smaller chance are left out.
        seed: The same seed gives the same book, with any number of threads.
        threads: Threads to play with.
        progress: Called with the share that is done.
    """
    rules = blueprint.rules
    if not has_full_boards(rules):
        raise UsageError("A book is for hold'em with 52 cards and boards of five.")
    blueprint = blueprint.with_tables(threads=threads)
    classes = np.arange(NUM_CLASSES, dtype=np.uint32)
    if not np.array_equal(classes[class_of_combos()], blueprint.buckets_on(())):
        raise UsageError("This blueprint has other buckets than the 169 classes before the flop.")
    if not 1 <= deals <= MAX_DEALS:
        raise ParameterError(f"A book takes 1 to {MAX_DEALS:,} deals, not {deals:,}.")
    if not 0 < min_chance < 1:
        raise ParameterError(f"The least chance of a line lies between 0 and 1, not {min_chance}.")
    lines = list(_lines(blueprint, min_chance))
    dealer = _Dealer(blueprint, seed)
    weights = np.sqrt([line.chance for line in lines])
    rounds = np.maximum(MIN_ROUNDS, np.rint(weights / weights.sum() * deals / ROUND)).astype(
        np.int64
    )
    held_out = max(MIN_HELD_OUT, deals // HELD_OUT)
    work = float(rounds.sum() * ROUND + held_out)
    report = progress or (lambda share: None)
    done, line_values = 0.0, []
    with ThreadPoolExecutor(threads) as pool:
        for number, values in enumerate(
            pool.map(dealer.values, lines, rounds.tolist(), counting())
        ):
            line_values.append(values)
            done += float(rounds[number]) * ROUND
            report(done / work)
        table = dealer.improved(lines, line_values)
        seats, parts = [], -(-held_out // dealer.batch)
        sizes = [min(dealer.batch, held_out - i * dealer.batch) for i in range(parts)]
        for played in pool.map(partial(dealer.play, table), counting(len(lines)), sizes):
            seats.append(played)
            report((done + held_out * len(seats) / parts) / work)
    how = {
        "value_deals": int(rounds.sum()) * ROUND,
        "held_out_deals": held_out,
        "least_chance": min_chance,
        "seed": seed,
    }
    return _book(blueprint, lines, line_values, seats, how)


def _lines(blueprint: Blueprint, min_chance: float) -> Iterator[_Line]:
    """Every decision before the flop that is reached often enough, each after what leads to it."""
    tree, rules = blueprint.abstract.tree, blueprint.rules
    unit, streets = unit_of(blueprint.abstract), rules.num_streets
    classes = np.arange(NUM_CLASSES, dtype=np.uint32)
    start = open_betting(rules.betting_rules)
    reach = np.ones((rules.players, NUM_CLASSES))
    waiting: list[tuple[int, tuple[str, ...], Betting, F64]] = [(0, (), start, reach)]
    while waiting:
        node, words, betting, reach = waiting.pop()
        actor, row = (int(tree.nodes[NODE_WIDTH * node + column]) for column in (ACTOR, ROW))
        if actor == END or row % streets:
            continue
        amounts = tree.actions(node).tolist()
        all_in = betting.bets[actor] + betting.stacks[actor]
        texts = [action_text(amount) for amount in amounts]
        named = tuple(
            "a" if amount == all_in else f"r{amount / unit:g}" if amount > 0 else text
            for amount, text in zip(amounts, texts, strict=True)
        )
        line = _Line(node, words, betting, named, blueprint.at(node, classes).T.copy(), reach)
        if line.chance < min_chance:
            continue
        yield line
        for i in reversed(range(len(amounts))):
            after = reach.copy()
            after[actor] *= line.frequencies[i]
            waiting.append(
                (tree.child(node, i), (*words, named[i]), betting.after(texts[i]), after)
            )


@lru_cache(maxsize=1)
def _members() -> tuple[I64, I64]:
    """(169, 12) the combos of each class, and (169,) how many they are."""
    members = np.zeros((NUM_CLASSES, 12), np.int64)
    for group in range(NUM_CLASSES):
        combos = np.flatnonzero(class_of_combos() == group)
        members[group, : len(combos)] = combos
    return members, CLASS_COMBOS.astype(np.int64)


class _Dealer:
    """Deals hands and plays them by a blueprint; threads may share it."""

    batch = ROUND * MAX_ROUNDS

    def __init__(self, blueprint: Blueprint, seed: int) -> None:
        # No stream of the training: the deals are new.
        self.blueprint, self.seed = blueprint, (seed ^ NEW_DEALS) % 2**64
        self.tree, self.buckets = blueprint.abstract.tree, blueprint.abstract.buckets
        self.starts = self.tree.starts(self.buckets.num_buckets)
        self.arrays = arrays_of(self.tree, self.starts)
        self.table: F32 = table_of(blueprint)
        self.unit = unit_of(blueprint.abstract)
        self.players = blueprint.rules.players

    def values(self, line: _Line, rounds: int, number: int) -> _Values:
        """Play every action of a decision on `rounds` rounds of deals."""
        tree, line_values = self.tree, _Values.none(len(line.actions))
        cumulative = np.cumsum(line.reach[:, class_of_combos()], axis=1)
        cumulative /= np.maximum(cumulative[:, -1:], 1e-300)
        generator = np.array([stream(self.seed, number)], np.uint64)
        cells = np.tile(np.arange(ROUND), min(rounds, MAX_ROUNDS))
        cards = np.empty((len(cells), 2 * self.players + 5), np.uint8)
        dealt = np.empty(len(cells), np.int64)
        members, sizes = _members()
        for first in range(0, rounds, MAX_ROUNDS):
            wanted = cells[: ROUND * min(MAX_ROUNDS, rounds - first)]
            count = deal_ranges(
                generator, cumulative, line.hero, wanted % NUM_CLASSES, members, sizes,
                COMBO_CARDS, MAX_TRIES, cards, dealt, line_values.tries,
            )  # fmt: skip
            batch = self._batch(cards[:count], line.betting.in_hand)
            values = np.empty((count, len(line.actions)))
            begun = generator[0]
            for a, action in enumerate(line.actions):
                if action == "f":
                    values[:, a] = -float(tree.nodes[NODE_WIDTH * line.node + COST])
                    continue
                generator[0] = begun  # The same random numbers for every action
                returns = self._play(self.table[None], tree.child(line.node, a), batch, generator)
                values[:, a] = returns[:, line.hero]
            line_values.add(wanted[dealt[:count]], values / self.unit)
        return line_values

    def _batch(self, cards: Any, in_hand: tuple[bool, ...]) -> Batch:
        """Buckets and strengths; buckets only of players who are in the hand."""
        game, streets = self.blueprint.rules, self.blueprint.rules.num_streets
        inside = np.flatnonzero(in_hand)
        columns = [
            *(2 * p + i for p in inside for i in (0, 1)),
            *range(2 * self.players, cards.shape[1]),
        ]
        some = np.empty((len(cards), len(inside), streets), np.uint32)
        self.buckets.assign(np.ascontiguousarray(cards[:, columns]), len(inside), some)
        buckets = np.zeros((len(cards), self.players, streets), np.uint32)
        buckets[:, inside] = some
        ranks = np.empty((len(cards), self.players), np.uint32)
        Deals(game, self.buckets, 0, 0, 1).rank(cards, ranks)
        return Batch(buckets, ranks)

    def _play(
        self, tables: F32, node: int, batch: Batch, generator: Any, seats: I64 | None = None
    ) -> F64:
        seats = np.zeros(self.players, np.int64) if seats is None else seats
        rows = np.zeros(len(self.tree.strides), np.uint64)
        returns = np.empty((len(batch.ranks), self.players))
        play_out(self.arrays, tables, seats, np.uint64(node), batch, generator, rows, returns)
        return returns

    def improved(self, lines: list[_Line], line_values: list[_Values]) -> F32:
        """(2, …) the blueprint's table, and one in which every seat takes its better actions."""
        tables = np.stack([self.table, self.table])
        for line, values in zip(lines, line_values, strict=True):
            pooled = _pooled(values)
            change = pooled.better(line.frequencies)
            row, offset = (
                int(self.tree.nodes[NODE_WIDTH * line.node + column]) for column in (ROW, OFFSET)
            )
            num_actions, stride = len(line.actions), int(self.tree.strides[row])
            first = int(self.starts[row]) + offset + num_actions
            places = first + stride * np.arange(NUM_CLASSES)[:, None] + np.arange(num_actions)
            changed = change.any(axis=1)
            tables[1, places[changed]] = (change + line.frequencies.T)[changed].round(6)
        return tables

    def play(self, tables: F32, number: int, deals: int) -> F64:
        """(4, P) sums over new deals: results, their squares, gains of better actions, theirs."""
        source = Deals(self.blueprint.rules, self.buckets, self.seed, number, deals)
        batch = Batch(*source.next(deals))
        begun = stream(self.seed, 2 * number + 1)
        plain = self._play(tables, 0, batch, np.array([begun], np.uint64)) / self.unit
        gains = np.empty_like(plain)
        for seat in range(self.players):
            seats = (np.arange(self.players) == seat).astype(np.int64)
            other = self._play(tables, 0, batch, np.array([begun], np.uint64), seats)
            gains[:, seat] = other[:, seat] / self.unit - plain[:, seat]
        return np.stack(
            [plain.sum(axis=0), (plain**2).sum(axis=0), gains.sum(axis=0), (gains**2).sum(axis=0)]
        )


def _pooled(values: _Values) -> _Moments:
    return _Moments.of(
        values.deals.sum(axis=0), values.sums.sum(axis=0), values.products.sum(axis=0)
    )


def _chances(line: _Line, values: _Values) -> F64:
    """(169,) how often a hand gets to a decision with each class."""
    others = np.delete(line.shares, line.hero).prod()
    # Hands drawn one by one share no card as often as `apart`; of those in these ranges a class has
    # as many as were dealt at the first attempt.
    players = len(line.shares)
    apart = math.perm(NUM_CARDS, 2 * players) / (NUM_CARDS * 51) ** players
    accepted = values.deals.sum(axis=0) / np.maximum(values.tries, 1)
    mine = line.reach[line.hero] * CLASS_COMBOS / NUM_COMBOS
    return np.asarray(mine * others * accepted / apart)


def _gain(line: _Line, values: _Values) -> tuple[float, float]:
    """What deviating at this decision gains per hand, and half its 95 % interval."""
    halves = [_Moments.of(values.deals[h], values.sums[h], values.products[h]) for h in (0, 1)]
    gains, deviations = np.zeros(NUM_CLASSES), np.zeros(NUM_CLASSES)
    for chooser, judge in (halves, halves[::-1]):
        gain, variance = judge.along(chooser.better(line.frequencies))
        gains += np.nan_to_num(gain) / 2
        # The halves have chosen for one another, so their errors are added, not their variances.
        deviations += np.sqrt(np.nan_to_num(variance)) / 2
    chances = _chances(line, values)
    return float(chances @ gains), float(Z95 * np.sqrt((chances**2) @ (deviations**2)))


def _book(
    blueprint: Blueprint,
    lines: list[_Line],
    line_values: list[_Values],
    played: list[F64],
    how: dict[str, Any],
) -> PreflopSolution:
    rules, unit = blueprint.rules, unit_of(blueprint.abstract)
    names = _names(rules.players)
    order = sorted(range(rules.players), key=lambda p: (p - 2) % rules.players)
    if rules.players == 2:
        order = [1, 0]
    nodes, gains = [], []
    for line, values in zip(lines, line_values, strict=True):
        pooled = _pooled(values)
        errors = Z95 * np.sqrt(np.maximum(np.einsum("caa->ac", pooled.spread), 0.0))
        paid = line.betting.paid
        put = {names[p]: (paid[p] + rules.betting_rules.dead[p]) / unit for p in order}
        values_by_action = pooled.means.T.copy()
        reach = line.reach[line.hero]
        facts = (line.frequencies, values_by_action, reach, put, errors)
        nodes.append(PreflopNode(line.words, names[line.hero], line.actions, *facts))
        gains.append(_gain(line, values))
    games = how["held_out_deals"]
    sums = np.sum(played, axis=0)[:, order] / games
    spread = np.sqrt(np.maximum(sums[1::2] - sums[::2] ** 2, 0.0) / games) * Z95
    stacks = [rules.betting_rules.stacks[p] / unit for p in order]
    trained = blueprint.info
    info = {
        "algorithm": str(trained.get("algorithm", "external-mccfr")),
        "iterations": int(trained.get("iterations", 0)),
        "seconds": float(trained.get("seconds", 0.0)),
        "method": "sampled",
        "unit": "big blinds",
        "ev": sums[0].tolist(),
        "ev_ci95": spread[0].tolist(),
        "gains": sums[2].tolist(),
        "gains_ci95": spread[1].tolist(),
        "node_gains": [gain for gain, _ in gains],
        "node_gains_ci95": [width for _, width in gains],
        **how,
    }
    spec = {
        "game": BOOK,
        "stacks": stacks[0] if len(set(stacks)) == 1 else stacks,
        "blinds": [rules.small_blind / unit, rules.big_blind / unit],
        "config": blueprint.abstract.config.as_table(),
    }
    depth = f"{stacks[0]:g}" if len(set(stacks)) == 1 else "/".join(f"{s:g}" for s in stacks)
    title = f"Book before the flop: {rules.players} players, {depth} big blinds"
    return PreflopSolution(title, spec, [names[p] for p in order], nodes, info)


def _names(players: int) -> tuple[str, ...]:
    """The seats by position: "sb", "bb", "utg", …; the button of two players is the small blind."""
    if players == 2:
        return ("bb", "sb")
    return tuple(name.lower() for name in short_seat_names(players))
