"""The words that rounds.cu reads: what each rank makes of a hand against each up card.

The automaton of simulate.py goes from state to state and asks the chart by up card and count. Here
state and up card make one row, and the chart's answer stands in it already: a card costs one
look-up. Rows that hold the same words are kept once.

The dealer's rows come once for each class of finished hands, so that the words at their ends say
where the result is counted. Hands of a split pair, and all hands of a table with several seats,
end as classes instead, which the kernel settles against the dealer's class.

The layout of a word is written in rounds.cu. Addresses are in bytes. A rank's column is counted
from the last rank down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from riverboat.blackjack.simulation.automaton import Automaton

__all__ = ["Levels", "RoundTable", "Table"]

_RANKS, _COLUMNS, _CONTESTS = 13, 16, 15
_TERMINAL, _SPLIT = 0x8000, 0xFFFF
_HOLE, _END, _DONE, _ASK, _DEALT = 0x40000, 0x80000, 0x100000, 0x200000, 0x600000
_OVER, _HALVES, _SETTLE = 0x800000, 0xC00000, 0x900000
_HAND_CONTESTS = 0x100
_ACE, _TEN = 0, 9
_NATURAL = {_ACE: 13, _TEN: 14}
"""Up cards beyond the ranks: a dealer with a natural."""
_INSURED, _LOST, _SETTLED_BONUS = 60, -20, 8
"""Bytes among the counts that a won insurance adds to a lost one, and that the lost one takes."""


class Levels:
    """Bins of the count in which all decisions agree, insurance among them."""

    def __init__(self, game: Automaton) -> None:
        num_bins = len(game.insure)
        levels = (game.levels // np.uint64(len(game.nexts))).astype(np.int64)
        pairs = list(zip(levels[:num_bins].tolist(), game.insure.tolist(), strict=True))
        self.kinds = list(dict.fromkeys(pairs))
        """By level: the automaton's level, and whether the player insures."""
        self.by_bin = np.array([self.kinds.index(pair) for pair in pairs], np.uint16)
        self.others = 0
        """The level of the other seats where they have a chart of their own, else 0."""
        if np.any(levels[num_bins:] != levels[:num_bins]):
            self.others = len(self.kinds)
            self.kinds.append((int(levels[num_bins]), 0))


@dataclass(frozen=True)
class Table:
    """What the words are made for."""

    ranks: int
    """10 where tens and faces are one rank, else 13."""
    seats: int
    peek: bool
    middle: int
    """Where among the counts a result of nothing stands."""
    tags: tuple[int, ...]
    """What each rank adds to the running count, as the kernel keeps it."""


