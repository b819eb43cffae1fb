"""Equity of two to nine hands or ranges on any board, exact where that is affordable.

How a question is answered, from its cost:

| question | method |
|---|---|
| two hands before the flop | rank multisets and flush corrections (`preflop`) |
| two ranges before the flop | the same for each pair of hands that differs, or the whole table |
| two ranges on a board | each runout sorted once and swept with card removal |
| three and more | every different deal of the hands, every runout |
| more than `MAX_LOOKUPS` evaluated hands | Monte Carlo, with standard errors |

Compiled code is loaded by the methods that need it, so that a table's answer is there at once.

`ties` counts the deals in which a player has the best hand with others, who share it equally.
A deal of ranges counts with the product of its hands' weights, given that no cards overlap.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb, prod, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import cards_text, check_distinct, parse_cards
from riverboat.cards.combos import COMBO_CARDS, suit_permutations
from riverboat.cards.plain_strength import score_of
from riverboat.cards.preflop import (
    PREFLOP_BOARDS,
    PreflopTable,
    build_preflop_table,
    count_hand_pair,
    disjoint_combos,
)
from riverboat.cards.ranges import Range
from riverboat.drawing.html import html_table
from riverboat.errors import ParameterError, TooLargeError, UsageError

if TYPE_CHECKING:
    from riverboat.cards._equity_kernels import Pieces


MAX_PLAYERS_WITH_RANGES = 6
MAX_PLAIN_HANDS = 2_000
"""Hands that plain Python evaluates before compiled code would have been loaded."""
_MAX_WHOLE_DEALS = 5_000_000


def num_deals(ranges: list[Range]) -> int:
    """Deals of hands, overlapping ones included."""
    return prod(len(range_.combos) for range_ in ranges)


def different_deals(
    ranges: list[Range], board: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Deals of hands (D, P) that no renaming of suits makes equal, with their weights (D,)."""
    if num_deals(ranges) == 1:
        alone = np.array([[range_.combos[0] for range_ in ranges]])
        return alone, np.array([prod(float(range_.weights[range_.combos[0]]) for range_ in ranges)])
    deals = np.zeros((1, 0), np.int64)
    weights = np.ones(1)
    apart = disjoint_combos()
    for range_ in ranges:
        combos = range_.combos
        old, new = (part.ravel() for part in np.mgrid[: len(deals), : len(combos)])
        fits = np.ones(len(old), np.bool_)
        for column in range(deals.shape[1]):
            fits &= apart[deals[old, column], combos[new]]
        old, new = old[fits], new[fits]
        deals = np.column_stack([deals[old], combos[new]])
        weights = weights[old] * range_.weights[combos[new]]
    cards, combos_renamed = suit_permutations()
    held = sorted(board)
    codes = None
    for renamed_cards, renamed in zip(cards, combos_renamed, strict=True):
        if sorted(renamed_cards[held].tolist()) != held:
            continue
        code = np.zeros(len(deals), np.int64)
        for column in range(deals.shape[1]):
            code = code * 1326 + renamed[deals[:, column]]
        codes = code if codes is None else np.minimum(codes, code)
    if codes is None or not len(deals) or deals.shape[1] > MAX_PLAYERS_WITH_RANGES:
        return deals, weights
    _, where, member = np.unique(codes, return_index=True, return_inverse=True)
    return deals[where], np.bincount(member, weights).astype(np.float64)


