"""Equity in Omaha of two to six hands or ranges, exact where that is affordable.

| question | method |
|---|---|
| few deals of hands | every deal that differs by more than the names of suits, every board |
| two ranges on a board | each runout sorted once, with inclusion and exclusion of cards |
| anything that costs more | Monte Carlo, with standard errors |

The boards are shared among threads. Counts are sums of whole numbers and samples have a stream for
each chunk, so the answer is the same with any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, permutations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards._equity_sampling import MAX_TRIES, NO_DEAL, alias_table
from riverboat.cards._omaha_equity_kernels import count_winners, sample_omaha_deals, sweep_ranges
from riverboat.cards.card import cards_text
from riverboat.cards.equity import Equity, answer_of_counts, check_method, parse_board, runouts
from riverboat.cards.hands import hand_cards, hand_masks, hand_numbers, num_hands
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.cards.strength import strength_tables
from riverboat.errors import ParameterError, TooLargeError

MAX_PLAYERS = 9
MAX_EVALUATIONS = 60_000_000
"""Hands on boards that an exact answer may rank one by one: some seconds."""
MAX_SWEPT = 100_000_000
"""The same where all hands of a board are ranked together."""
_MAX_DEALS = 20_000
_MAX_FORCED = 20  # Times as much that is done where an exact answer is asked for
_CHUNK = 50_000  # Boards, or samples
OMAHA_SAMPLES = 1_000_000


def omaha_equity(
    players: Sequence[str | OmahaRange],
    board: str | Sequence[int] = "",
    *,
    hole_cards: int = 4,
    method: str = "auto",
    samples: int = OMAHA_SAMPLES,
    seed: int = 0,
) -> Equity:
    """Each player's equity; hands and ranges are texts or `OmahaRange`.

    Parameters
    ----------
    players
        Two to nine hands ("AsKsQhJh") or ranges ("AA$ds,KKQ").
    board
        0, 3, 4 or 5 cards.
    hole_cards
        The number of cards of a hand, 4 or 5.
    method
        "exact", "monte-carlo", or "auto", which samples where counting would take long.
    samples, seed
        Of Monte Carlo.
    """
    cards = parse_board(board)
    ranges = _ranges(players, cards, hole_cards)
    check_method(method, samples)
    names = tuple(str(player) for player in players)
    counts = None
    if method != "monte-carlo":
        counts = _exact(ranges, cards, _MAX_FORCED if method == "exact" else 1)
        if counts is None and method == "exact":
            raise TooLargeError(
                "An exact answer would take too long; sample it instead (method monte-carlo)."
            )
    if counts is not None:
        return answer_of_counts(names, cards_text(cards), "exact", counts)
    counts = _sample(ranges, cards, samples, seed)
    return answer_of_counts(names, cards_text(cards), "monte-carlo", counts)


def _ranges(
    players: Sequence[str | OmahaRange], board: list[int], hole_cards: int
) -> list[OmahaRange]:
    """The players' ranges without the board's cards; impossible ones are refused."""
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise ParameterError(f"Equity needs 2 to {MAX_PLAYERS} players, not {len(players)}.")
    taken: set[int] = set()
    ranges = []
    for player in players:
        range_ = OmahaRange.parse(player, hole_cards) if isinstance(player, str) else player
        if range_.hole_cards != hole_cards:
            raise ParameterError(
                f"The range {player!r} has hands of {range_.hole_cards} cards, not {hole_cards}."
            )
        live = range_.without(board)
        if not live.hands.size:
            hint = "shares a card with" if range_.hands.size == 1 else "has no hand left on"
            raise ParameterError(f"{str(player)!r} {hint} the board {cards_text(board)}.")
        if live.hands.size == 1:
            for card in live.cards[0].tolist():
                if card in taken:
                    raise ParameterError(f"Two players hold the card {cards_text([card])}.")
                taken.add(card)
        ranges.append(live)
    return ranges


def _exact(ranges: list[OmahaRange], board: list[int], patience: int) -> NDArray[np.float64] | None:
    """(2^P,) weight of deals that each set of players wins; None where it costs too much."""
    missing = 5 - len(board)
    if prod(len(range_.hands) for range_ in ranges) <= _MAX_DEALS * patience:
        deals, weights = _different_deals(ranges, board)
        rest = 52 - len(board) - ranges[0].hole_cards * len(ranges)
        if len(deals) * len(ranges) * comb(rest, missing) <= MAX_EVALUATIONS * patience:
            return _count_deals(deals, weights, board, ranges[0].hole_cards)
    if len(ranges) == 2:
        swept = comb(52 - len(board), missing) * sum(len(range_.hands) for range_ in ranges)
        if swept <= MAX_SWEPT * patience:
            return _sweep(ranges, board)
    return None


def _different_deals(
    ranges: list[OmahaRange], board: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Deals of hands (D, P) that no renaming of suits makes equal, with their weights (D,)."""
    deals, used, weights = np.zeros((1, 0), np.int64), np.zeros(1, np.uint64), np.ones(1)
    for range_ in ranges:
        masks = hand_masks(range_.cards)
        old, new = (part.ravel() for part in np.mgrid[: len(deals), : len(masks)])
        fits = (used[old] & masks[new]) == 0
        old, new = old[fits], new[fits]
        deals = np.column_stack([deals[old], range_.hands[new]])
        used = used[old] | masks[new]
        weights = weights[old] * range_.weights[range_.hands[new]]
    if len(deals) < 2:
        return deals, weights
    hole_cards = ranges[0].hole_cards
    cards = hand_cards(hole_cards)[deals].astype(np.int64)
    smallest = deals
    for suits in permutations(range(4)):
        renamed_board = {card & ~3 | suits[card & 3] for card in board}
        if renamed_board != set(board) or suits == (0, 1, 2, 3):
            continue
        renamed = (cards & ~3) | np.array(suits)[cards & 3]
        other = hand_numbers(renamed.reshape(-1, hole_cards)).reshape(deals.shape)
        smaller = _lexicographic_less(other, smallest)
        smallest = np.where(smaller[:, None], other, smallest)
    _, where, member = np.unique(smallest, axis=0, return_index=True, return_inverse=True)
    return deals[where], np.bincount(member.ravel(), weights).astype(np.float64)


