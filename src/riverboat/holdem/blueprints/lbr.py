"""Local best response: what a simple exploiter wins from a blueprint in the full game, heads-up.

Lisý and Bowling, "Equilibrium approximation quality of current no-limit poker bots" (AAAI 2017
workshop): LBR knows the blueprint's strategy and so its range. At each decision it compares a fold,
a call and a few raises as if both only checked and called afterwards, and takes the best. What it
wins is a lower bound of the exploitability in the real game, cards and bets as they are.

Departure: the paper plays sampled hands. Here only the board is sampled; on it all 1,326 hands of
the exploiter are played against all hands and all actions of the blueprint at once, from both
seats. What happens before the flop does not depend on the board and is exact. So the interval is
that of boards alone, and two blueprints can be compared on the same boards (the same seed):
`difference` gives the interval of what one loses more than the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import comb
from typing import Any, NamedTuple

import numpy as np

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, NUM_COMBOS
from riverboat.cards.preflop import PREFLOP_BOARDS
from riverboat.cards.strength import board_strengths, strength_tables
from riverboat.drawing.html import html_table
from riverboat.errors import ParameterError, UsageError
from riverboat.holdem.abstraction.card_abstraction import BOARD_SIZES
from riverboat.holdem.abstraction.deals import has_full_boards
from riverboat.holdem.abstraction.preflop_store import preflop_table
from riverboat.holdem.blueprints._fallback_action import part_beaten
from riverboat.holdem.blueprints._lbr_kernels import COUNT, Deal, Entries, Play, pot_shares, walk
from riverboat.holdem.blueprints._lbr_tree import build_lbr_tree
from riverboat.holdem.blueprints.abstract_play import Estimate, estimate
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.runtime.array_types import F32, F64, I64, U8

RAISES = ("0.5p", "1p", "a")
"""The raises LBR considers, as sizes of holdem/blueprints/betting_tree.py."""
NONE = np.zeros((0, 0), np.float32)


@dataclass(frozen=True, eq=False, repr=False)
class LbrResult:
    """What LBR wins on each board, and on average."""

    boards: F64  # (B,) chips per game, both seats averaged
    unit: float  # Chips of a big blind

    @property
    def estimate(self) -> Estimate:
        """What it wins, with half the 95 % interval."""
        return estimate(self.boards, self.unit)

    def as_dict(self) -> dict[str, Any]:
        """The figure for a program."""
        estimate = self.estimate
        return {"mean": estimate.mean, "ci95": estimate.ci95, "boards": estimate.games}

    def __repr__(self) -> str:
        return f"<LbrResult {self.estimate} on {len(self.boards):,} boards>"

    def _repr_html_(self) -> str:
        estimate = self.estimate
        row = (f"{estimate.mean:+z,.0f}", f"± {estimate.ci95:,.0f}", estimate.games)
        return html_table(("mbb/g", "95 %", "boards"), [row], title="Local best response wins")


def difference(first: LbrResult, second: LbrResult) -> Estimate:
    """How much more LBR wins from the first blueprint than from the second, on the same boards."""
    if len(first.boards) != len(second.boards):
        raise UsageError("Two results can be compared only on the same boards.")
    return estimate(first.boards / first.unit - second.boards / second.unit, 1.0)


def can_be_exploited(blueprint: Blueprint) -> bool:
    """Whether local best response can be played: two players, 52 cards, four streets."""
    return blueprint.rules.players == 2 and has_full_boards(blueprint.rules)


def local_best_response(
    blueprint: Blueprint,
    boards: int,
    *,
    raises: Sequence[str] = RAISES,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    partial: Callable[[LbrResult], None] | None = None,
    play: Callable[[Sequence[U8]], Iterable[float]] | None = None,
    won: Sequence[float] = (),
) -> LbrResult:
    """What LBR wins on `boards` random boards; the same for any number of threads.

    `progress` is called with the number of boards done, `partial` with the result on them, from two
    on. `play` gives the chips won on each board in order; without it this process plays. `won` are
    the chips won on the first boards by an earlier call, which are not played again.
    """
    game = blueprint.rules
    if not can_be_exploited(blueprint):
        raise UsageError("Local best response is for two players, 52 cards and four streets.")
    if boards < 2:
        raise ParameterError(f"Local best response needs at least 2 boards, not {boards}.")
    won = won[:boards]
    drawn = draw_boards(boards, seed)[len(won) :]
    results, unit = np.empty(boards), float(game.big_blind or game.ante or 1)
    with ThreadPoolExecutor(threads) as pool:
        try:
            if play is not None:
                values = play(drawn)
            else:
                values = pool.map(Exploiter(blueprint, raises).on_board, drawn)
            for i, value in enumerate(chain(won, values)):
                results[i] = value
                if progress is not None:
                    progress(i + 1)
                if partial is not None and i > 0:
                    partial(LbrResult(results[: i + 1].copy(), unit))
        except BaseException:
            pool.shutdown(cancel_futures=True)  # the callback may end it
            raise
    return LbrResult(results, unit)


def draw_boards(boards: int, seed: int) -> list[U8]:
    """Random boards (5,); a seed's first boards are the same for any number of them."""
    rng = np.random.default_rng(seed)
    return [rng.permutation(NUM_CARDS)[:5].astype(np.uint8) for _ in range(boards)]


