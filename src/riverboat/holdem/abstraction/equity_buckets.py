"""`equity-k`: buckets of hands whose equity is distributed alike.

Flop and turn: the histogram of a hand's river equity against a random hand over all runouts, 49
bins, under the earth mover's distance (Gilpin, Sandholm & Sørensen, 2007; Johanson et al.,
"Evaluating state-space abstractions in extensive-form games", AAMAS 2013). River: equity against
each of eight clusters of opponents' hands (OCHS, same source), for each strength on each board.

Both become rows of whole numbers that `k_medians` clusters: a sample of random deals makes the
centres, then every class goes to its nearest centre, board by board, so that only buckets are
kept. Departures from the paper: the centre is the median, which minimises the L1 distance, where
the paper takes means, and the river uses L1 as well. Buckets are numbered by rising equity.
Deterministic by seed, whatever the number of threads.

The tables of an abstraction take 72 MB and a minute to build; its centres take 100 kB. LiveBuckets
finds the nearest centre when a bucket is asked for, some tens of milliseconds for all hands of a
flop, so that a small file can carry all that is needed to play. The buckets are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, NUM_COMBOS, class_of_combos
from riverboat.cards.isomorphism import STREETS, isomorphism
from riverboat.cards.strength import strength_tables
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction import _equity_bucket_kernels as kernels
from riverboat.holdem.abstraction._k_medians import Centres, k_medians, sorted_centres
from riverboat.holdem.abstraction.card_abstraction import (
    BOARD_SIZES,
    MAX_BUCKETS,
    CardAbstraction,
    check_bucket_counts,
    from_street_tables,
    in_parallel,
    river_boards,
)
from riverboat.holdem.abstraction.deals import CardBuckets
from riverboat.holdem.abstraction.preflop_store import preflop_table
from riverboat.holdem.rules.betting import STREET_NAMES
from riverboat.runtime.last_used import LastUsed

NUM_OPPONENTS = 8
NUM_THRESHOLDS = 48
"""Bins of a histogram less one: a multiple of 16, so that a row fills vector registers."""
_SAMPLE_BOARDS = {1: 600, 2: 6000, 3: 60_000}
"""Boards that the centres are learned on: dear on the flop, where each has 1,176 runouts."""
_SAMPLE_HANDS, _SAMPLE_PER_BUCKET = 300_000, 60
_OPPONENT_SEED = 8
_PREFLOP_SCALE = 4000
Progress = Callable[[str, float], None]
CENTRES = tuple(f"{street}_centres" for street in STREET_NAMES[1:])
"""The arrays of an abstraction's details that are needed …"""
OPPONENTS = "opponents"  # … and the cluster of each opponent's hand, (1326,) uint8
_KEPT = 256  # The last boards are kept, for they are asked about again