def _lexicographic_less(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(N,) whether rows of `first` (N, P) come before those of `second`."""
    less = np.zeros(len(first), np.bool_)
    for column in reversed(range(first.shape[1])):
        a, b = first[:, column], second[:, column]
        less = (a < b) | ((a == b) & less)
    return less


def _count_deals(
    deals: NDArray[np.int64], weights: NDArray[np.float64], board: list[int], hole_cards: int
) -> NDArray[np.float64]:
    """(2^P,) weight of deals (D, P) and boards that each set of players wins."""
    counts = np.zeros(1 << deals.shape[1])
    tables = strength_tables().arrays
    missing = 5 - len(board)
    for deal, weight in zip(deals, weights, strict=True):
        hands = hand_cards(hole_cards)[deal]
        gone = {*board, *hands.ravel().tolist()}
        rest = np.array([card for card in range(52) if card not in gone], np.uint8)
        if missing:
            rows = hand_cards(missing)
            more = rest[rows[rows[:, -1] < len(rest)]]
        else:
            more = np.zeros((1, 0), np.uint8)
        known = np.broadcast_to(np.array(board, np.uint8), (len(more), len(board)))
        boards = np.ascontiguousarray(np.column_stack([known, more]))

        def count(part: NDArray[np.uint8], hands: NDArray[np.uint8] = hands) -> NDArray[np.int64]:
            out = np.zeros(1 << len(hands), np.int64)
            count_winners(hands, part, *tables, out)
            return out

        counts += weight * sum(_spread(count, _parts(boards)))
    return counts


def _parts(boards: NDArray[Any], size: int = _CHUNK) -> list[NDArray[Any]]:
    return [boards[start : start + size] for start in range(0, len(boards), size)]


def _spread(work: Callable[..., Any], pieces: Sequence[Any]) -> Iterable[Any]:
    """The results of a function for each piece, in order, found by all cores."""
    if len(pieces) == 1:
        return [work(pieces[0])]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(work, pieces))


def _sweep(ranges: list[OmahaRange], board: list[int]) -> NDArray[np.float64]:
    """(4,) weight of deals that each of two ranges wins on all runouts of a board."""
    first, second = ranges
    hole_cards = first.hole_cards
    live = np.flatnonzero((first.weights > 0) | (second.weights > 0))
    hands = hand_cards(hole_cards)[live]
    weights = np.stack([first.weights[live], second.weights[live]])
    subsets, signs, num_sums = _subsets(hands)
    masks, tables = hand_masks(hands), strength_tables().arrays

    def sweep(part: NDArray[np.uint8]) -> NDArray[np.float64]:
        out = np.empty((len(part), 3))
        sweep_ranges(part, hands, masks, weights, subsets, signs, num_sums, *tables, out)
        return out

    boards = runouts(board)
    per_board = np.concatenate(list(_spread(sweep, _parts(boards, 1 + len(boards) // 64))))
    won, tied, total = per_board.sum(axis=0)
    return np.array([0.0, won, total - won - tied, tied])


def _subsets(hands: NDArray[np.uint8]) -> tuple[NDArray[np.int32], NDArray[np.float64], int]:
    """Numbers (N, 2^k − 2) of the proper subsets of hands (N, k), signs, and how many there are."""
    hole_cards = hands.shape[1]
    columns, signs, start = [], [], 0
    for size in range(1, hole_cards):
        for places in combinations(range(hole_cards), size):
            columns.append(start + hand_numbers(hands[:, list(places)]))
            signs.append(-1.0 if size % 2 else 1.0)
        start += num_hands(size)
    subsets = np.ascontiguousarray(np.column_stack(columns), np.int32)
    return subsets, np.array(signs), start


def _sample(
    ranges: list[OmahaRange], board: list[int], samples: int, seed: int
) -> NDArray[np.float64]:
    """(2^P,) how many of `samples` random deals each set of players (bits of the index) won."""
    hands = np.concatenate([range_.cards for range_ in ranges])
    starts = np.cumsum([0, *(len(range_.hands) for range_ in ranges)])
    tables = [alias_table(range_.weights[range_.hands]) for range_ in ranges]
    thresholds = np.concatenate([part for part, _ in tables])
    aliases = np.concatenate([part + at for (_, part), at in zip(tables, starts[:-1], strict=True)])
    known, arrays = np.array(board, np.uint8), strength_tables().arrays
    seeds = np.random.SeedSequence(seed).generate_state(-(-samples // _CHUNK), np.uint64)

    def deal(chunk: int) -> NDArray[np.int64]:
        size = min(_CHUNK, samples - _CHUNK * chunk)
        out = np.zeros(1 << len(ranges), np.int64)
        pool = starts, hands, thresholds, aliases
        start = seeds[chunk]
        if sample_omaha_deals(size, MAX_TRIES, start, known, *pool, *arrays, out) < size:
            raise ParameterError(NO_DEAL)
        return out

    return np.asarray(sum(_spread(deal, range(len(seeds)))), np.float64)
