"""CardAbstraction: which hands a strategy does not tell apart, street by street.

    abstraction = preflop169()
    abstraction.num_buckets                    (169, 169, 169, 169)
    abstraction.bucket("AsKd", "Qs Js 2d")     0 … num_buckets[1] − 1
    abstraction.board_buckets("Qs Js 2d")      (1326,) every hand on a board

Kernels take `abstraction.tables` as one argument and call `bucket_kernels.bucket_of(street, cards,
tables)`, or `assign_deals` for all players of many deals. This shape is what training and play rely
on: `num_buckets` by street, `assign` for whole deals, `describe` for what makes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards.card import NUM_CARDS, check_distinct, parse_cards
from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, NUM_COMBOS, class_of_combos
from riverboat.cards.isomorphism import isomorphism
from riverboat.cards.strength import strength_tables
from riverboat.drawing.html import html_table
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction._bucket_kernels import BucketTables, assign_deals, fill_buckets
from riverboat.holdem.abstraction._bucket_words import describe_bucket
from riverboat.holdem.abstraction._equity_bucket_kernels import count_strengths, fill_strengths
from riverboat.holdem.rules.betting import STREET_NAMES

MIN_BUCKETS, MAX_BUCKETS = 50, 5000  # Of a street of `equity-k`
BOARD_SIZES = (0, 3, 4, 5)  # Board cards by street
NO_BUCKET = np.uint16(65_535)  # What `board_buckets` gives a hand that shares a card with the board


def in_parallel(
    work: Callable[[int], None],
    parts: range,
    threads: int,
    progress: Callable[[float], None] | None = None,
) -> None:
    """Do `work` for each of `parts`; `progress` gets the share done, in the calling thread."""
    with ThreadPoolExecutor(threads) as pool:
        try:
            finished = map(work, parts) if threads == 1 else pool.map(work, parts)
            for done, _ in enumerate(finished, 1):
                if progress is not None:
                    progress(done / len(parts))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@dataclass(frozen=True)
class RiverBoards:
    """Every board up to suits, in the order of isomorphism(5), and its strengths."""

    cards: NDArray[np.uint8]  # (134459, 5)
    starts: NDArray[np.uint32]  # (134460,) where each board's strengths begin
    strengths: NDArray[np.uint16]  # (M,) ascending within a board


@lru_cache(maxsize=1)
def river_boards() -> RiverBoards:
    """All boards; a second or two."""
    boards = isomorphism(5)
    cards = boards.hands(np.arange(boards.size))
    counts = np.empty(boards.size, np.uint32)
    count_strengths(cards, strength_tables().arrays, counts)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    strengths = np.empty(int(starts[-1]), np.uint16)
    fill_strengths(cards, strength_tables().arrays, starts, strengths)
    return RiverBoards(cards, starts, strengths)


@dataclass(frozen=True, eq=False, repr=False)
class CardAbstraction:
    """Hands as buckets 0 … num_buckets[street] − 1; preflop always the 169 classes, AA first."""

    name: str
    num_buckets: tuple[int, int, int, int]
    tables: BucketTables
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What it was built from, as in a recipe: scheme, buckets, streets, seed."""
    details: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Arrays that say in words what a bucket holds, by names such as "flop_codes"."""

    @property
    def num_bytes(self) -> int:
        """Memory of the tables that hold buckets."""
        tables = self.tables
        arrays = (tables.preflop, tables.flop, tables.turn, tables.river_starts, tables.river)
        return sum(array.nbytes for array in arrays)

    def describe(self) -> dict[str, Any]:
        """What makes it again."""
        return dict(self.parameters)

    def describe_bucket(self, street: int, bucket: int) -> str:
        """What a bucket holds, in words; streets count from 0, before the flop."""
        return describe_bucket(self.details, street, bucket)

    def as_dict(self) -> dict[str, Any]:
        """Its facts for a program."""
        return {
            "name": self.name,
            "recipe": self.describe(),
            "buckets": dict(zip(STREET_NAMES, self.num_buckets, strict=True)),
            "bytes": self.num_bytes,
        }

    def __repr__(self) -> str:
        counts = "/".join(f"{count:,}" for count in self.num_buckets)
        return f"<CardAbstraction {self.name}: {counts} buckets, {self.num_bytes / 1e6:.1f} MB>"

    def _repr_html_(self) -> str:
        rows = [(street, count) for street, count in self.as_dict()["buckets"].items()]
        return html_table(("street", "buckets"), rows, title=self.name)

    def assign(self, cards: NDArray[np.uint8], players: int, out: NDArray[np.uint32]) -> None:
        """Buckets `out` (N, P, S) of deals `cards` (N, n): all hands, then the board.

        `out` may have fewer than four streets; the board then has only their cards.
        """
        if (
            not 1 <= out.shape[2] <= 4
            or cards.shape[1] < 2 * players + BOARD_SIZES[out.shape[2] - 1]
        ):
            raise ParameterError(
                f"Deals of {cards.shape[1]} cards do not show {players} players {out.shape[2]}"
                " streets."
            )
        assign_deals(cards, players, self.tables, out)

    def bucket(self, hand: str | Sequence[int], board: str | Sequence[int] = "") -> int:
        """The bucket of one hand; the board's size, 0 or 3 to 5 cards, says which street it is."""
        cards = hand_and_board(hand, board)
        return int(self.buckets(BOARD_SIZES.index(len(cards) - 2), [cards])[0])

    def buckets(self, street: int, cards: ArrayLike) -> NDArray[np.uint16]:
        """(N,) buckets of the rows of `cards` (N, 2, 5, 6 or 7): hand, then at least the board.

        Each row must hold different cards.
        """
        rows = np.asarray(cards)
        if (
            street not in range(4)
            or rows.ndim != 2
            or not 2 + BOARD_SIZES[street] <= (rows.shape[1]) <= 7
        ):
            raise ParameterError(
                f"Street {street} needs rows of two cards and the board, not {rows.shape}."
            )
        if rows.size and (rows.min() < 0 or rows.max() > 51):
            raise ParameterError("Cards are whole numbers from 0 to 51.")
        full = np.zeros((len(rows), 7), np.uint8)
        full[:, : rows.shape[1]] = rows
        out = np.empty(len(rows), np.uint16)
        fill_buckets(street, full, self.tables, out)
        return out

    def board_buckets(self, board: str | Sequence[int]) -> NDArray[np.uint16]:
        """(1326,) the bucket of every hand on a board, NO_BUCKET where they share a card."""
        cards = _cards(board)
        if len(cards) not in BOARD_SIZES:
            raise ParameterError(f"A board has 0, 3, 4 or 5 cards, not {len(cards)}.")
        check_distinct(cards)
        rows = np.concatenate(
            [COMBO_CARDS, np.tile(np.array(cards, np.uint8), (NUM_COMBOS, 1))], axis=1
        )
        possible = ~np.isin(COMBO_CARDS, cards).any(axis=1)
        out = np.full(NUM_COMBOS, NO_BUCKET, np.uint16)
        out[possible] = self.buckets(BOARD_SIZES.index(len(cards)), rows[possible])
        return out


