"""Reads texts of ranges of k cards; the grammar is described in `riverboat.cards.omaha_ranges`.

A text is read by recursive descent into parts: the numbers of hands and their weights. Only items
look at hands: an item becomes patterns, a pattern a list of slots, and a slot says which cards it
takes. A hand fits a pattern when its cards can be given to the slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import RANKS, SUIT_OF_SYMBOL, SUITS, check_distinct, parse_cards
from riverboat.cards.hands import class_of_hands, class_sizes, hand_cards, hand_number, num_hands
from riverboat.errors import ParameterError, did_you_mean

Part = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The numbers of hands, rising, and their weights above 0 (0 takes a hand out of a list)."""

LONGEST_TEXT = 8_000_000  # Characters; all hands of four with their cards have 2.4 million
_MAX_DEPTH = 50
_ANY_CARD = (1 << 52) - 1
_RANK_CARDS = {rank: 0b1111 << 4 * number for number, rank in enumerate(RANKS)}
_SUIT_CARDS = {suit: 0x1111111111111 << number for number, suit in enumerate(SUITS)}
_SUIT_VARIABLES = "wxyz"

RANK_MACROS = {
    "B": "AKQJ",
    "F": "KQJ",
    "L": "A2345678",
    "M": "T987",
    "R": "AKQJT",
    "W": "A2345",
    "Z": "65432",
}
HAND_MACROS = ("ds", "ss", "ts", "ms", "rb", "np", "op", "tp", "nt", "0g", "1g", "2g", "3g")

_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,12})?)%")
_PERCENT_SPAN = re.compile(rf"{_PERCENT.pattern}-{_PERCENT.pattern}")
_WEIGHT = re.compile(r":\s*(0?\.\d{1,40}|[01](?:\.\d{0,40})?)(?=\s*(?:$|[,;:!)@\s]))")
_AT = re.compile(r"@\s*(\d{1,3}(?:\.\d{1,40})?)%?")
_LIST = re.compile(r"\[(\d{1,3}(?:\.\d{1,40})?)\]([^\[\]]*(?:\[[^\[\]/]*\][^\[\]]*)*)\[/\1\]")
_CARD = "(?:10|[2-9TJQKAtjqka])[cdhsCDHS]"
_MONKER_LINES = re.compile(
    r"\s*([(2-9TJQKA?)]+)[ \t]*\r?\n\s*([0-9.]+(?:[eE]-?\d+)?);[-+0-9.eE]+[ \t]*(?:\r?\n|$)"
)
_MONKER_HAND = re.compile(r"(?:\([2-9TJQKA]{2,}\)|[2-9TJQKA])+")
_MONKER_SIGN = re.compile(r"\)[2-9TJQKA(]|[2-9TJQKA]\((?=[2-9TJQKA]{2,}\))")
_MACRO = re.compile(r"\$([A-Za-z0-9]*)")
_RANKS_AND_KINDS = re.compile(rf"([2-9TJQKA]+)((?:\$(?:{'|'.join(HAND_MACROS)}))*)")
_PIECE = re.compile(
    r"(?P<rank>10|\*|[2-9TJQKAtjqka]|[BEFGIL-PRU-Z]|\[[^\[\]]*\])?"
    r"(?P<suit>[cdhswxyz]|\[[cdhs, ]+\])?"
)
SUIT_KINDS = ("rb", "ss", "ds", "ts", "ms")


def read_parts(text: str, hole_cards: int) -> NDArray[np.float64]:
    """(N,) the weights of a text."""
    if len(text) > LONGEST_TEXT:
        raise ParameterError(f"A range of {len(text):,} characters is too long to be one.")
    plain = text.translate(SUIT_OF_SYMBOL)
    monker = _read_monker_lines(plain, hole_cards)
    if monker is not None:
        return monker
    spaced = re.compile(
        rf"(?<![^\s,;:!(]){_CARD}(?:\s+{_CARD}){{{hole_cards - 1}}}(?=\s*(?:$|[,;:!)@]))"
    )
    plain = spaced.sub(lambda match: "".join(match[0].split()), plain)
    plain = _LIST.sub(lambda match: f"({match[2]})@{match[1]}", plain)
    plain = re.sub(r"\s*([:!@])\s*", r"\1", plain)
    plain = re.sub(r"\s+(?=\$)", "", plain.strip()).replace(")$", "):$")
    return _Reader(plain, hole_cards).read()


