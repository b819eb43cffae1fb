"""Deals for training: a random stream of cards with all players' showdown strengths and buckets.

What a card abstraction must offer is `CardBuckets`. Two need no tables on disk and are here:
`Lossless` for reduced decks, where every set of cards is a bucket of its own, and `Percentile`,
which sorts a made hand by how many of all hands it beats on the board and by its draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import NUM_CARDS
from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.cards.plain_strength import strength
from riverboat.cards.strength import strength_tables
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction._bucket_kernels import (
    PERCENTILE_DRAWS,
    assign_lossless,
    assign_percentiles,
    deal_cards,
    rank_by_table,
    rank_hands,
)
from riverboat.holdem.rules.state import Holdem
from riverboat.runtime.compiled import stream


class CardBuckets(Protocol):
    """A card abstraction as the trainer and the player see it."""

    @property
    def num_buckets(self) -> tuple[int, ...]:
        """By street."""

    def assign(self, cards: NDArray[np.uint8], players: int, out: NDArray[np.uint32]) -> None:
        """Buckets `out` (N, P, S) of deals `cards` (N, n): all hands, then the board.

        `out` may have fewer streets than the game; the board then has only their cards.
        """

    def describe(self) -> dict[str, Any]:
        """What makes it again (`[cards]` in a config)."""


def is_whole_deck(game: Holdem) -> bool:
    """Two cards each from 52, board cards as in hold'em (perhaps fewer streets)."""
    streets = (0, 3, 1, 1)[: game.num_streets]
    return game.board_cards == streets and (game.hole_cards, game.ranks, game.suits) == (2, 13, 4)


def has_two_cards(game: Holdem) -> bool:
    """Two cards each and board cards as in hold'em, from 52 cards or fewer."""
    return game.hole_cards == 2 and game.board_cards == (0, 3, 1, 1)[: game.num_streets]


def has_full_boards(game: Holdem) -> bool:
    """The cards of hold'em as it is played: a whole deck and boards of five."""
    return is_whole_deck(game) and sum(game.board_cards) == 5


@lru_cache(maxsize=1)
def _choose() -> NDArray[np.int64]:
    """(53, 8) binomials."""
    return np.array([[comb(n, k) for k in range(8)] for n in range(53)])


def _positions(game: Holdem) -> NDArray[np.int64]:
    """(52,) each card's place in the deck, −1 for cards that are not in it."""
    places = np.full(NUM_CARDS, -1)
    places[list(game.deck)] = np.arange(len(game.deck))
    return places


class Lossless:
    """Every set of cards for itself; for reduced decks."""

    def __init__(self, game: Holdem) -> None:
        self.game = game
        deck = len(game.deck)
        self._sizes = np.array([comb(deck, count) for count in game.board_cards])
        counts = comb(deck, game.hole_cards) * np.cumprod(self._sizes.astype(object))
        if counts[-1] > 1 << 31:
            raise ParameterError(
                f'cards = "lossless" would need {counts[-1]:,} buckets; it is for reduced decks.'
            )
        self.num_buckets = tuple(int(count) for count in counts)
        self._board = np.array(game.board_cards)
        self._chosen = _positions(game)

    def assign(self, cards: NDArray[np.uint8], players: int, out: NDArray[np.uint32]) -> None:
        hole, board = self.game.hole_cards, self._board[: out.shape[2]]
        assign_lossless(cards, players, hole, board, self._chosen, _choose(), self._sizes, out)

    def describe(self) -> dict[str, Any]:
        return {"scheme": "lossless"}