def build_equity_buckets(
    name: str = "equity-k",
    *,
    buckets: Sequence[int] = (200, 200, 200),
    streets: Sequence[str] = STREET_NAMES[1:],
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> CardAbstraction:
    """Buckets of the given streets; `buckets` are their numbers on flop, turn and river.

    `progress` gets the street and the share of it that is done.
    """
    given: dict[str, Any] = {"buckets": list(buckets), "streets": list(streets), "seed": seed}
    check_bucket_counts(buckets)
    tables: dict[str, NDArray[np.uint16]] = {}
    details: dict[str, NDArray[np.int16]] = {}
    for street in streets:
        centres, tables[street] = _build_street(
            STREET_NAMES.index(street),
            buckets[STREET_NAMES.index(street) - 1],
            seed=seed,
            threads=threads,
            progress=None if progress is None else partial(progress, street),
        )
        details[f"{street}_centres"] = centres.rows
    counts = {street: len(details[f"{street}_centres"]) for street in streets}
    return from_street_tables(name, tables, counts, {"scheme": "equity-k", **given}, details)


def _build_street(
    street: int,
    num_buckets: int,
    *,
    seed: int,
    threads: int,
    progress: Callable[[float], None] | None,
) -> tuple[Centres, NDArray[np.uint16]]:
    """The centres of a street and the buckets of all that it looks up."""

    def part(low: float, high: float) -> Callable[[float], None] | None:
        return None if progress is None else lambda s: progress(low + s * (high - low))

    rng = np.random.default_rng([seed, street])
    rows = sample_rows(street, num_buckets, rng=rng, threads=threads, progress=part(0, 0.2))
    centres = k_medians(rows, num_buckets, rng=rng, threads=threads, progress=part(0.2, 0.3))
    return centres, _assign(street, centres, threads, part(0.3, 1))


def sample_rows(
    street: int,
    num_buckets: int,
    *,
    rng: np.random.Generator,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
    num_boards: int | None = None,
) -> NDArray[np.int16]:
    """(N, D) rows of random hands on random boards of a street 1 to 3."""
    num_boards = num_boards or _SAMPLE_BOARDS[street]
    wanted = max(_SAMPLE_HANDS, _SAMPLE_PER_BUCKET * num_buckets)
    num_hands = -(-wanted // _SAMPLE_BOARDS[street])
    boards = rng.permuted(np.tile(np.arange(NUM_CARDS, dtype=np.uint8), (num_boards, 1)), axis=1)
    boards = np.ascontiguousarray(boards[:, : STREETS[STREET_NAMES[street]][1]])
    hands = _random_hands(boards, num_hands, rng)
    size = NUM_OPPONENTS if street == 3 else NUM_THRESHOLDS
    out = np.empty((num_boards, num_hands, size), np.int16)
    arrays = (COMBO_CARDS, strength_tables().arrays)
    step = -(-num_boards // 50)
    clusters = opponent_clusters() if street == 3 else np.zeros(0, np.uint8)

    def work(start: int) -> None:
        some = slice(start, start + step)
        if street == 3:
            kernels.sample_river_rows(boards[some], hands[some], clusters, *arrays, out[some])
        else:
            kernels.sample_histogram_rows(boards[some], hands[some], *arrays, out[some])

    in_parallel(work, range(0, num_boards, step), threads, progress)
    return out.reshape(-1, size)


def _random_hands(
    boards: NDArray[np.uint8], num_hands: int, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """(B, H) random combos that share no card with their board, sampled with replacement."""
    taken = np.zeros((len(boards), NUM_CARDS), np.bool_)
    np.put_along_axis(taken, boards.astype(np.int64), True, axis=1)
    hands = rng.integers(NUM_COMBOS, size=(len(boards), num_hands), dtype=np.uint16)
    rows, columns = np.indices(hands.shape).reshape(2, -1)
    while len(rows):
        cards = COMBO_CARDS[hands[rows, columns]]
        blocked = taken[rows[:, None], cards].any(axis=1)
        rows, columns = rows[blocked], columns[blocked]
        hands[rows, columns] = rng.integers(NUM_COMBOS, size=len(rows), dtype=np.uint16)
    return hands


def _assign(
    street: int, centres: Centres, threads: int, progress: Callable[[float], None] | None
) -> NDArray[np.uint16]:
    """The bucket of every class of flop or turn, or of every strength on every board."""
    tables = COMBO_CARDS, strength_tables().arrays
    if street == 3:
        river, clusters = river_boards(), opponent_clusters()
        cards, out = river.cards, np.empty(len(river.strengths), np.uint16)
    else:
        groups = STREETS[STREET_NAMES[street]]
        classes, boards = isomorphism(*groups), isomorphism(groups[1])
        cards = boards.hands(np.arange(boards.size))
        out = np.full(classes.size, kernels.UNKNOWN, np.uint16)
    step = -(-len(cards) // 200)

    def work(start: int) -> None:
        some = slice(start, start + step)
        if street == 3:
            there = cards[some], river.starts[some], clusters
            kernels.assign_rivers(*there, *tables, centres.arrays, out)
        else:
            kernels.assign_boards(cards[some], *tables, classes.table, centres.arrays, out)

    in_parallel(work, range(0, len(cards), step), threads, progress)
    return out


@lru_cache(maxsize=1)
def opponent_clusters() -> NDArray[np.uint8]:
    """(1326,) the cluster 0 (weakest) to 7 of each hand by its equities against all 169 classes."""
    equities = preflop_table().equities()
    padding = np.zeros((len(equities), -len(equities) % 4))
    scaled = np.rint(np.hstack([equities, padding]) * _PREFLOP_SCALE).astype(np.int16)
    rows = scaled[class_of_combos()]
    centres = k_medians(rows, NUM_OPPONENTS, rng=np.random.default_rng(_OPPONENT_SEED))
    return centres.nearest(rows)[0].astype(np.uint8)


def centres_of(buckets: CardBuckets) -> dict[str, NDArray[Any]]:
    """The arrays that make live buckets of an abstraction again; none where it has no centres."""
    if isinstance(buckets, LiveBuckets):
        rows = {name: kept.rows for name, kept in zip(CENTRES, buckets.centres, strict=True)}
        return {**rows, OPPONENTS: buckets.opponents}
    if not isinstance(buckets, CardAbstraction) or not set(CENTRES) <= set(buckets.details):
        return {}
    return {**{name: buckets.details[name] for name in CENTRES}, OPPONENTS: opponent_clusters()}


class LiveBuckets:
    """A card abstraction (deals.CardBuckets) for play and measuring; training wants tables."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], recipe: Mapping[str, Any]) -> None:
        rows = [arrays[name] for name in CENTRES]
        self.opponents = np.ascontiguousarray(arrays[OPPONENTS])
        widths = (NUM_THRESHOLDS, NUM_THRESHOLDS, NUM_OPPONENTS)
        if (
            self.opponents.shape != (NUM_COMBOS,)
            or self.opponents.dtype != np.uint8
            or self.opponents.max() >= NUM_OPPONENTS
            or any(
                row.dtype != np.int16
                or row.shape[1:] != (width,)
                or not 0 < len(row) <= MAX_BUCKETS
                for row, width in zip(rows, widths, strict=True)
            )
        ):
            raise ParameterError("These are not the centres of a card abstraction.")
        self.centres: tuple[Centres, ...] = tuple(sorted_centres(row) for row in rows)
        self.recipe = dict(recipe)
        self.num_buckets = (NUM_CLASSES, *(len(row) for row in rows))
        self._kept: LastUsed[tuple[int, ...], NDArray[np.uint32]] = LastUsed(_KEPT)

    def describe(self) -> dict[str, Any]:
        """The recipe of the tables that hold the same buckets."""
        return dict(self.recipe)

    def assign(self, cards: NDArray[np.uint8], players: int, out: NDArray[np.uint32]) -> None:
        """Buckets `out` (N, P, S) of deals `cards` (N, n): all hands, then the board."""
        streets, hands = out.shape[2], cards[:, : 2 * players].reshape(-1, players, 2)
        low, high = np.sort(hands.astype(np.int64), axis=2).transpose(2, 0, 1)
        combos = low * (101 - low) // 2 + high - 1
        out[:, :, 0] = class_of_combos()[combos]
        for street in range(1, streets):
            size = BOARD_SIZES[street]
            boards = np.ascontiguousarray(cards[:, 2 * players : 2 * players + size])
            distinct, places = np.unique(boards, axis=0, return_inverse=True)
            for number, board in enumerate(distinct):
                rows = np.flatnonzero(places.ravel() == number)
                out[rows, :, street] = self.on_board(board.tolist())[combos[rows]]

    def on_board(self, board: Sequence[int]) -> NDArray[np.uint32]:
        """(1326,) the bucket of every hand on a board; those that share a card mean nothing."""
        key = tuple(sorted(board))
        return self._kept.get(key, lambda: self._assigned(key))

    def _assigned(self, board: tuple[int, ...]) -> NDArray[np.uint32]:
        street = BOARD_SIZES.index(len(board))
        centres, cards = self.centres[street - 1].arrays, np.array(board, np.uint8)
        tables = strength_tables().arrays
        buckets = np.zeros(NUM_COMBOS, np.uint32)
        if street == len(CENTRES):
            kernels.opponent_buckets(cards, self.opponents, COMBO_CARDS, tables, centres, buckets)
        else:
            kernels.histogram_buckets(cards, COMBO_CARDS, tables, centres, buckets)
        return buckets