class _Reader:
    """One pass over a text: lists of terms, terms of factors, factors of items."""

    def __init__(self, text: str, hole_cards: int) -> None:
        self.text, self.hole_cards, self.at, self.depth = text, hole_cards, 0, 0
        self.has_suited_groups = _MONKER_SIGN.search(text) is not None

    def read(self) -> NDArray[np.float64]:
        """The weights of the whole text."""
        weights = self.list_of_terms()
        if self.at < len(self.text):
            raise ParameterError(f"A bracket is closed that was not opened: {self._rest()!r}.")
        return weights

    def list_of_terms(self) -> NDArray[np.float64]:
        """Terms between commas, up to the end or a closing bracket; the later one holds."""
        weights = np.zeros(num_hands(self.hole_cards))
        while self.at < len(self.text) and self._next() != ")":
            if self._next() in ",;" or self._next().isspace():
                self.at += 1
                continue
            start = self.at
            hands, values = self.term()
            weights[hands] = values
            if not self._ends(self.at):
                raise ParameterError(
                    f"A comma is missing after {self.text[start : self.at]!r},"
                    f" before {self._rest()!r}."
                )
        return weights

    def term(self) -> Part:
        """Factors that are intersected or taken away, from left to right, and a weight."""
        part = self.factor()
        while self.at < len(self.text) and self._next() in ":!@":
            weight = _WEIGHT.match(self.text, self.at) or _AT.match(self.text, self.at)
            if weight is not None:
                per = 1 if weight[0].startswith(":") else 100
                part = part[0], part[1] * self._share(weight[0], float(weight[1]) / per)
                self.at = weight.end()
                continue
            sign = self._next()
            if sign == "@":
                raise ParameterError(f"A weight is in per cent, as in AA@50: {self._rest()!r}.")
            self.at += 1
            part = _both(part, self.factor()) if sign == ":" else _less(part, self.factor())
        return part

    def factor(self) -> Part:
        """A list in brackets, or an item."""
        suited = _MONKER_HAND.match(self.text, self.at) if self.has_suited_groups else None
        if suited is not None and self._ends(suited.end()) and self._is_whole(suited[0]):
            self.at = suited.end()
            return _monker_part(suited[0], self.hole_cards)
        if self.at < len(self.text) and self._next() == "(":
            if self.depth == _MAX_DEPTH:
                raise ParameterError("The brackets of this range are nested too deeply.")
            start, self.depth, self.at = self.at, self.depth + 1, self.at + 1
            weights = self.list_of_terms()
            if self.at == len(self.text):
                raise ParameterError(f"A bracket is not closed: {self.text[start : start + 40]!r}.")
            self.depth, self.at = self.depth - 1, self.at + 1
            hands = np.flatnonzero(weights)
            return hands, weights[hands]
        return item_part(self._item(), self.hole_cards)

    def _item(self) -> str:
        """The text up to the next sign that ends an item; lists of ranks stay whole."""
        start, inside = self.at, False
        while self.at < len(self.text):
            sign = self._next()
            inside = sign == "[" or (inside and sign != "]")
            if not inside and (sign in ",;:!()@" or sign.isspace()):
                break
            self.at += 1
        if self.at == start:
            where = f"before {self._rest()!r}" if self._rest() else f"after {self.text[-40:]!r}"
            raise ParameterError(f"A hand or range is missing {where}.")
        return self.text[start : self.at]

    def _share(self, text: str, share: float) -> float:
        if not 0 <= share <= 1:
            raise ParameterError(f"{text!r} is no weight: it goes from 0 to 1, or 0 to 100 %.")
        return share

    def _is_whole(self, hand: str) -> bool:
        """Whether a text of ranks and brackets names all cards of a hand, as MonkerSolver does."""
        return "(" in hand[1:] or ")" in hand[:-1] or len(hand.strip("()")) == self.hole_cards

    def _next(self) -> str:
        return self.text[self.at]

    def _ends(self, at: int) -> bool:
        return at == len(self.text) or self.text[at] in ",;:!)@" or self.text[at].isspace()

    def _rest(self) -> str:
        return self.text[self.at : self.at + 40]


def _both(first: Part, second: Part) -> Part:
    """Hands of both parts, each with the smaller weight."""
    hands, mine, theirs = np.intersect1d(first[0], second[0], True, return_indices=True)
    return hands, np.minimum(first[1][mine], second[1][theirs])