def exact_many(
    ranges: list[Range], board: list[int], *, max_plain: int = MAX_PLAIN_HANDS
) -> NDArray[np.float64]:
    """(2^P,) weight of deals that each set of players wins; few of them in plain Python."""
    if num_deals(ranges) > _MAX_WHOLE_DEALS:
        raise TooLargeError(
            f"An exact answer would visit {num_deals(ranges):,} deals; sample them instead"
            " (method monte-carlo)."
        )
    boards = comb(52 - len(board) - 2 * len(ranges), 5 - len(board))
    # Where compiled code is there already, it is a hundred times as quick.
    few = num_deals(ranges) * boards * len(ranges) <= max_plain
    if few and "riverboat.cards._equity_kernels" not in sys.modules:
        return _exact_few(ranges, board)
    from riverboat.cards._equity_kernels import enumerate_boards
    from riverboat.cards._strength_kernels import EMPTY_SUM
    from riverboat.cards.strength import strength_tables

    deals, weights = different_deals(ranges, board)
    num_sets = 1 << len(ranges)
    counts = np.zeros(num_sets)
    board_sum, board_mask = sums_and_masks([board])
    for deal, weight in zip(deals, weights, strict=True):
        hands = COMBO_CARDS[deal]
        gone = {*board, *hands.ravel().tolist()}
        deck = np.array([card for card in range(52) if card not in gone], np.uint8)
        sums, masks = sums_and_masks(hands.tolist())
        counted = np.zeros((4, num_sets), np.int64)
        enumerate_boards(
            deck,
            5 - len(board),
            board_sum[0] + EMPTY_SUM,
            board_mask[0],
            sums,
            masks,
            strength_tables().arrays,
            counted,
        )
        counts += weight * counted.sum(axis=0)
    return counts


def _exact_few(ranges: list[Range], board: list[int]) -> NDArray[np.float64]:
    """The same for a handful of deals and boards: two hands after the flop, say."""
    counts = np.zeros(1 << len(ranges))
    for deal in product(*(range_.combos.tolist() for range_ in ranges)):
        hands = [COMBO_CARDS[combo].tolist() for combo in deal]
        gone = [*board, *(card for hand in hands for card in hand)]
        if len(set(gone)) < len(gone):
            continue
        weight = prod(float(r.weights[combo]) for r, combo in zip(ranges, deal, strict=True))
        rest = [card for card in range(52) if card not in gone]
        for more in combinations(rest, 5 - len(board)):
            scores = [score_of([*hand, *board, *more]) for hand in hands]
            best = max(scores)
            counts[sum((score == best) << i for i, score in enumerate(scores))] += weight
    return counts


METHODS = ("auto", "exact", "monte-carlo")
MAX_LOOKUPS = 300_000_000
"""Hands that an exact answer may evaluate before sampling is preferred: some seconds."""
DEFAULT_SAMPLES = 5_000_000
_MAX_DEALS = 300_000
_MAX_PAIRS_ONE_BY_ONE = 2_500

TableSource = Callable[[], PreflopTable]


@dataclass(frozen=True, repr=False)
class Equity:
    """The answer: counts of deals (weighted, or samples) and each player's share of the pot."""

    players: tuple[str, ...]
    board: str
    method: str
    total: float
    wins: tuple[float, ...]
    ties: tuple[float, ...]
    equity: tuple[float, ...]
    stderr: tuple[float, ...]
    """Zero where the method is exact."""

    def as_dict(self) -> dict[str, object]:
        """The facts for a program: what `riverboat equity --json` prints."""
        return {
            "players": list(self.players),
            "board": self.board,
            "method": self.method,
            "total": self.total,
            "wins": list(self.wins),
            "ties": list(self.ties),
            "equity": list(self.equity),
            "stderr": list(self.stderr),
        }

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{name if len(name) <= 24 else name[:23] + '…'} {share:.2%}"
            for name, share in zip(self.players, self.equity, strict=True)
        )
        on = f" on {self.board}" if self.board else ""
        return f"<Equity {shares}{on}, {self.method}>"

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{share:.4%}", f"{wins / self.total:.4%}", f"{ties / self.total:.4%}")
            for name, share, wins, ties in zip(
                self.players, self.equity, self.wins, self.ties, strict=True
            )
        ]
        width = 1.96 * max(self.stderr)
        note = f"{self.method}, {self.total:,.0f} deals" + f", ± {width:.2%} (95 %)" * bool(width)
        title = f"Equity on {self.board}" if self.board else "Equity"
        return html_table(("player", "equity", "wins", "ties"), rows, title=title, note=note)


