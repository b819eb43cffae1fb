"""Ranges of Omaha hands: a weight for every hand of k cards, and the notation players write.

    AA  AAK  KQJT            hands that hold these ranks, whatever else
    AsKs  AsKsQhJh           these cards; all four of them are one hand
    AxKx  AxAyxy             suits by letters w, x, y, z: the same letter is the same suit
    RRON  RROO               ranks by letters: the same letter is the same rank
    A*s  sshh                any rank; two spades and two hearts
    AA$ds  $ss  $np          a hand of a kind, see below
    [T-A][T-A][T-A][T-A]     a card from a list: [T-A], [AKQ], [A,2-5], [As,Kh], A[s,h]
    KK-TT  JT98-7654         from … to; the ranks that differ move together
    JT98+  TT+  AT+  9876-   up to the ace (below an ace that is there already), down to the two
    20%  5%-15%              by equity against a random hand, best first
    random, *                every hand

| macro | hands |
|---|---|
| $ds $ss $ts | two suits twice; one suit twice; one suit three times |
| $ms $rb | one suit alone; no suit twice |
| $np $op $tp $nt | no pair; one pair; two pairs; no three of a rank |
| $0g $1g $2g $3g | no pair, and this many ranks missing between the cards; an ace may be low |
| $R $B $F $M $Z $L $W | one card of A–T, A–J, K–J, T–7, 6–2, A or 8–2, A or 5–2 |

Ranges are combined by signs, brackets first, then from left to right, commas last:

    AA$ds,KK$ds              either; where two name a hand, the later one holds
    AA:20%                   both: aces that are among the best fifth
    JJ!JJJ  20%!(AA,KK)      the first without the second
    AA@50  AA:0.5            half of the time: per cent after @, from 0 to 1 after a colon
    [50]AA,KK[/50]           the same around a list

These are the words of ProPokerTools. Hands as MonkerSolver writes them are read too, one suit in
round brackets, "(AK)(QJ)" and "(AK)QJ", in lists or two lines a hand with the weight in the second.
Hands of five cards have the same grammar, without shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from riverboat.cards._omaha_grammar import (
    RANK_MACROS,
    SUIT_KINDS,
    hands_by_class,
    macro_hands,
    read_parts,
    suit_kinds,
    top_weights,
)
from riverboat.cards.card import RANKS
from riverboat.cards.hands import (
    class_members,
    class_of_hands,
    hand_cards,
    hand_number,
    hand_numbers,
    hand_text,
    num_hands,
    parse_hand,
)
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError

LONGEST = 100  # Characters of a range that its `repr` shows
_HOLE_CARDS = {num_hands(k): k for k in (2, 3, 4, 5)}


@dataclass(frozen=True, eq=False)
class OmahaRange:
    """A weight from 0 to 1 for each hand of k cards."""

    weights: NDArray[np.float64]
    """(N,) by the numbers of `riverboat.cards.hands`; N says how many cards a hand has."""

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        if weights.ndim != 1 or len(weights) not in _HOLE_CARDS:
            raise ParameterError(f"A range of four cards has 270,725 weights, not {weights.shape}.")
        if not ((weights >= 0) & (weights <= 1)).all():
            raise ParameterError("The weights of a range go from 0 to 1.")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, text: str, hole_cards: int = 4) -> OmahaRange:
        """Read the notation above; a range without a hand is refused."""
        weights = read_parts(text, hole_cards)
        if not weights.any():
            shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
            raise ParameterError(f"The range {shown!r} holds no hand; write for example AA$ds,KK.")
        return cls(weights)

    @classmethod
    def full(cls, hole_cards: int = 4) -> OmahaRange:
        """Every hand."""
        return cls(np.ones(num_hands(hole_cards)))

    @classmethod
    def top(cls, share: float, hole_cards: int = 4) -> OmahaRange:
        """The best `share` (0 to 1) of hands by equity against a random one, the last class cut."""
        return cls(top_weights(share, hole_cards))

    @property
    def hole_cards(self) -> int:
        """The number of cards of a hand."""
        return _HOLE_CARDS[len(self.weights)]

    @cached_property
    def hands(self) -> NDArray[np.int64]:
        """The numbers of the hands of positive weight."""
        return np.flatnonzero(self.weights)

    @property
    def cards(self) -> NDArray[np.uint8]:
        """(L, k) the cards of the hands of positive weight."""
        return hand_cards(self.hole_cards)[self.hands]

    @property
    def num_hands(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @property
    def share(self) -> float:
        """The part of all hands, 0 to 1."""
        return self.num_hands / len(self.weights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OmahaRange) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __or__(self, other: OmahaRange) -> OmahaRange:
        """Each hand with the larger of its weights."""
        return OmahaRange(np.maximum(self.weights, other.weights))

    def __and__(self, other: OmahaRange) -> OmahaRange:
        """Each hand with the smaller of its weights."""
        return OmahaRange(np.minimum(self.weights, other.weights))

    def __sub__(self, other: OmahaRange) -> OmahaRange:
        """What is left of each weight when the other's is taken away."""
        return OmahaRange(np.maximum(self.weights - other.weights, 0.0))

    def __invert__(self) -> OmahaRange:
        """Each hand with what its weight lacks to one."""
        return OmahaRange(1.0 - self.weights)

    def __contains__(self, hand: str | Sequence[int]) -> bool:
        cards = parse_hand(hand, self.hole_cards) if isinstance(hand, str) else hand
        return bool(self.weights[hand_number(cards)] > 0)

    def without(self, cards: Sequence[int]) -> OmahaRange:
        """The range without the hands that hold one of the cards."""
        if not len(cards):
            return self
        held = np.isin(hand_cards(self.hole_cards), cards).any(axis=1)
        return OmahaRange(np.where(held, 0.0, self.weights))

    def as_dict(self) -> dict[str, object]:
        """The facts for a program: the notation, its size, and each hand with its weight."""
        return {
            "text": str(self),
            "hole_cards": self.hole_cards,
            "hands": self.num_hands,
            "share": self.share,
            "weights": {
                hand_text(cards): float(weight)
                for cards, weight in zip(self.cards, self.weights[self.hands], strict=True)
            },
        }

    def __str__(self) -> str:
        """A short notation that `parse` reads back to the same range."""
        if (self.weights == 1).all():
            return "random"
        share = f"{100 * self.share:.10g}"
        if self.hole_cards == 4 and np.array_equal(
            top_weights(float(share) / 100, 4), self.weights
        ):
            return f"{share}%"
        return ",".join(_items(self))

    def __repr__(self) -> str:
        text = str(self)
        more = f", {self.hole_cards}" if self.hole_cards != 4 else ""
        if len(text) <= LONGEST:
            return f"OmahaRange.parse({text!r}{more})"
        return f"<OmahaRange of {self.num_hands:g} hands, {self.share:.1%}: {text[:LONGEST]}…>"