class Exploiter:
    """Knows a blueprint and plays `hands` (1326,) 0 or 1; before the flop once for all boards.

    With `last` it knows what happens up to that street only.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        raises: Sequence[str],
        hands: U8 | None = None,
        salt: str = "",
        last: int = 3,
    ) -> None:
        self.blueprint, self.salt = blueprint, salt
        self.hands = np.ones(NUM_COMBOS, np.uint8) if hands is None else hands
        self.tree = build_lbr_tree(blueprint, raises, last=last)
        tree = self.tree
        self.play = Play(tree.nodes, tree.bounds, tree.edges, tree.slots, blueprint.weights)
        self.room = 2 + tree.depth * int(tree.nodes[:, COUNT].max())
        self.before, self.entries = self._before_the_flop()

    def _before_the_flop(self) -> tuple[float, Entries]:
        """Chips won by hands that end before the flop, and the state of all others at the flop."""
        deal = self._deal(
            np.zeros(0, np.uint8), np.arange(NUM_COMBOS), (_preflop_shares(), NONE, NONE)
        )
        start = _room_for(self.room)
        start.nodes[:2] = self.tree.roots
        start.ranges[:2], start.hands[:2] = 1.0, self.hands
        kept = _room_for(len(self.tree.starts_of(1)))
        value, count = walk(self.play, deal, 0, start, 2, kept)
        return value / 2, _first(kept, count)

    def on_board(self, board: U8) -> float:
        """Chips per game on a board (5,), both seats averaged."""
        deal, stack, begun, _ = self._flop(board)
        value, _ = walk(self.play, deal, 3, stack, begun, _room_for(0))
        return float(self.before + value / 2)

    def to_street(self, board: U8, street: int) -> StreetEntries:
        """What is won before a street of a board (1 the flop), and every line that reaches it."""
        deal, stack, begun, order = self._flop(board)
        if street == 1:
            value, kept = 0.0, _first(stack, begun)
        else:
            kept = _room_for(len(self.tree.starts_of(street)))
            value, count = walk(self.play, deal, street - 1, stack, begun, kept)
            kept = _first(kept, count)
        return StreetEntries(
            street,
            float(self.before + value / 2),
            deal,
            order,
            kept.nodes,
            np.array([self.tree.pot(node) for node in kept.nodes.tolist()]),
            kept.ranges,
            kept.hands,
        )

    def from_street(self, entries: StreetEntries, places: I64) -> float:
        """Chips per game that some of the lines win from the street on, both seats averaged."""
        stack = _room_for(len(places) + self.room)
        stack.nodes[: len(places)] = entries.nodes[places]
        stack.ranges[: len(places)] = entries.ranges[places]
        stack.hands[: len(places)] = entries.hands[places]
        value, _ = walk(self.play, entries.deal, 3, stack, len(places), _room_for(0))
        return float(value / 2)

    def _flop(self, board: U8) -> tuple[Deal, Entries, int, I64]:
        """A board with its tables, and the state of all lines at its flop."""
        order = _hand_order(board)
        tables = strength_tables().arrays
        shares = [NONE]
        for size in (3, 4):
            live = order[: comb(NUM_CARDS - size, 2)].astype(np.uint16)
            out = np.empty((len(live), len(live)), np.float32)
            pot_shares(board, live, COMBO_CARDS, *tables, out)
            shares.append(out)
        deal = self._deal(board, order, tuple(shares))
        begun = len(self.entries.nodes)
        stack = _room_for(begun + self.room)
        stack.nodes[:begun] = self.entries.nodes
        stack.ranges[:begun] = self.entries.ranges[:, order]
        stack.hands[:begun] = self.entries.hands[:, order]
        return deal, stack, begun, order

    def _deal(self, board: U8, order: I64, shares: tuple[F32, ...]) -> Deal:
        cards = tuple(board.tolist())
        buckets = np.zeros((4, NUM_COMBOS), np.uint32)
        beaten = np.zeros((4, NUM_COMBOS))
        for street, size in enumerate(BOARD_SIZES):
            if size <= len(cards):
                seen = cards[:size]
                buckets[street] = self.blueprint.buckets_on(seen)[order]
                beaten[street] = part_beaten(COMBO_CARDS, seen)[order]
        pairs = [comb(NUM_CARDS - size, 2) * comb(50 - size, 2) for size in BOARD_SIZES]
        ends = np.zeros(0, np.uint16)
        if len(cards) == 5:
            values = board_strengths(cards)[order[: comb(47, 2)]]
            ends = np.append(np.flatnonzero(np.diff(values)) + 1, len(values)).astype(np.uint16)
        return Deal(
            self.tree.marks(cards, self.blueprint.rules.board_cards, self.salt),
            np.array([comb(NUM_CARDS - size, 2) for size in BOARD_SIZES]),
            1.0 / np.array(pairs),
            buckets,
            beaten,
            COMBO_CARDS[order],
            np.arange(NUM_COMBOS, dtype=np.uint16),
            ends,
            shares,
        )


def _room_for(count: int) -> Entries:
    wide = (count, NUM_COMBOS)
    return Entries(np.zeros(count, np.int64), np.zeros(wide), np.zeros(wide, np.uint8))


def _first(entries: Entries, count: int) -> Entries:
    return Entries(entries.nodes[:count], entries.ranges[:count], entries.hands[:count])


class StreetEntries(NamedTuple):
    """Every line that reaches a street of a board; hands in the board's order."""

    street: int
    before: float  # Chips per game that LBR wins in hands that end before, both seats averaged
    deal: Deal
    order: I64  # (1326,) the hands, those the street leaves first
    nodes: I64  # (K,)
    pots: I64
    ranges: F64  # (K, 1326) weights of the blueprint's hands
    hands: U8  # (K, 1326) which of the exploiter's come

    @property
    def live(self) -> int:
        """How many hands the street leaves."""
        return int(self.deal.lengths[self.street])


def _hand_order(board: U8) -> I64:
    """All hands: those the river leaves, weakest first, then those that only later cards block."""
    blocked = np.zeros(NUM_COMBOS, np.int64)
    for level, cards in enumerate((board[4:], board[3:4], board[:3]), start=1):
        blocked[np.isin(COMBO_CARDS, cards).any(axis=1)] = level
    return np.lexsort((board_strengths(board.tolist()), blocked))


@lru_cache(maxsize=1)
def _preflop_shares() -> F32:
    """(1326, 1326) each hand's part of the pot against each other before the flop."""
    wins, ties = preflop_table().rows(np.arange(NUM_COMBOS))
    return ((wins + ties / 2) / PREFLOP_BOARDS).astype(np.float32)
