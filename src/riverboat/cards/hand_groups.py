"""Groups of hands on a board, in the words of players: made hand, draw, blocker, suits.

    >>> from riverboat.cards.hands import hand_cards, hand_number
    >>> from riverboat.cards.hands import parse_hand
    >>> groups = hand_groups("Ts 9s 2d", hand_cards(2))
    >>> groups.of(hand_number(parse_hand("AsJs", 2)))
    HandGroup(made='ace high', draw='combo draw', blocker='no blocker', suits='suited', outs=12)

Hands of two cards play hold'em, hands of three to five Omaha: exactly two of them with three of the
board. Each hand is in one group of each kind, the best that fits; `tags` also has the wider groups
("flush draw" has the nut flush draws, "straight draw" all straight draws).

**Made hands** are named by the strength of the best five cards, and pairs by what the hand's own
cards add. Ranks of the board that differ are counted from the top: a card that pairs the second one
makes second pair, on K77 as on K72. A pair in the hand is an overpair above all of them, else an
underpair. A pair, trips or quads that lie on the board are nobody's own: what is left is an ace, a
king or nothing. Where a straight or more is the board's own, in hold'em, the hand plays the board.

**Draws** are counted over all next cards, on flop and turn: `outs` are those that make a straight
or a flush that the board alone does not have. A straight draw of one rank is a gutshot, of more
open-ended, from nine outs on a wrap. A hand that already has a straight draws to flushes only, one
that has a flush or more to nothing. A backdoor flush draw
has two cards of a suit in the hand and one on the flop.

**The nuts** among flushes have the highest card of the suit that is not on the board, among
straights the highest that any two cards make. **Blockers** hold a card of them and do not have
them: no flush in that suit, no straight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards._omaha_kernels import best_pairs
from riverboat.cards.card import check_distinct, parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.hands import hand_masks
from riverboat.cards.omaha import pair_strengths
from riverboat.cards.strength import BLOCKED, board_strengths, mask_of, strength, strength_tables
from riverboat.errors import ParameterError, UnknownNameError
from riverboat.runtime.array_types import U8, U16, Bools

MADE = (
    "straight flush",
    "quads",
    "full house",
    "nut flush",
    "flush",
    "nut straight",
    "straight",
    "set",
    "trips",
    "top two pair",
    "top and bottom pair",
    "bottom two pair",
    "two pair",
    "overpair",
    "top pair",
    "second pair",
    "third pair",
    "low pair",
    "underpair",
    "ace high",
    "king high",
    "nothing",
    "the board",
)
DRAWS = (
    "combo draw",
    "nut flush draw",
    "flush draw",
    "big wrap",
    "wrap",
    "open-ended",
    "gutshot",
    "overcards",
    "backdoor flush draw",
    "no draw",
)
BLOCKERS = ("nut flush blocker", "nut flush draw blocker", "nut straight blocker", "no blocker")
SUITS = (
    "pocket pair",
    "suited",
    "offsuit",
    "monotone",
    "three-suited",
    "double-suited",
    "single-suited",
    "rainbow",
)
KINDS = {"made": MADE, "draw": DRAWS, "blocker": BLOCKERS, "suits": SUITS}
"""The kinds of groups, and the groups of each from best to worst."""

WIDER = {
    "flush": ("nut flush", "flush"),
    "straight": ("nut straight", "straight"),
    "three of a kind": ("set", "trips"),
    "two pair": ("top two pair", "top and bottom pair", "bottom two pair", "two pair"),
    "one pair": ("overpair", "top pair", "second pair", "third pair", "low pair", "underpair"),
    "no pair": ("ace high", "king high", "nothing"),
}
"""Made hands that a tag takes together."""
WRAP_OUTS = 9
BIG_WRAP_OUTS = 13

_WHEEL = 0b1_0000_0000_1111
_STRAIGHTS = tuple(_WHEEL if top == 3 else 0b11111 << (top - 4) for top in range(3, 13))
"""The ranks of each straight as bits, five high first."""
_RANK = np.uint64(0b1111)
_SUITS = tuple(np.uint64(0x1111111111111 << suit) for suit in range(4))
_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(1, 9)
_ACE, _KING = 12, 11


class HandGroup(NamedTuple):
    """The groups of one hand."""

    made: str
    draw: str
    blocker: str
    suits: str
    outs: int  # Next cards that make a straight or a flush


@dataclass(frozen=True, eq=False)
class HandGroups:
    """The groups of N hands on a board."""

    board: tuple[int, ...]
    cards: U8  # (N, k)
    codes: dict[str, NDArray[np.int8]]
    """Kind → (N,) the number of the group in KINDS; −1 for hands that hold a card of the board."""
    flags: dict[str, Bools]
    """Draws and blockers → (N,) whether a hand has them, whatever else it has."""
    straight_outs: NDArray[np.int64]  # (N,) next cards that make a straight
    flush_outs: NDArray[np.int64]  # (N,) next cards that make a flush
    outs: NDArray[np.int64]  # (N,) either, each card once

    @property
    def live(self) -> Bools:
        """(N,) hands without a card of the board."""
        return np.asarray(self.codes["made"] >= 0)

    def of(self, hand: int) -> HandGroup:
        """The groups of one hand, by its row."""
        if self.codes["made"][hand] < 0:
            raise ParameterError("A hand that holds a card of the board has no group.")
        made, draw, blocker, suits = (
            names[self.codes[kind][hand]] for kind, names in KINDS.items()
        )
        return HandGroup(made, draw, blocker, suits, int(self.outs[hand]))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The names that `tagged` takes."""
        words = [name for names in KINDS.values() for name in names]
        return tuple(dict.fromkeys([*words, *WIDER, *self.flags]))

    def tagged(self, name: str) -> Bools:
        """(N,) the hands of a group, or of a wider one such as "straight draw"."""
        if name in self.flags:
            return self.flags[name]
        members = set(WIDER.get(name, (name,)))
        hands = np.zeros(len(self.cards), np.bool_)
        for kind, names in KINDS.items():
            wanted = [number for number, word in enumerate(names) if word in members]
            if wanted:
                hands |= np.isin(self.codes[kind], wanted)
            elif name not in self.tags:
                raise UnknownNameError.among("group of hands", name, self.tags)
        return hands