@dataclass(frozen=True)
class RangeEquity:
    """Each hand of two ranges against the other range as a whole, on one board."""

    wins: NDArray[np.float64]
    """(2, 1326) weight of opponents' hands and runouts that the hand beats."""
    ties: NDArray[np.float64]  # (2, 1326)
    totals: NDArray[np.float64]  # (2, 1326)

    @property
    def equities(self) -> NDArray[np.float64]:
        """(2, 1326) equity of each hand, NaN where it cannot meet the other range."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((self.wins + self.ties / 2) / self.totals)


def parse_board(board: str | Sequence[int]) -> list[int]:
    """The cards of a board of 0, 3, 4 or 5 cards."""
    cards = parse_cards(board) if isinstance(board, str) else [int(card) for card in board]
    if len(cards) not in (0, 3, 4, 5):
        raise ParameterError(f"A board has 0, 3, 4 or 5 cards, not {len(cards)}.")
    check_distinct(cards)
    return cards


def runouts(board: Sequence[int], dead: Sequence[int] = ()) -> NDArray[np.uint8]:
    """(B, 5) the board completed in every way, without `dead` cards."""
    rest = [card for card in range(52) if card not in board and card not in dead]
    return np.array([[*board, *more] for more in combinations(rest, 5 - len(board))], np.uint8)


def equity(
    players: Sequence[str | Range],
    board: str | Sequence[int] = "",
    *,
    method: str = "auto",
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
    table: TableSource | None = None,
) -> Equity:
    """Each player's equity; hands and ranges are texts or `Range`.

    `table` provides the preflop table (a cached one, say), which answers for two players before
    the flop without any compiled code; without it, the table is counted once in this process
    where a question needs all of it.
    """
    cards = parse_board(board)
    ranges = _ranges(players, cards)
    if method not in METHODS:
        raise UsageError(f"There is no method {method!r}; choose from {', '.join(METHODS)}.")
    if samples < 1:
        raise UsageError(f"The number of samples must be at least 1, not {samples}.")
    names = tuple(str(player) for player in players)
    if method == "auto":
        method = "exact" if _affordable(ranges, cards) else "monte-carlo"
    if method == "monte-carlo":
        counts = sample(ranges, cards, samples, seed)
    elif len(ranges) == 2:
        counts = _exact_two(ranges, cards, table)
    else:
        counts = exact_many(ranges, cards)
    if not counts.any():
        raise ParameterError("These hands can never be dealt together: their cards overlap.")
    return _answer(names, cards_text(cards), method, counts)


def _ranges(players: Sequence[str | Range], board: list[int]) -> list[Range]:
    """The players' ranges without the board's cards; impossible ones are refused."""
    if not 2 <= len(players) <= 9:
        raise ParameterError(f"Equity needs 2 to 9 players, not {len(players)}.")
    taken: dict[int, int] = {}
    ranges = []
    for player in players:
        range_ = Range.parse(player) if isinstance(player, str) else player
        live = range_.without(board)
        if not live.combos.size:
            hint = "shares a card with" if range_.combos.size == 1 else "has no hand left on"
            raise ParameterError(f"{str(player)!r} {hint} the board {cards_text(board)}.")
        if live.combos.size == 1:
            for card in COMBO_CARDS[live.combos[0]].tolist():
                if card in taken:
                    raise ParameterError(f"Two players hold the card {cards_text([card])}.")
                taken[card] = card
        ranges.append(live)
    return ranges


def _affordable(ranges: list[Range], board: list[int]) -> bool:
    """Whether the exact answer stays within MAX_LOOKUPS."""
    num_players, deals = len(ranges), num_deals(ranges)
    if num_players == 2 or deals == 1:
        return True
    if num_players > MAX_PLAYERS_WITH_RANGES or deals > _MAX_DEALS:
        return False
    different = len(different_deals(ranges, board)[0])
    boards = comb(52 - len(board) - 2 * num_players, 5 - len(board))
    return different * boards * num_players <= MAX_LOOKUPS


def _answer(names: tuple[str, ...], board: str, method: str, counts: NDArray[np.float64]) -> Equity:
    """The answer from how often each set of players (bits of the index) had the best hand."""
    total = float(counts.sum())
    sets = np.arange(len(counts))
    sizes = np.array([max(1, int(winners).bit_count()) for winners in sets])
    wins, ties, shares, errors = [], [], [], []
    for player in range(len(names)):
        among = sets >> player & 1 == 1
        share = among / sizes
        mean = float(counts @ share) / total
        variance = float(counts @ (share - mean) ** 2) / total
        wins.append(_plain(float(counts[1 << player])))
        ties.append(_plain(float(counts[among & (sizes > 1)].sum())))
        shares.append(mean)
        errors.append(sqrt(variance / total) if method == "monte-carlo" else 0.0)
    return Equity(
        names, board, method, _plain(total), tuple(wins), tuple(ties), tuple(shares), tuple(errors)
    )


def _plain(number: float) -> float:
    """A whole number as int, so that counts read as counts."""
    return int(number) if number.is_integer() else number


def _exact_two(
    ranges: list[Range], board: list[int], table: TableSource | None
) -> NDArray[np.float64]:
    """(4,) weight of deals that each set of the two wins."""
    first, second = ranges
    if board and num_deals(ranges) == 1:
        return exact_many(ranges, board)
    few = len(first.combos) * len(second.combos) <= _MAX_PAIRS_ONE_BY_ONE
    if not board and few and table is None:
        deals, weights = different_deals(ranges, board)
        counts = np.zeros(4)
        for (mine, theirs), weight in zip(deals.tolist(), weights, strict=True):
            won, tied = count_hand_pair(mine, theirs)
            counts += weight * np.array([0, won, PREFLOP_BOARDS - won - tied, tied])
        return counts
    answer = range_equities(first, second, board, table=table)
    wins, ties, totals = (
        float(first.weights @ figure[0]) for figure in (answer.wins, answer.ties, answer.totals)
    )
    return np.array([0.0, wins, totals - wins - ties, ties])


def range_equities(
    first: Range,
    second: Range,
    board: str | Sequence[int] = "",
    *,
    table: TableSource | None = None,
    dead: Sequence[int] = (),
) -> RangeEquity:
    """Every hand's result against the other range, exact: all 1,326 at once.

    On a board, cards may be `dead`: nobody holds them, and they never come.
    """
    cards = parse_board(board)
    gone = [*cards, *dead]
    weights = np.stack([first.without(gone).weights, second.without(gone).weights])
    if not cards:
        return _preflop_equities(weights, (table or _table_in_memory)())
    from riverboat.cards._strength_kernels import showdowns
    from riverboat.cards.strength import strength_tables

    live = np.flatnonzero(weights.any(axis=0)).astype(np.uint16)
    out = np.zeros((2, 1326, 3))
    showdowns(runouts(cards, dead), live, weights, COMBO_CARDS, *strength_tables().arrays, out)
    # A hand outside a range has results too, for it met the other range's hands: leave them out.
    out *= (weights > 0)[:, :, None]
    return RangeEquity(out[..., 0], out[..., 1] - out[..., 0], out[..., 2])


_table_in_memory = lru_cache(maxsize=1)(build_preflop_table)


def _preflop_equities(weights: NDArray[np.float64], table: PreflopTable) -> RangeEquity:
    figures = np.zeros((3, 2, 1326))
    for side in range(2):
        combos = np.flatnonzero(weights[side])
        wins, ties = table.rows(combos)
        other = weights[1 - side]
        figures[0, side, combos] = wins @ other
        figures[1, side, combos] = ties @ other
        figures[2, side, combos] = PREFLOP_BOARDS * (disjoint_combos()[combos] @ other)
    return RangeEquity(figures[0], figures[1], figures[2])


CHUNK = 10_000_000  # Samples that nothing interrupts: about a second
_MAX_TRIES = 10_000_000
"""Rejected samples in a row after which ranges count as impossible together."""


def sums_and_masks(hands: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Sums of card keys and card masks (N,) of sets of cards of one size."""
    from riverboat.cards.strength import strength_tables

    cards = np.array(hands, np.uint64).reshape(len(hands), -1)
    keys = strength_tables().card_keys[cards]
    bits = np.uint64(1) << cards
    return keys.sum(axis=1, dtype=np.uint64), bits.sum(axis=1, dtype=np.uint64)