def _less(first: Part, second: Part) -> Part:
    """The first part without what the second has of each hand."""
    weights = first[1].copy()
    _, mine, theirs = np.intersect1d(first[0], second[0], True, return_indices=True)
    weights[mine] = np.maximum(weights[mine] - second[1][theirs], 0.0)
    return first[0][weights > 0], weights[weights > 0]


# ---- items


def item_part(item: str, hole_cards: int) -> Part:
    """The hands of one item: cards, a pattern, macros, a share of all hands."""
    if item.lower() in ("random", "any", "all") or set(item) == {"*"}:
        hands = np.arange(num_hands(hole_cards))
        return hands, np.ones(len(hands))
    span, share = _PERCENT_SPAN.fullmatch(item), _PERCENT.fullmatch(item)
    if "%" in item and span is None and share is None:
        raise ParameterError(f"{item!r} is no share of hands: write 20% or 5%-10%.")
    if span is not None:
        return _between(item, float(span[1]) / 100, float(span[2]) / 100, hole_cards)
    if share is not None:
        return _between(item, 0.0, float(share[1]) / 100, hole_cards)
    if re.fullmatch(rf"(?:{_CARD})+", item):
        cards = parse_cards(item)
        if len(cards) == hole_cards:
            return np.array([hand_number(cards)]), np.ones(1)
    if re.fullmatch(rf"(?:[2-9TJQKA][wxyz]){{{hole_cards}}}", item):
        return _class_part(item, hole_cards)
    whole = _RANKS_AND_KINDS.fullmatch(item)
    if whole is not None and len(whole[1]) == hole_cards:
        return _ranks_part(whole[1], whole[2].split("$")[1:], hole_cards)
    hands = np.flatnonzero(_hands_of(item, hole_cards))
    return hands, np.ones(len(hands))


def _ranks_part(ranks: str, macros: Sequence[str], hole_cards: int) -> Part:
    """The hands of "AKQJ$ds", all ranks named: ranges as they are written have many such items."""
    key = tuple(sorted(map(RANKS.index, ranks)))
    hands = hands_by_ranks(hole_cards).get(key, np.zeros(0, np.int64))
    for macro in macros:
        hands = hands[macro_hands(macro, hole_cards)[hands]]
    return hands, np.ones(len(hands))


def _class_part(item: str, hole_cards: int) -> Part:
    """The hands of a class such as "AxKxQyJy", all ranks named and all suits by letters."""
    groups: dict[str, str] = {}
    for rank, suit in zip(item[::2], item[1::2], strict=True):
        groups[suit] = groups.get(suit, "") + rank
    number = _monker_classes(hole_cards).get(_key_of_groups(groups.values()))
    hands = np.zeros(0, np.int64) if number is None else hands_by_class(hole_cards)[number]
    return hands, np.ones(len(hands))


def _between(item: str, best: float, worst: float, hole_cards: int) -> Part:
    """Hands between two shares of all hands from the best down, the classes at the ends cut."""
    if not 0 <= best < worst <= 1:
        raise ParameterError(f"{item!r} is no share of hands: write 20% or 5%-10%, up to 100%.")
    weights = top_weights(worst, hole_cards)
    if best:
        weights = weights - top_weights(best, hole_cards)
    hands = np.flatnonzero(weights > 0)
    return hands, weights[hands]


def top_weights(share: float, hole_cards: int) -> NDArray[np.float64]:
    """(N,) the best `share` of hands by equity against a random hand, the last class cut."""
    from riverboat.cards.omaha_order import HOLE_CARDS, classes_by_equity

    if not 0 < share <= 1:
        raise ParameterError(
            f"A share of hands lies above 0 and up to 100 %, not at {100 * share:.6g} %."
        )
    if hole_cards != HOLE_CARDS:
        raise ParameterError(
            f"Hands of {hole_cards} cards have no order by equity; shares such as 20% are for four."
        )
    order, sizes = classes_by_equity(), class_sizes(hole_cards)
    before = np.cumsum(sizes[order]) - sizes[order]
    left = (share * num_hands(hole_cards) - before) / sizes[order]
    by_class = np.zeros(len(order))
    by_class[order] = np.clip(np.round(left, 12), 0.0, 1.0)
    return np.asarray(by_class[class_of_hands(hole_cards)])