def hand_groups(board: str | Sequence[int], hands: ArrayLike) -> HandGroups:
    """Put hands (N, k), k = 2 to 5, into groups on a board of 3 to 5 cards."""
    there = parse_cards(board) if isinstance(board, str) else [int(card) for card in board]
    if not 3 <= len(there) <= 5:
        raise ParameterError(f"Hands are grouped on a board of 3 to 5 cards, not {len(there)}.")
    check_distinct(there)
    cards = np.ascontiguousarray(hands, np.uint8)
    if cards.ndim != 2 or not 2 <= cards.shape[1] <= 5:
        raise ParameterError(f"Hands to be grouped are an array (N, 2…5), not {cards.shape}.")
    return _Grouping(there, cards).groups()


class _Grouping:
    """Hands and a board, counted by rank and by suit."""

    def __init__(self, board: list[int], cards: U8) -> None:
        self.board, self.cards = board, cards
        self.omaha = cards.shape[1] > 2
        self.board_ranks = np.bincount([card // 4 for card in board], minlength=13)
        self.board_suits = np.bincount([card % 4 for card in board], minlength=4)
        self.masks = hand_masks(cards)
        self.live = self.masks & np.uint64(mask_of(board)) == 0
        by_rank = [(self.masks >> np.uint64(4 * rank)) & _RANK for rank in range(13)]
        self.ranks = np.stack([np.bitwise_count(bits) for bits in by_rank])
        """(13, N) cards of each rank in each hand."""
        self.suits = np.stack([np.bitwise_count(self.masks & suit) for suit in _SUITS])
        """(4, N)"""
        self.highest = cards.max(axis=1).astype(np.int64) // 4
        self.board_mask = int(sum(1 << rank for rank in {card // 4 for card in board}))

    def groups(self) -> HandGroups:
        strengths = self.best(self._pair_strengths())
        scores = strength_tables().scores[np.where(self.live, strengths, 0)]
        categories = (scores >> 20).astype(np.int64)
        tops = self.straight_tops(self.board_mask)
        straights = np.where(tops.any(), self.best(tops), 0)
        made = self._made(strengths, scores, categories, straights, int(tops.max()))
        flags, *outs = self._draws(categories)
        flags |= self._blockers(categories, int(tops.max()))
        codes = {
            "made": made,
            "draw": _first(DRAWS, flags),
            "blocker": _first(BLOCKERS, flags),
            "suits": self._suit_codes(),
        }
        for code in codes.values():
            code[~self.live] = -1
        for name, flag in flags.items():
            flags[name] = flag & self.live
        counted = [np.where(self.live, count, 0) for count in outs]
        return HandGroups(tuple(self.board), self.cards, codes, flags, *counted)

    def best(self, pairs: U16) -> NDArray[np.int64]:
        """(N,) the greatest number of a hand's pairs of cards in `pairs` (52, 52)."""
        if not self.omaha:
            return pairs[self.cards[:, 0], self.cards[:, 1]].astype(np.int64)
        out = np.empty(len(self.cards), np.uint16)
        best_pairs(self.cards, pairs, out)
        return out.astype(np.int64)

    def _pair_strengths(self) -> U16:
        if self.omaha:
            return pair_strengths(self.board)
        pairs = np.full((52, 52), BLOCKED, np.uint16)
        low, high = COMBO_CARDS.T
        pairs[low, high] = pairs[high, low] = board_strengths(self.board)
        return pairs

    def straight_tops(self, board_mask: int) -> U16:
        """(52, 52) for a pair of cards the highest straight it makes, 1 for five high; 0 for none.

        In hold'em a straight counts where it is higher than the board's own.
        """
        own = [number for number, need in enumerate(_STRAIGHTS) if board_mask & need == need]
        bits = 1 << np.arange(13)
        tops = np.zeros((13, 13), np.uint16)
        for number, need in enumerate(_STRAIGHTS):
            if self.omaha:
                # Two ranks of the straight from the hand, the other three on the board.
                inside = (bits & need) > 0
                pairs = bits[:, None] | bits
                filled = (need & ~board_mask & ~pairs) == 0
                fits = inside[:, None] & inside & ~np.eye(13, dtype=bool) & filled
            else:
                fits = ((board_mask | bits[:, None] | bits) & need) == need
                fits &= not own or number > own[-1]
            tops[fits] = number + 1
        return np.repeat(np.repeat(tops, 4, axis=0), 4, axis=1)

    def _made(
        self,
        strengths: NDArray[np.int64],
        scores: NDArray[np.int64],
        categories: NDArray[np.int64],
        straights: NDArray[np.int64],
        best_straight: int,
    ) -> NDArray[np.int8]:
        """(N,) the number of each hand's made hand."""
        first, second = (scores >> 16) & 15, (scores >> 12) & 15
        on_board = self.board_ranks
        places = np.cumsum((on_board > 0)[::-1])[::-1] - 1
        """(13,) ranks of the board that are higher, for a rank that is on it."""
        num_ranks, top_rank = int((on_board > 0).sum()), int(np.flatnonzero(on_board)[-1])
        own_first, own_second = on_board[first] < 2, on_board[second] < 2

        code = np.array([MADE.index(name) for name in ("ace high", "king high", "nothing")])
        high = code[np.where(self.highest == _ACE, 0, np.where(self.highest == _KING, 1, 2))]

        # One pair of the hand's own: in its hand, or with a card of the board.
        pairs = np.array(
            [MADE.index(n) for n in ("top pair", "second pair", "third pair", "low pair")]
        )
        names = []
        for rank in range(13):
            if on_board[rank]:
                names.append(int(pairs[min(places[rank], 3)]))
            else:
                names.append(MADE.index("overpair" if rank > top_rank else "underpair"))
        pair_names = np.array(names)
        one = np.where(own_first, pair_names[first], high)

        # Two pair: both own, one own and the board's, or the board's two.
        higher, lower = places[first], places[second]
        both = np.full(len(scores), MADE.index("two pair"))
        both[(higher == num_ranks - 2) & (lower == num_ranks - 1)] = MADE.index("bottom two pair")
        both[(higher == 0) & (lower == num_ranks - 1)] = MADE.index("top and bottom pair")
        both[(higher == 0) & (lower == 1)] = MADE.index("top two pair")
        two = np.where(
            own_first & own_second,
            both,
            np.where(own_first, pair_names[first], np.where(own_second, pair_names[second], high)),
        )
        three = np.select(
            [on_board[first] == 1, on_board[first] == 2],
            [MADE.index("set"), MADE.index("trips")],
            high,
        )
        quads = np.where(on_board[first] < 4, MADE.index("quads"), high)
        nut_straight = straights == best_straight
        straight = np.where(nut_straight, MADE.index("nut straight"), MADE.index("straight"))
        flush = np.where(self._holds_nut_flush(), MADE.index("nut flush"), MADE.index("flush"))
        full, best = (np.full(len(scores), MADE.index(n)) for n in ("full house", "straight flush"))
        made = np.choose(categories, (high, one, two, three, straight, flush, full, quads, best))
        if len(self.board) == 5 and not self.omaha:
            plays_board = (categories >= _STRAIGHT) & (strengths == strength(self.board))
            made = np.where(plays_board, MADE.index("the board"), made)
        return made.astype(np.int8)

    def _top_missing(self, suit: int) -> int:
        """The highest card of a suit that is not on the board."""
        return max(card for card in range(suit, 52, 4) if card not in self.board)

    def _holds(self, card: int) -> Bools:
        return np.asarray(self.masks >> np.uint64(card) & np.uint64(1) == 1)

    def _holds_nut_flush(self) -> Bools:
        """(N,) hands with the highest missing card of the suit of a possible flush."""
        hands = np.zeros(len(self.cards), np.bool_)
        for suit in np.flatnonzero(self.board_suits >= 3).tolist():
            hands |= self._holds(self._top_missing(suit))
        return hands

    def _flush_counts(self) -> tuple[Bools, Bools, Bools]:
        """(4, N) by suit: a flush, a flush with the next card, a flush with the next two."""
        mine, there = self.suits, self.board_suits[:, None]
        two = mine >= 2
        if self.omaha:
            return two & (there >= 3), two & (there == 2), two & (there == 1)
        whole = mine + there
        own = mine >= 1
        return own & (whole >= 5), own & (whole == 4), two & (there == 1)

    def _draws(
        self, categories: NDArray[np.int64]
    ) -> tuple[dict[str, Bools], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Draws as flags, then straight outs, flush outs, and either."""
        size, hands = (len(self.cards),), self.cards
        straight_outs, flush_outs, outs, straight_ranks = (np.zeros(size, np.int64) for _ in "1234")
        nuts, backdoor = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        if len(self.board) < 5:
            below_straight, below_flush = categories < _STRAIGHT, categories < _FLUSH
            _, next_one, next_two = self._flush_counts()
            flush_suits = next_one & below_flush
            straight_next = np.zeros((13, *size), np.bool_)
            for rank in range(13):
                tops = self.straight_tops(self.board_mask | 1 << rank)
                if tops.any():
                    straight_next[rank] = (self.best(tops) > 0) & below_straight
            for card in range(52):
                if card in self.board:
                    continue
                unseen = ~self._holds(card)
                straight = straight_next[card // 4] & unseen
                flush = flush_suits[card % 4] & unseen
                straight_outs += straight
                flush_outs += flush
                outs += straight | flush
            held = self.ranks + self.board_ranks[:, None]
            straight_ranks = (straight_next & (held < 4)).sum(axis=0)
            for suit in range(4):
                nuts |= flush_suits[suit] & self._holds(self._top_missing(suit))
            if len(self.board) == 3:
                backdoor = next_two.any(axis=0) & below_flush
        flush_draw, straight_draw = flush_outs > 0, straight_outs > 0
        wrap = straight_outs >= WRAP_OUTS
        flags = {
            "combo draw": flush_draw & straight_draw,
            "nut flush draw": nuts,
            "flush draw": flush_draw,
            "big wrap": straight_outs >= BIG_WRAP_OUTS,
            "wrap": wrap,
            "open-ended": ~wrap & (straight_ranks > 1),
            "gutshot": straight_draw & ~wrap & (straight_ranks == 1),
            "straight draw": straight_draw,
            "draw": flush_draw | straight_draw,
            "overcards": np.zeros(size, np.bool_),
            "backdoor flush draw": backdoor & ~flush_draw,
        }
        if hands.shape[1] == 2 and len(self.board) < 5:
            top = int(np.flatnonzero(self.board_ranks)[-1])
            above = (hands // 4 > top).all(axis=1) & (self.ranks.max(axis=0) == 1)
            flags["overcards"] = above & (categories < _STRAIGHT)
        return flags, straight_outs, flush_outs, outs

    def _blockers(self, categories: NDArray[np.int64], best_straight: int) -> dict[str, Bools]:
        """What a hand holds of the nuts without having them."""
        size = len(self.cards)
        flushes, draws, _ = self._flush_counts()
        flush, draw, straight = (np.zeros(size, np.bool_) for _ in range(3))
        for suit in range(4):
            holds = self._holds(self._top_missing(suit))
            if self.board_suits[suit] >= 3:
                flush |= holds & ~flushes[suit]
            elif self.board_suits[suit] == 2 and len(self.board) < 5:
                draw |= holds & ~draws[suit]
        if best_straight:
            missing = _STRAIGHTS[best_straight - 1] & ~self.board_mask
            ranks = [rank for rank in range(13) if missing >> rank & 1]
            straight = (self.ranks[ranks] > 0).any(axis=0) & (categories < _STRAIGHT)
        return {
            "nut flush blocker": flush,
            "nut flush draw blocker": draw,
            "nut straight blocker": straight,
        }

    def _suit_codes(self) -> NDArray[np.int8]:
        """(N,) how a hand's suits go together."""
        most, pairs = self.suits.max(axis=0), (self.suits >= 2).sum(axis=0)
        if not self.omaha:
            pair = self.ranks.max(axis=0) == 2
            names = np.select(
                [pair, most == 2], [SUITS.index("pocket pair"), SUITS.index("suited")], 2
            )
            return names.astype(np.int8)
        names = np.select(
            [most >= 4, most == 3, pairs == 2, pairs == 1],
            list(range(SUITS.index("monotone"), SUITS.index("rainbow"))),
            SUITS.index("rainbow"),
        )
        return names.astype(np.int8)


def _first(names: Sequence[str], flags: dict[str, Bools]) -> NDArray[np.int8]:
    """(N,) the number of the first name that a hand has; the last one where it has none."""
    flagged = [flags[name] for name in names[:-1]]
    return np.select(flagged, list(range(len(flagged))), len(names) - 1).astype(np.int8)