class Percentile:
    """169 classes before the flop; then `levels` parts by made hand, times four kinds of draw."""

    def __init__(self, game: Holdem, levels: Mapping[str, int] | None = None) -> None:
        if not has_two_cards(game):
            raise ParameterError(
                'cards = "percentile" is for two cards each and boards of 3, 1 and 1 cards; use'
                ' "lossless" here.'
            )
        outside = ~np.isin(COMBO_CARDS, game.deck).all(axis=1)
        self._missing = np.flatnonzero(outside).astype(np.uint16)
        wanted = {"flop": 24, "turn": 24, "river": 50} | dict(levels or {})
        if set(wanted) != {"flop", "turn", "river"} or not all(
            type(parts) is int and 1 <= parts <= 1000 for parts in wanted.values()
        ):
            raise ParameterError(
                "percentile takes flop, turn and river with 1 to 1000 parts each, not"
                f" {', '.join(f'{key} = {value}' for key, value in wanted.items())}."
            )
        self.levels = wanted
        parts = np.array([1, wanted["flop"], wanted["turn"], wanted["river"]])
        self._levels = parts[: game.num_streets]
        draws = (1, PERCENTILE_DRAWS, PERCENTILE_DRAWS, 1)
        counts = (NUM_CLASSES, *(int(n) * d for n, d in zip(parts[1:], draws[1:], strict=True)))
        self.num_buckets = counts[: game.num_streets]

    def assign(self, cards: NDArray[np.uint8], players: int, out: NDArray[np.uint32]) -> None:
        classes, outs, tables = class_of_combos(), _straight_outs(), strength_tables().arrays
        assign_percentiles(cards, players, self._levels, classes, self._missing, outs, tables, out)

    def describe(self) -> dict[str, Any]:
        return {"scheme": "percentile", **self.levels}


@lru_cache(maxsize=1)
def _straight_outs() -> NDArray[np.uint16]:
    """(8192,) the ranks that complete a straight, by ranks held; none where there is one."""
    ranks = np.arange(8192)

    def straight(held: NDArray[np.int64]) -> NDArray[np.bool_]:
        wheel = held << 1 | held >> 12
        return np.asarray(
            (wheel & wheel >> 1 & wheel >> 2 & wheel >> 3 & wheel >> 4) != 0, np.bool_
        )

    outs = np.zeros(8192, np.int64)
    for rank in range(13):
        outs |= (straight(ranks | 1 << rank) & ~straight(ranks)).astype(np.int64) << rank
    return outs.astype(np.uint16)


class Deals:
    """A stream of deals; `next` gives the following batch in arrays that it uses again."""

    def __init__(self, game: Holdem, buckets: CardBuckets, seed: int, number: int, batch: int):
        self.game, self._buckets = game, buckets
        self.generator = np.array([stream(seed % 2**64, 2 * number)], np.uint64)
        self.deck = np.array(game.deck, np.uint8)
        players, cards = game.players, game.players * game.hole_cards + sum(game.board_cards)
        self.cards = np.empty((batch, cards), np.uint8)
        self.ranks = np.empty((batch, players), np.uint32)
        self.buckets = np.empty((batch, players, game.num_streets), np.uint32)
        small = game.hole_cards + sum(game.board_cards) < 5
        self._table = _small_ranks(game) if small else None

    def next(self, count: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Buckets (count, P, S) and showdown strengths (count, P) of new deals."""
        cards = self.cards[:count]
        deal_cards(self.generator, self.deck, cards)
        self.rank(cards, self.ranks[:count])
        self._buckets.assign(cards, self.game.players, self.buckets[:count])
        return self.buckets[:count], self.ranks[:count]

    def rank(self, cards: NDArray[np.uint8], out: NDArray[np.uint32]) -> None:
        """Showdown strengths of deals."""
        players, hole = self.game.players, self.game.hole_cards
        if self._table is None:
            rank_hands(cards, players, hole, strength_tables().arrays, out)
        else:
            rank_by_table(cards, players, hole, _positions(self.game), _choose(), self._table, out)


def _small_ranks(game: Holdem) -> NDArray[np.uint32]:
    """The order of all sets of a hand's cards with the board, where they are fewer than five."""
    size = game.hole_cards + sum(game.board_cards)
    # Sets in the order of `_place`: by the highest card first.
    sets = sorted(combinations(range(len(game.deck)), size), key=lambda s: s[::-1])
    values = [strength([game.deck[index] for index in chosen]) for chosen in sets]
    order = {value: number for number, value in enumerate(sorted(set(values)))}
    return np.array([order[value] for value in values], np.uint32)