class RoundTable:
    """The words of a table's rounds, and where the kernel finds those that it names itself."""

    def __init__(self, game: Automaton, levels: Levels, table: Table) -> None:
        self._game, self._levels, self._table = game, levels, table
        self._nexts = game.nexts.reshape(-1, _COLUMNS).astype(np.int64)
        self._house = game.house.reshape(-1, _COLUMNS).astype(np.int64)
        self._pay = game.pay.reshape(-1, _COLUMNS)
        self._ranks = game.ranks.reshape(5, _COLUMNS).astype(np.int64)
        answer = game.answer.reshape(-1, len(self._nexts), _COLUMNS).astype(np.int64)
        self._answer = answer[[level for level, _ in levels.kinds]]
        self._pairs = _pairs(game)
        self._order = range(table.ranks - 1, -1, -1)
        self.far_tags = max(map(abs, table.tags)) > 127
        """Whether tags are too large to stand in the words."""
        self._words: list[int] = []
        self._kept: dict[tuple[int, ...], int] = {}
        self._rows: dict[tuple[int, int, bool], int] = {}
        self._house_rows: dict[tuple[int | None, int, bool, int], int] = {}
        self._numbers: dict[int, int] = {}
        """The dealer's numbers, by code after two cards, or by up card without a hole card."""
        self._build()

    @property
    def words(self) -> NDArray[np.uint32]:
        """All of them, as the kernel takes them."""
        return np.array(self._words, np.int64).astype(np.uint32)

    def _build(self) -> None:
        table, ranks = self._table, self._table.ranks
        ups = [*range(ranks), *(_NATURAL.values() if table.peek else ())]
        deals = {up: 4 * ranks * i for i, up in enumerate(ups)}
        self._words = [0] * (ranks * len(ups))  # first, since HOLE has ten bits for these rows
        self.tenths = self._put([int(x) for row in self._pay for x in row])
        self.tags = self._put([table.tags[rank] for rank in self._order])
        pairs = [rank for rank in range(ranks) if self._ranks[2, rank] > 1]
        self._splits = {(pair, up): self._new([0, 0, 0]) for pair in pairs for up in range(ranks)}
        up_row = self._up_row(deals)
        self.insured_house = 4 * self._numbers.setdefault(-1, len(self._numbers))
        self.contested, self.uncontested = self._block(None, True), self._block(None, False)
        self._blocks = [self._block(c, bool(row[_CONTESTS])) for c, row in enumerate(self._pay)]
        for (pair, up), where in self._splits.items():
            rows = [self._row(int(self._ranks[k, pair]) // _COLUMNS, up, True) for k in (3, 4)]
            self._words[where // 4 : where // 4 + 3] = [int(self._ranks[2, pair]) - 1, *rows]
        for up, where in deals.items():
            firsts = [self._row(rank, up, table.seats > 1) for rank in self._order]
            self._words[where // 4 : where // 4 + ranks] = self._tagged(firsts)
        self.up_row = up_row

    def _up_row(self, deals: dict[int, int]) -> int:
        """The row of the dealer's first card, with those of the second behind it."""
        if not self._table.peek:
            self._numbers = {up: up for up in range(self._table.ranks)}
            words = [_HOLE | deals[up] | up << 10 for up in self._order]
            return self._put(self._tagged(words))
        return self._put(self._tagged([self._hole_row(up, deals) for up in self._order]))

    def _hole_row(self, up: int, deals: dict[int, int]) -> int:
        words = []
        for rank in self._order:
            code = int(self._house[up, rank])
            number = self._numbers.setdefault(code, len(self._numbers))
            column = _NATURAL[min(up, _TEN)] if code == self._game.natural else up
            words.append(_HOLE | deals[column] | number << 10)
        return self._put(self._tagged(words))

    def _block(self, klass: int | None, contests: bool) -> int:
        """For a finished hand (None: of several), by the dealer's number, what comes next."""
        words = []
        for code in self._numbers:
            if not self._table.peek:
                up, bonus = max(code, _ACE), _INSURED * (code < 0)
                words.append(self._house_row(klass, up, contests, bonus))
            else:
                words.append(self._against(klass, max(code, 0), contests, 0))
        return self._put(words)

    def _house_row(self, klass: int | None, row: int, contests: bool, bonus: int = 0) -> int:
        key = (klass, row, contests, bonus)
        if key not in self._house_rows:
            codes = (int(self._house[row, rank]) for rank in self._order)
            words = [self._against(klass, code, contests, bonus) for code in codes]
            self._house_rows[key] = self._put(self._tagged(words))
        return self._house_rows[key]

    def _against(self, klass: int | None, code: int, contests: bool, bonus: int) -> int:
        """The word for a finished hand when the dealer has come to `code`."""
        if code < _TERMINAL and contests:
            return self._house_row(klass, code // _COLUMNS, contests)
        final = max(0, code - _TERMINAL)
        bonus *= code == self._game.natural
        if klass is None:
            return _SETTLE | final | bonus << _SETTLED_BONUS
        return _DONE | 4 * (self._table.middle + int(self._pay[klass, final])) + bonus

    def _row(self, state: int, up: int, several: bool) -> int:
        """The row of a hand that draws a card; `several`: its end is a class to be settled."""
        key = (state, up, several)
        if key not in self._rows:
            word = self._dealt if state < _RANKS else self._after
            drawn = [int(self._nexts[state, rank]) // _COLUMNS for rank in self._order]
            self._rows[key] = self._put(self._tagged([word(s, up, several) for s in drawn]))
        return self._rows[key]

    def _dealt(self, state: int, up: int, several: bool) -> int:
        """The word of two cards: insurance is decided, and other seats get theirs."""
        word = self._after(state, up, several)
        asked = up in (_ACE, _NATURAL[_ACE])
        results = [
            (_LOST + _INSURED * (up == _NATURAL[_ACE])) * (asked and bool(insures))
            for _, insures in self._levels.kinds
        ]
        if self._table.seats == 1 and not any(results):
            return word
        return _DEALT | self._put([word, *results])

    def _after(self, state: int, up: int, several: bool) -> int:
        """The word of a hand in `state`: the chart's answer, or where its answers stand."""
        column = next((rank for rank, key in _NATURAL.items() if key == up), up)
        natural = up in _NATURAL.values()
        words = []
        for code in self._answer[:, state, column].tolist():
            plays_on = code < _TERMINAL or code == _SPLIT
            ends = natural and plays_on  # a natural ends the round, except for hands that are over
            words.append(self._answered(_TERMINAL if ends else code, state, up, several))
        alike = all(word == words[0] for word in words)
        return words[0] if alike else _ASK | self._put(words)

    def _answered(self, code: int, state: int, up: int, several: bool) -> int:
        if code == _SPLIT:
            return _HALVES | self._splits[int(self._pairs[state]), up]
        if code < _TERMINAL:
            return self._row(code // _COLUMNS, up, several)
        klass = (code - _TERMINAL) // _COLUMNS
        if not several:
            return _END | self._blocks[klass]
        return _OVER | klass | _HAND_CONTESTS * bool(self._pay[klass, _CONTESTS])

    def _tagged(self, words: Sequence[int]) -> list[int]:
        if self.far_tags:
            return list(words)
        tags = (self._table.tags[rank] for rank in self._order)
        return [word | (tag & 0xFF) << 24 for word, tag in zip(words, tags, strict=True)]

    def _put(self, words: Sequence[int]) -> int:
        """Where these words stand; the same words are kept once."""
        key = tuple(words)
        if key not in self._kept:
            self._kept[key] = self._new(key)
        return self._kept[key]

    def _new(self, words: Sequence[int]) -> int:
        self._words.extend(words)
        return 4 * (len(self._words) - len(words))


def _pairs(game: Automaton) -> NDArray[np.int64]:
    """(S,) the rank that a state is a pair of, 0 where it is none; one ten may stand for all."""
    nexts, by_rank = game.nexts.reshape(-1, _COLUMNS), game.ranks.reshape(5, _COLUMNS)
    pairs = np.zeros(len(nexts), np.int64)
    for rank in reversed(range(_RANKS)):
        halves = (
            {int(by_rank[k, rank]) // _COLUMNS for k in (3, 4)} if by_rank[2, rank] > 1 else set()
        )
        for row in {rank, *halves}:
            pairs[nexts[row, rank] // _COLUMNS] = rank
    return pairs