def _pieces(board: list[int], gone: set[int]) -> Pieces:
    """What a board is sampled from: pieces of up to three cards with the known ones, and of two."""
    from riverboat.cards._equity_kernels import Pieces
    from riverboat.cards._strength_kernels import EMPTY_SUM

    deck = [card for card in range(52) if card not in gone]
    missing = 5 - len(board)
    small = 2 if missing == 5 else 0
    big_sums, big_masks = sums_and_masks(
        [[*board, *more] for more in combinations(deck, missing - small)]
    )
    small_sums, small_masks = sums_and_masks(list(combinations(deck, small)))
    return Pieces(big_sums + EMPTY_SUM, big_masks, small_sums, small_masks)


def sample(ranges: list[Range], board: list[int], samples: int, seed: int) -> NDArray[np.float64]:
    """(2^P,) how many of `samples` random deals each set of players (bits of the index) won."""
    from riverboat.cards._equity_kernels import Hands, sample_boards, sample_deals
    from riverboat.cards.strength import strength_tables

    counted = np.zeros((4, 1 << len(ranges)), np.int64)
    arrays = strength_tables().arrays
    seeds = np.random.SeedSequence(seed).generate_state(-(-samples // CHUNK), np.uint64)
    chunks = [(min(CHUNK, samples - CHUNK * i), start) for i, start in enumerate(seeds)]
    hands = [COMBO_CARDS[range_.combos] for range_ in ranges]
    if all(len(hands_of_range) == 1 for hands_of_range in hands):
        gone = {*board, *np.concatenate(hands).ravel().tolist()}
        sums, masks = sums_and_masks(np.concatenate(hands).tolist())
        pieces = _pieces(board, gone)
        for size, start in chunks:
            sample_boards(size, start, pieces, sums, masks, arrays, counted)
        return np.asarray(counted.sum(axis=0), np.float64)
    starts = np.cumsum([0, *map(len, hands)])
    sums, masks = sums_and_masks(np.concatenate(hands).tolist())
    tables = [_alias_table(range_.weights[range_.combos]) for range_ in ranges]
    pool = Hands(
        starts,
        sums,
        masks,
        np.concatenate([thresholds for thresholds, _ in tables]),
        np.concatenate(
            [aliases + at for (_, aliases), at in zip(tables, starts[:-1], strict=True)]
        ),
    )
    pieces = _pieces(board, set(board))
    for size, start in chunks:
        if sample_deals(size, _MAX_TRIES, start, pieces, pool, arrays, counted) < size:
            raise ParameterError(
                "Hardly any deal of these ranges is possible, so much do they overlap; widen them."
            )
    return np.asarray(counted.sum(axis=0), np.float64)


def _alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Thresholds scaled to 2^32 and aliases (N,): Walker's method, by Vose."""
    scaled = (weights / weights.sum() * len(weights)).tolist()
    thresholds, aliases = np.ones(len(scaled)), np.arange(len(scaled))
    small = [i for i, value in enumerate(scaled) if value < 1]
    large = [i for i, value in enumerate(scaled) if value >= 1]
    while small and large:
        low, high = small.pop(), large[-1]
        thresholds[low], aliases[low] = scaled[low], high
        scaled[high] -= 1 - scaled[low]
        if scaled[high] < 1:
            small.append(large.pop())
    return thresholds * 2.0**32, aliases
