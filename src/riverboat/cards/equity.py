"""Equity of two to nine hands or ranges on any board, exact where that is affordable.

How a question is answered, from its cost:

| question | method |
|---|---|
| two hands before the flop | rank multisets and flush corrections (`preflop`) |
| two ranges before the flop | the same for each pair of hands that differs, or the whole table |
| two ranges on a board | each runout sorted once and swept with card removal |
| three and more | every different deal of the hands, every runout |
| more than `MAX_LOOKUPS` evaluated hands | Monte Carlo, with standard errors |

Short deck is the same with another deck and another order of hands (`SHORT_DECK`). Two ranges
before the flop have no table there: few deals are enumerated, many sampled.

Compiled code is loaded by the methods that need it, so that a table's answer is there at once.

`ties` counts the deals in which a player has the best hand with others, who share it equally.
A deal of ranges counts with the product of its hands' weights, given that no cards overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riverboat.cards._decks import SHORT_DECK, STANDARD, Deck, standard_tables
from riverboat.cards._equity_counting import (
    MAX_PLAYERS_WITH_RANGES,
    different_deals,
    exact_many,
    num_deals,
)
from riverboat.cards._equity_sampling import sample
from riverboat.cards.card import cards_text, check_distinct, parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.preflop import (
    PREFLOP_BOARDS,
    PreflopTable,
    build_preflop_table,
    count_hand_pair,
    disjoint_combos,
)
from riverboat.cards.range_library import read_range
from riverboat.cards.ranges import Range
from riverboat.cards.short_deck import check_deck
from riverboat.drawing.html import html_table
from riverboat.errors import ParameterError, UsageError

if TYPE_CHECKING:
    from riverboat.cards._strength_kernels import Tables

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
    deck: Deck = STANDARD,
) -> Equity:
    """Each player's equity; hands and ranges are texts or `Range`.

    `table` provides the preflop table (a cached one, say), which answers for two players before
    the flop without any compiled code; without it, the table is counted once in this process
    where a question needs all of it.
    """
    cards = parse_board(board)
    if deck is SHORT_DECK:
        check_deck(cards)
    ranges = _ranges(players, cards, deck)
    check_method(method, samples)
    names = tuple(str(player) for player in players)
    if method == "auto":
        method = "exact" if _affordable(ranges, cards, deck) else "monte-carlo"
    if method == "monte-carlo":
        counts = sample(ranges, cards, samples, seed, deck)
    elif len(ranges) == 2:
        counts = _exact_two(ranges, cards, table, deck)
    else:
        counts = exact_many(ranges, cards, deck=deck)
    return answer_of_counts(names, cards_text(cards), method, counts)


def check_method(method: str, samples: int) -> None:
    """Refuse a method that there is not, and a number of samples below one."""
    if method not in METHODS:
        raise UsageError(f"There is no method {method!r}; choose from {', '.join(METHODS)}.")
    if samples < 1:
        raise UsageError(f"The number of samples must be at least 1, not {samples}.")


def _ranges(players: Sequence[str | Range], board: list[int], deck: Deck) -> list[Range]:
    """The players' ranges without the board's cards; impossible ones are refused."""
    if not 2 <= len(players) <= 9:
        raise ParameterError(f"Equity needs 2 to 9 players, not {len(players)}.")
    taken: dict[int, int] = {}
    ranges = []
    for player in players:
        range_ = read_range(player) if isinstance(player, str) else player
        if deck is SHORT_DECK and range_.combos.size == 1:
            check_deck(COMBO_CARDS[range_.combos[0]].tolist())
        live = range_.without([*board, *deck.absent])
        if not live.combos.size and deck is SHORT_DECK and not board:
            raise ParameterError(f"{str(player)!r} has no hand in a deck of 36 cards.")
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


def _affordable(ranges: list[Range], board: list[int], deck: Deck) -> bool:
    """Whether the exact answer stays within MAX_LOOKUPS."""
    num_players, deals = len(ranges), num_deals(ranges)
    if deals == 1 or (num_players == 2 and (board or deck is STANDARD)):
        return True
    if num_players > MAX_PLAYERS_WITH_RANGES or deals > _MAX_DEALS:
        return False
    different = len(different_deals(ranges, board)[0])
    boards = comb(len(deck.cards) - len(board) - 2 * num_players, 5 - len(board))
    return different * boards * num_players <= MAX_LOOKUPS


def answer_of_counts(
    names: tuple[str, ...], board: str, method: str, counts: NDArray[np.float64]
) -> Equity:
    """The answer from how often each set of players (bits of the index) had the best hand."""
    if not counts.any():
        raise ParameterError("These hands can never be dealt together: their cards overlap.")
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
    ranges: list[Range], board: list[int], table: TableSource | None, deck: Deck
) -> NDArray[np.float64]:
    """(4,) weight of deals that each set of the two wins."""
    first, second = ranges
    if (board and num_deals(ranges) == 1) or not (board or deck is STANDARD):
        return exact_many(ranges, board, deck=deck)
    few = len(first.combos) * len(second.combos) <= _MAX_PAIRS_ONE_BY_ONE
    if not board and few and table is None:
        deals, weights = different_deals(ranges, board)
        counts = np.zeros(4)
        for (mine, theirs), weight in zip(deals.tolist(), weights, strict=True):
            won, tied = count_hand_pair(mine, theirs)
            counts += weight * np.array([0, won, PREFLOP_BOARDS - won - tied, tied])
        return counts
    answer = range_equities(first, second, board, table=table, dead=deck.absent, tables=deck.tables)
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
    tables: Callable[[], Tables] = standard_tables,
) -> RangeEquity:
    """Every hand's result against the other range, exact: all 1,326 at once.

    On a board, cards may be `dead`: nobody holds them, and they never come. `tables` make another
    order of hands.
    """
    cards = parse_board(board)
    gone = [*cards, *dead]
    weights = np.stack([first.without(gone).weights, second.without(gone).weights])
    if not cards:
        return _preflop_equities(weights, (table or _table_in_memory)())
    from riverboat.cards._strength_kernels import showdowns

    live = np.flatnonzero(weights.any(axis=0)).astype(np.uint16)
    out = np.zeros((2, 1326, 3))
    showdowns(runouts(cards, dead), live, weights, COMBO_CARDS, *tables(), out)
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