def _hands_of(item: str, hole_cards: int) -> NDArray[np.bool_]:
    """(N,) the hands of a pattern with its macros."""
    body, macros = _split_macros(item)
    chosen = np.ones(num_hands(hole_cards), np.bool_)
    if body:
        chosen = np.zeros(num_hands(hole_cards), np.bool_)
        for pattern in _patterns(body, item):
            if len(pattern) > hole_cards:
                raise ParameterError(
                    f"{item!r} has {len(pattern)} cards; a hand here has {hole_cards}."
                )
            chosen |= _fits(tuple(pattern), hole_cards)
    for macro in macros:
        chosen = chosen & macro_hands(macro, hole_cards)
    return chosen


def _split_macros(item: str) -> tuple[str, list[str]]:
    """An item without its macros of whole hands; those of ranks become lists of ranks."""
    macros = []

    def take(match: re.Match[str]) -> str:
        name = match[1]
        for size in range(len(name), 0, -1):
            if name[:size] in HAND_MACROS:
                macros.append(name[:size])
                return name[size:]
            if name[:size] in RANK_MACROS:
                return f"[{RANK_MACROS[name[:size]]}]{name[size:]}"
        known = [*HAND_MACROS, *RANK_MACROS]
        raise ParameterError(f"There is no macro {match[0]!r} as in {item!r}; {_hint(name, known)}")

    return _MACRO.sub(take, item), macros


def _hint(name: str, known: Sequence[str]) -> str:
    return did_you_mean(name, [f"${macro}" for macro in known])


@dataclass(frozen=True)
class _Slot:
    """The cards that fit one place of a pattern: a set, and letters that stand for any."""

    cards: int = _ANY_CARD  # As bits
    rank: str = ""  # A rank variable
    suit: str = ""  # A suit variable
    named_rank: str = ""  # A rank that is written out, which no variable stands for
    named_suit: str = ""


Slots = list[_Slot]


def _patterns(body: str, item: str) -> list[Slots]:
    """The patterns of an item: spans written out, lists of several cards multiplied."""
    if body.endswith(("+", "-")):
        return _moving(_slots(body[:-1], item), body[-1] == "+", item)
    ends = _split_outside(body, "-")
    if len(ends) == 2:
        return _span(_slots(ends[0], item), _slots(ends[1], item), item)
    if len(ends) > 2:
        raise ParameterError(f"{item!r} has more than one dash; put spans in brackets, [T-A].")
    choices = [_alternatives(piece, item) for piece in _pieces(body, item)]
    return [[slot for part in parts for slot in part] for parts in product(*choices)]


def _split_outside(text: str, sign: str) -> list[str]:
    """`text` split at a sign that stands outside square brackets."""
    return re.split(rf"{re.escape(sign)}(?![^\[]*\])", text)


def _pieces(body: str, item: str) -> list[tuple[str, str]]:
    """(rank, suit) texts of the cards of a pattern."""
    pieces, at = [], 0
    while at < len(body):
        match = _PIECE.match(body, at)
        if match is None or match.end() == at:
            raise ParameterError(
                f"{body[at]!r} in {item!r} is neither a rank nor a suit;"
                " write for example AA, AsKs, AxKxQyJy, AA$ds or [T-A][T-A]."
            )
        pieces.append((match["rank"] or "", match["suit"] or ""))
        at = match.end()
    return pieces


def _slots(body: str, item: str) -> Slots:
    """The slots of a text without lists of several cards."""
    choices = [_alternatives(piece, item) for piece in _pieces(body, item)]
    if any(len(choice) != 1 for choice in choices):
        raise ParameterError(f"{item!r} mixes a span with a list of hands; use one of them.")
    return [slot for choice in choices for slot in choice[0]]


def _alternatives(piece: tuple[str, str], item: str) -> list[Slots]:
    """What one piece of a pattern may be: mostly one slot, for [AK,QJ] several pairs."""
    rank, suit = piece
    slot = _with_suit(_Slot(), suit)
    if rank in ("", "*"):
        return [[slot]]
    if not rank.startswith("["):
        name = "T" if rank == "10" else rank.upper() if rank.islower() else rank
        if name in _RANK_CARDS:
            return [[replace(slot, cards=slot.cards & _RANK_CARDS[name], named_rank=name)]]
        return [[replace(slot, rank=name)]]
    cards, many = 0, []
    elements = rank[1:-1].replace(" ", "").split(",")
    for element in elements:
        if not element:
            raise ParameterError(f"The list {rank!r} in {item!r} has an empty place.")
        for pattern in _element(element, item, len(elements) == 1):
            if len(pattern) == 1:
                cards |= pattern[0].cards
            else:
                many.append(pattern)
    if many and (cards or suit):
        raise ParameterError(f"The list {rank!r} in {item!r} mixes cards and hands of several.")
    return many or [[replace(slot, cards=slot.cards & cards)]]