def parse_range(text: str, hole_cards: int) -> Range | OmahaRange:
    """A range of hands of k cards: of two in the words of hold'em, of more in those of Omaha."""
    return Range.parse(text) if hole_cards == 2 else OmahaRange.parse(text, hole_cards)


def _suffix(weight: float) -> str:
    return "" if weight == 1.0 else f":{np.format_float_positional(weight, unique=True)}"


def _items(range_: OmahaRange) -> Iterator[str]:
    """Items that together are the range: ranks and kinds of suits, classes, then single hands.

    A cell is what hands of the same ranks and the same kind of suits form. Where all cells of a
    pattern have one weight, the pattern stands for them; the widest come first.
    """
    hole_cards, weights = range_.hole_cards, range_.weights
    cells, num_cells = _cells(hole_cards)
    low, high = np.full(num_cells, 2.0), np.full(num_cells, -1.0)
    np.minimum.at(low, cells, weights)
    np.maximum.at(high, cells, weights)
    covered = high <= 0.0
    low_of, high_of = low.reshape(-1, 5), high.reshape(-1, 5)
    covered_of = covered.reshape(-1, 5)
    for ranks, rows in _rank_patterns(hole_cards):
        if covered_of[rows].all():
            continue
        for kind in (slice(None), *(slice(i, i + 1) for i in range(5))):
            inside = high_of[rows, kind] >= 0
            if (covered_of[rows, kind] | ~inside).all():
                continue
            least, most = low_of[rows, kind][inside].min(), high_of[rows, kind].max()
            if least == most > 0:
                covered_of[rows, kind] = True
                name = "" if kind == slice(None) else f"${SUIT_KINDS[kind.start]}"
                yield f"{f'{ranks}{name}' or '*'}{_suffix(float(most))}"
    rest = ~covered[cells] & (weights > 0)
    for number in np.unique(class_of_hands(hole_cards)[rest]).tolist():
        hands = hands_by_class(hole_cards)[number]
        if (weights[hands] == weights[hands[0]]).all():
            rest[hands] = False
            yield _class_text(number, hole_cards) + _suffix(float(weights[hands[0]]))
    yield from _card_items(range_, rest)