def hand_and_board(hand: str | Sequence[int], board: str | Sequence[int]) -> list[int]:
    """Two cards followed by a board of 0, 3, 4 or 5, refused where that is not what is given."""
    cards = _cards(hand) + _cards(board)
    if len(_cards(hand)) != 2 or len(cards) - 2 not in BOARD_SIZES:
        raise ParameterError("A hand has two cards and a board 0, 3, 4 or 5.")
    if not all(0 <= card < NUM_CARDS for card in cards):
        raise ParameterError("A card is a number from 0 to 51.")
    check_distinct(cards)
    return cards


def _cards(cards: str | Sequence[int]) -> list[int]:
    return parse_cards(cards) if isinstance(cards, str) else [int(card) for card in cards]


def check_bucket_counts(counts: Sequence[int]) -> None:
    """Refuse numbers of buckets by street that `equity-k` does not take."""
    if not all(MIN_BUCKETS <= count <= MAX_BUCKETS for count in counts):
        raise ParameterError(
            f"equity-k takes {MIN_BUCKETS} to {MAX_BUCKETS:,} buckets per street, not"
            f" {', '.join(f'{count:,}' for count in counts)}."
        )


def bucket_tables(
    flop: NDArray[np.uint16] | None = None,
    turn: NDArray[np.uint16] | None = None,
    river: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None,
) -> BucketTables:
    """Tables with these arrays by street; a street without keeps the bucket of the one before.

    `river` is `river_starts` and `river` of BucketTables.
    """
    none = np.zeros(0, np.uint16)
    starts, entries = river or (np.zeros(0, np.uint32), np.zeros(0, np.uint32))
    return BucketTables(
        *strength_tables().arrays,
        flop_index=isomorphism(2, 3).table,
        turn_index=isomorphism(2, 4).table,
        board_index=isomorphism(5).table,
        preflop=_preflop_buckets(),
        flop=none if flop is None else flop,
        turn=none if turn is None else turn,
        river_starts=starts,
        river=entries,
    )


def from_street_tables(
    name: str,
    tables: Mapping[str, NDArray[np.uint16]],
    counts: Mapping[str, int],
    parameters: Mapping[str, Any],
    details: Mapping[str, NDArray[Any]],
) -> CardAbstraction:
    """The abstraction with these buckets by street, and these numbers of them.

    The river's are by board and strength in the order of `river_boards()`.
    """
    numbers = [NUM_CLASSES]
    for street in STREET_NAMES[1:]:
        numbers.append(counts.get(street, numbers[-1]))
    river = None
    if "river" in tables:
        boards = river_boards()
        river = boards.starts, boards.strengths.astype(np.uint32) << np.uint32(16) | tables["river"]
    arrays = bucket_tables(tables.get("flop"), tables.get("turn"), river)
    num_buckets = (numbers[0], numbers[1], numbers[2], numbers[3])
    return CardAbstraction(name, num_buckets, arrays, parameters, details)


@lru_cache(maxsize=1)
def _preflop_buckets() -> NDArray[np.uint16]:
    table = np.zeros((NUM_CARDS, NUM_CARDS), np.uint16)
    low, high = COMBO_CARDS.T
    table[low, high] = table[high, low] = class_of_combos()
    return table.ravel()


@lru_cache(maxsize=1)
def preflop169() -> CardAbstraction:
    """The hand as dealt, on every street: the cheapest abstraction, blind to the board."""
    return CardAbstraction(
        "preflop169", (NUM_CLASSES,) * 4, bucket_tables(), {"scheme": "preflop169"}
    )