def _element(element: str, item: str, alone: bool) -> list[Slots]:
    """The patterns of one place of a list: alone AKQ is three ranks, in [AK,QJ] AK two cards."""
    ends = element.split("-")
    if len(ends) == 2 and all(ends):
        return _span(_slots(ends[0], item), _slots(ends[1], item), item)
    if len(ends) > 1:
        raise ParameterError(f"{element!r} in {item!r} is no span; write for example [T-A].")
    slots = _slots(element, item)
    if any(slot.rank or slot.suit for slot in slots):
        raise ParameterError(f"{element!r} in {item!r} has a variable; lists name cards.")
    return [[slot] for slot in slots] if alone else [slots]


def _with_suit(slot: _Slot, suit: str) -> _Slot:
    if not suit:
        return slot
    if suit in _SUIT_VARIABLES:
        return replace(slot, suit=suit)
    names = [name for name in suit if name in _SUIT_CARDS]
    cards = sum(_SUIT_CARDS[name] for name in set(names))
    named = names[0] if len(names) == 1 else ""
    return replace(slot, cards=slot.cards & cards, named_suit=named)


def _ranks_of(slots: Slots, item: str) -> list[int]:
    if not slots or any(not slot.named_rank for slot in slots):
        raise ParameterError(f"{item!r} is no span: both ends name ranks, as in KK-TT or JT98+.")
    return [RANKS.index(slot.named_rank) for slot in slots]


def _moved(slots: Slots, ranks: Sequence[int]) -> Slots:
    """The slots with other ranks, suits kept."""
    moved = []
    for slot, rank in zip(slots, ranks, strict=True):
        old, new = _RANK_CARDS[slot.named_rank], _RANK_CARDS[RANKS[rank]]
        shift = 4 * (rank - RANKS.index(slot.named_rank))
        cards = slot.cards & old
        moved.append(
            replace(
                slot,
                cards=(cards << shift if shift >= 0 else cards >> -shift) & new,
                named_rank=RANKS[rank],
            )
        )
    return moved


def _span(first: Slots, last: Slots, item: str) -> list[Slots]:
    """Every pattern from one end to the other: the ranks that differ move together."""
    ends = _ranks_of(first, item), _ranks_of(last, item)
    suits = [[(slot.suit, slot.named_suit) for slot in slots] for slots in (first, last)]
    steps = {b - a for a, b in zip(*ends, strict=False)} - {0}
    if len(first) != len(last) or suits[0] != suits[1] or len(steps) > 1:
        raise ParameterError(
            f"{item!r} is no span: its ends have the same suits, and ranks that differ by one step."
        )
    step = steps.pop() if steps else 0
    way = 1 if step > 0 else -1
    return [
        _moved(first, [a + way * i * (a != b) for a, b in zip(*ends, strict=True)])
        for i in range(abs(step) + 1)
    ]


def _moving(slots: Slots, upwards: bool, item: str) -> list[Slots]:
    """JT98+ and 9876-: all ranks move; those of aces and what follows them stay going up."""
    ranks = _ranks_of(slots, item)
    patterns = [slots]
    if not upwards:
        while min(ranks) > 0:
            ranks = [rank - 1 for rank in ranks]
            patterns.append(_moved(slots, ranks))
        return patterns
    fixed = [rank == 12 for rank in ranks]
    limit = 12
    if any(fixed) and not all(fixed):
        limit = 11
        while any(rank == limit for rank in ranks):  # AKT+: the king stays below its ace
            fixed = [held or rank == limit for held, rank in zip(fixed, ranks, strict=True)]
            limit -= 1
    free = [rank for rank, held in zip(ranks, fixed, strict=True) if not held]
    for step in range(1, limit - max(free) + 1 if free else 0):
        moved = [rank + step * (not held) for rank, held in zip(ranks, fixed, strict=True)]
        patterns.append(_moved(slots, moved))
    return patterns