def _card_items(range_: OmahaRange, rest: NDArray[np.bool_]) -> Iterator[str]:
    """Items that name cards: "As", "AsKs" … for the hands left (N,), at last whole hands."""
    hole_cards, weights = range_.hole_cards, range_.weights
    for size in range(1, hole_cards):
        if not rest.any():
            return
        low, high = np.full(num_hands(size), 2.0), np.zeros(num_hands(size))
        num_left = np.zeros(num_hands(size), np.int64)
        sets = [
            hand_numbers(hand_cards(hole_cards)[:, places])
            for places in map(list, combinations(range(hole_cards), size))
        ]
        for numbers in sets:
            np.minimum.at(low, numbers, weights)
            np.maximum.at(high, numbers, weights)
            num_left += np.bincount(numbers[rest], minlength=len(num_left))
        chosen = (low == high) & (num_left > 1)
        for numbers in sets:
            rest = rest & ~chosen[numbers]
        for number in np.flatnonzero(chosen).tolist():
            yield hand_text(hand_cards(size)[number]) + _suffix(float(high[number]))
    for hand in np.flatnonzero(rest).tolist():
        yield hand_text(hand_cards(hole_cards)[hand]) + _suffix(float(weights[hand]))


def _class_text(number: int, hole_cards: int) -> str:
    """A class as a pattern with suits by letters, e.g. "AxKxQyJy"."""
    cards = hand_cards(hole_cards)[class_members(hole_cards)[number]].tolist()
    letters: dict[int, str] = {}
    text = ""
    for card in reversed(cards):
        letters.setdefault(card & 3, "xyzw"[len(letters)])
        text += RANKS[card >> 2] + letters[card & 3]
    return text


@lru_cache(maxsize=2)
def _cells(hole_cards: int) -> tuple[NDArray[np.int64], int]:
    """The cell of each hand (N,), five for each multiset of ranks, and their number."""
    ranks = np.zeros(num_hands(hole_cards), np.int64)
    for slot in range(hole_cards):
        ranks = ranks * 13 + (hand_cards(hole_cards)[:, slot] >> 2)
    multisets, rows = np.unique(ranks, return_inverse=True)
    return rows * 5 + suit_kinds(hole_cards), 5 * len(multisets)


@lru_cache(maxsize=2)
def _rank_patterns(hole_cards: int) -> list[tuple[str, NDArray[np.int64]]]:
    """Texts of macros and of one to k ranks, and the multisets that fit them; widest first."""
    sets = [
        multiset
        for multiset in combinations_with_replacement(range(13), hole_cards)
        if max(map(multiset.count, multiset)) <= 4
    ]
    counts = np.array([[row.count(rank) for rank in range(13)] for row in sets], np.int8)
    patterns = [("", np.arange(len(sets)))]
    rows = np.unique(_cells(hole_cards)[0] // 5, return_index=True)[1]  # A hand of each multiset
    for name in ("nt", "np", "op", "tp", "0g", "1g", "2g", "3g"):
        patterns.append((f"${name}", np.flatnonzero(macro_hands(name, hole_cards)[rows])))
    for name, ranks in RANK_MACROS.items():
        outside = [rank for rank in range(13) if RANKS[rank] not in ranks]
        fits = np.flatnonzero((counts[:, outside] == 0).all(axis=1))
        patterns.append((f"${name}" * hole_cards, fits))
    for size in range(1, hole_cards + 1):
        for few in combinations_with_replacement(range(12, -1, -1), size):
            if max(map(few.count, few)) <= 4:
                wanted = np.array([few.count(rank) for rank in range(13)], np.int8)
                rows = np.flatnonzero((counts >= wanted).all(axis=1))
                patterns.append(("".join(RANKS[rank] for rank in few), rows))
    return sorted(patterns, key=lambda pattern: -len(pattern[1]))