@lru_cache(maxsize=256)
def _fits_cached(slots: tuple[_Slot, ...], hole_cards: int) -> NDArray[np.bool_]:
    hands = hand_cards(hole_cards)
    named_ranks = {slot.named_rank for slot in slots} - {""}
    named_suits = {slot.named_suit for slot in slots} - {""}
    tables = []
    for slot in slots:
        cards = slot.cards
        if slot.rank:
            cards &= ~sum(_RANK_CARDS[name] for name in named_ranks)
        if slot.suit:
            cards &= ~sum(_SUIT_CARDS[name] for name in named_suits)
        tables.append(np.array([cards >> card & 1 for card in range(52)], np.bool_))
    taken = [[table[hands[:, place]] for place in range(hole_cards)] for table in tables]
    ranks, suits = hands >> 2, hands & 3
    chosen = np.zeros(len(hands), np.bool_)
    for places in permutations(range(hole_cards), len(slots)):
        if any(
            slots[i] == slots[j] and places[i] > places[j]
            for j in range(len(slots))
            for i in range(j)
        ):
            continue  # Equal slots in another order say the same
        fits = np.ones(len(hands), np.bool_)
        for fitting, place in zip(taken, places, strict=True):
            fits &= fitting[place]
        for j in range(len(slots)):
            for i in range(j):
                for names, values in (
                    ((slots[i].rank, slots[j].rank), ranks),
                    ((slots[i].suit, slots[j].suit), suits),
                ):
                    if all(names):
                        same = values[:, places[i]] == values[:, places[j]]
                        fits &= same if names[0] == names[1] else ~same
        chosen |= fits
    chosen.setflags(write=False)
    return chosen


def _fits(slots: tuple[_Slot, ...], hole_cards: int) -> NDArray[np.bool_]:
    """(N,) whether the cards of a hand can be given to the slots, each card to one at most."""
    fixed = [slot.cards.bit_length() - 1 for slot in slots if slot.cards.bit_count() == 1]
    check_distinct(fixed)
    return _fits_cached(slots, hole_cards)


# ---- macros of whole hands


@lru_cache(maxsize=32)
def macro_hands(name: str, hole_cards: int) -> NDArray[np.bool_]:
    """(N,) the hands of a macro such as "ds"."""
    tests: dict[str, Callable[[], NDArray[np.bool_]]] = {
        "ds": lambda: suit_kinds(hole_cards) == SUIT_KINDS.index("ds"),
        "ss": lambda: suit_kinds(hole_cards) == SUIT_KINDS.index("ss"),
        "ts": lambda: suit_kinds(hole_cards) == SUIT_KINDS.index("ts"),
        "ms": lambda: suit_kinds(hole_cards) == SUIT_KINDS.index("ms"),
        "rb": lambda: suit_kinds(hole_cards) == SUIT_KINDS.index("rb"),
        "np": lambda: rank_counts(hole_cards)[:, 0] == 1,
        "op": lambda: (rank_counts(hole_cards)[:, :2] == [2, 1]).all(axis=1),
        "tp": lambda: (rank_counts(hole_cards)[:, :2] == [2, 2]).all(axis=1),
        "nt": lambda: rank_counts(hole_cards)[:, 0] < 3,
    }
    if name not in tests:
        return np.asarray(_gaps(hole_cards) == int(name[0]))
    return np.asarray(tests[name]())


@lru_cache(maxsize=4)
def suit_kinds(hole_cards: int) -> NDArray[np.uint8]:
    """(N,) the index in SUIT_KINDS: by the two suits of which a hand has most cards."""
    counts = _sorted_counts(hand_cards(hole_cards) & 3, 4)
    most, second = counts[:, 0], counts[:, 1]
    kinds = np.select([second > 1, most == 2, most == 3, most > 3], [2, 1, 3, 4], 0)
    return kinds.astype(np.uint8)


@lru_cache(maxsize=4)
def rank_counts(hole_cards: int) -> NDArray[np.uint8]:
    """(N, 2) how many cards a hand has of the rank it has most of, and of the next."""
    return _sorted_counts(hand_cards(hole_cards) >> 2, 13)


def _sorted_counts(values: NDArray[np.integer[Any]], num_values: int) -> NDArray[np.uint8]:
    """(N, 2) the greatest two counts of equal values in each row."""
    counts = np.zeros((len(values), num_values), np.uint8)
    rows = np.arange(len(values))
    for place in range(values.shape[1]):
        counts[rows, values[:, place]] += 1
    counts.partition(num_values - 2, axis=1)
    return counts[:, -1:-3:-1]


def _gaps(hole_cards: int) -> NDArray[np.int64]:
    """(N,) ranks missing between the cards of a hand, −1 with a pair; an ace may count one."""
    ranks = (hand_cards(hole_cards) >> 2).astype(np.int64)
    wide = ranks[:, -1] - ranks[:, 0]
    below = np.where(ranks[:, -1] == 12, ranks[:, -2] + 1, 99)
    gaps = np.minimum(wide, below) - (hole_cards - 1)
    return np.where(macro_hands("np", hole_cards), gaps, -1)


# ---- MonkerSolver


def _read_monker_lines(text: str, hole_cards: int) -> NDArray[np.float64] | None:
    """The weights of a text of two lines a hand, "(A5)(A4)" and "0.35;120.0", or None."""
    if _MONKER_LINES.match(text) is None:
        return None
    weights = np.zeros(num_hands(hole_cards))
    for hand, weight in _monker_entries(text):
        hands, _ = _monker_part(hand, hole_cards)
        if not 0 <= weight <= 1:
            raise ParameterError(f"The hand {hand!r} has the weight {weight:g}; it goes to 1.")
        weights[hands] = weight
    return weights


def _monker_entries(text: str) -> Iterator[tuple[str, float]]:
    at = 0
    while at < len(text):
        match = _MONKER_LINES.match(text, at)
        if match is None:
            if text[at:].strip():
                raise ParameterError(f"{text[at : at + 40]!r} is no hand with its weight below it.")
            return
        yield match[1], float(match[2])
        at = match.end()


def _monker_part(hand: str, hole_cards: int) -> Part:
    """The hands of a class written as "(AK)(QJ)": cards in brackets share a suit."""
    if "?" in hand:
        raise ParameterError(
            f"{hand!r} leaves ranks open, as MonkerViewer's own files do; they name hands by their"
            " place in a list that is not published."
        )
    number = _monker_classes(hole_cards).get(_monker_key(hand))
    if number is None:
        held = len(hand.replace("(", "").replace(")", ""))
        if held != hole_cards:
            raise ParameterError(f"{hand!r} has {held} cards; a hand here has {hole_cards}.")
        raise ParameterError(f"{hand!r} is no hand: cards in brackets are of one suit.")
    hands = hands_by_class(hole_cards)[number]
    return hands, np.ones(len(hands))


def _monker_key(hand: str) -> tuple[str, ...]:
    groups = re.findall(r"\(([^()]*)\)|(.)", hand)
    return _key_of_groups(group or single for group, single in groups)


def _key_of_groups(groups: Iterable[str]) -> tuple[str, ...]:
    """The ranks of each suit in one order, whichever suit comes first."""
    return tuple(sorted("".join(sorted(group)) for group in groups))


@lru_cache(maxsize=2)
def _monker_classes(hole_cards: int) -> dict[tuple[str, ...], int]:
    """The class of each way to write its ranks in groups by suit."""
    from riverboat.cards.hands import class_members

    keys = {}
    for number, hand in enumerate(hand_cards(hole_cards)[class_members(hole_cards)].tolist()):
        suits = ["".join(RANKS[card >> 2] for card in hand if card & 3 == s) for s in range(4)]
        keys[_key_of_groups(filter(None, suits))] = number
    return keys


@lru_cache(maxsize=2)
def hands_by_ranks(hole_cards: int) -> dict[tuple[int, ...], NDArray[np.int64]]:
    """Ranks, low ones first → the numbers of the hands that have them."""
    ranks = (hand_cards(hole_cards) >> 2).astype(np.int64)  # Rising, as the cards are
    codes = ranks @ 13 ** np.arange(hole_cards)
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    return {tuple(ranks[part[0]].tolist()): part for part in parts}


@lru_cache(maxsize=2)
def hands_by_class(hole_cards: int) -> list[NDArray[np.int64]]:
    """The numbers of the hands of each class."""
    classes, sizes = class_of_hands(hole_cards), class_sizes(hole_cards)
    order = np.argsort(classes, kind="stable")
    return np.split(order, np.cumsum(sizes)[:-1])
