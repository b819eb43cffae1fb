"""Ranges of hands: the notation players paste, weights, the 13 × 13 grid and set operations.

    AA  AKs  AKo  AK         a pair; suited, offsuit, or both
    QQ+  A2s+  KTo+          upwards: pairs, or the second card up to just below the first
    98s+  KQo+               two neighbouring ranks move up together: 98s T9s JTs QJs KQs AKs,
                             the reading of PioSOLVER and its relatives
    QQ-TT  A5s-A2s  JTs-54s  from … to, either end first; both move where the gap is the same
    AsKd, As Kd, A♠K♦        one combo
    15%                      the best 15 % of hands by all-in equity against a random hand
    random                   all 1,326 combos
    AKs:0.5  TT-88:25%       weights after a colon, from 0 to 1, or per cent
    [50]AKs,KQs[/50]         weights in per cent around a list

Items are separated by commas, semicolons or blanks; where two name the same combo, the later
one holds. Combos are in the order of `combos`.

Other programs write ranges in other ways:

    plain    QQ+,AKs:0.5,AsKd          Range.parse and str(range)
    pio      0 0 0.5 1 …               1,326 numbers, 2d2c 2h2c 2h2d 2s2c … AsAh
    gto+     [50]AKs,KQs[/50],AA       per cent around a list
    eval7    AA, 0.5(AKs, KQs)         a weight before a list in brackets

`parse_range` reads any of them, recognised or named; `format_range` writes one that
`parse_range` reads back to the same weights. In eval7 a plus moves the second card only, also for
neighbours (98s+ is 98s alone), and text between two # is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riverboat.cards.card import RANKS, SUIT_OF_SYMBOL, card_text
from riverboat.cards.combos import (
    CLASS_NAMES,
    COMBO_CARDS,
    NUM_CLASSES,
    NUM_COMBOS,
    class_of_combos,
    combo_text,
    parse_combo,
)
from riverboat.drawing.hand_grid import grid_of_range
from riverboat.errors import ParameterError, UnknownNameError

_ORDER = (
    "AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s "
    "A9o KJo 55 QJs K9s A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s "
    "QTo 44 A4o K6s K8o Q8s A3o K5s J9s Q9o JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o "
    "K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s "
    "T8o J7o Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o "
    "95s T3s 76s J3o 87o T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s "
    "T2o 54s 85o 64s 83s 94o 75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s "
    "83o 42s 82o 73o 53o 63o 32s 43o 72o 52o 62o 42o 32o "
)
CLASSES_BY_EQUITY = tuple(_ORDER.split())
"""The classes by equity against a random hand, best first (`PreflopTable` gives the figures)."""

LONGEST = 100  # Characters of a range that its `repr` shows
# Digits are bounded: a search over a text of many thousands takes no longer than reading it.
_NUMBER = r"(?P<number>(?:\d{0,40}\.)?\d{1,40})"
_WEIGHT = re.compile(rf"(?P<body>[^:]+):{_NUMBER[:-1]}(?:e-?\d{{1,4}})?)(?P<percent>%?)")
_CLASS = re.compile(r"(?P<ranks>[2-9TJQKA]{2})(?P<kind>[so]?)", re.IGNORECASE)
_COMBO = re.compile(r"(?:[2-9TJQKA]|10)[cdhs](?:[2-9TJQKA]|10)[cdhs]", re.IGNORECASE)
_SPACED_COMBO = re.compile(r"\s*(\w{2,3})\s+(\w{2,3})\s*")
_PERCENT = re.compile(rf"{_NUMBER}%")
_BRACKET = re.compile(rf"\[{_NUMBER}\](?P<body>[^\[\]]*)\[/(?P=number)\]")
FORMATS = ("plain", "pio", "gto+", "eval7")
LONGEST_TEXT = 200_000  # Characters of a range; 1,326 numbers with all their digits have 30,000
_GROUP = re.compile(rf"{_NUMBER}(?P<percent>%?)\s*\((?P<body>[^()]*)\)")
_TAG = re.compile(r"#[^#]*#")
_NEIGHBOURS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([so]?)\+", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Range:
    """A weight from 0 to 1 for each of the 1,326 combos."""

    weights: NDArray[np.float64]
    """(1326,)"""

    def __post_init__(self) -> None:
        weights = np.array(self.weights, np.float64)
        if weights.shape != (NUM_COMBOS,):
            raise ParameterError(f"A range has 1326 weights, not {weights.shape}.")
        if not ((weights >= 0) & (weights <= 1)).all():
            raise ParameterError("The weights of a range go from 0 to 1.")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read the notation above; a range without a hand is refused."""
        weights = np.zeros(NUM_COMBOS)
        for item, weight in _items(text):
            named = _weights_of(item)
            weights = np.where(named > 0, named * weight, weights)
        if not weights.any():
            raise ParameterError(f"The range {text!r} holds no hand; write for example QQ+,AKs.")
        return cls(weights)

    @classmethod
    def full(cls) -> Range:
        """Every hand."""
        return cls(np.ones(NUM_COMBOS))

    @classmethod
    def top(cls, share: float) -> Range:
        """The best `share` (0 to 1) of hands by equity against a random one, the last class cut."""
        if not 0 < share <= 1:
            raise ParameterError(
                f"A share of hands lies above 0 and up to 100 %, not at {100 * share:.6g} %."
            )
        weights, remaining = np.zeros(NUM_COMBOS), share * NUM_COMBOS
        for name in CLASSES_BY_EQUITY:
            combos = np.flatnonzero(class_of_combos() == CLASS_NAMES.index(name))
            weights[combos] = min(1.0, max(0.0, round(remaining / len(combos), 12)))
            remaining -= len(combos)
        return cls(weights)

    @classmethod
    def from_grid(cls, grid: ArrayLike) -> Range:
        """The range in which each class has its weight in `grid` (13, 13)."""
        return cls(np.asarray(grid, np.float64).reshape(NUM_CLASSES)[class_of_combos()])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and bool((self.weights == other.weights).all())

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __or__(self, other: Range) -> Range:
        """Each combo with the larger of its weights."""
        return Range(np.maximum(self.weights, other.weights))

    def __and__(self, other: Range) -> Range:
        """Each combo with the smaller of its weights."""
        return Range(np.minimum(self.weights, other.weights))

    def __sub__(self, other: Range) -> Range:
        """What is left of each weight when the other's is taken away."""
        return Range(np.maximum(self.weights - other.weights, 0.0))

    def __invert__(self) -> Range:
        """Each combo with what its weight lacks to one."""
        return Range(1.0 - self.weights)

    def __contains__(self, hand: str | int) -> bool:
        combo = parse_combo(hand) if isinstance(hand, str) else hand
        return bool(self.weights[combo] > 0)

    def without(self, cards: list[int]) -> Range:
        """The range without the hands that hold one of the cards."""
        if not cards:
            return self
        return Range(np.where(np.isin(COMBO_CARDS, cards).any(axis=1), 0.0, self.weights))

    @cached_property
    def combos(self) -> NDArray[np.int64]:
        """The combos of positive weight."""
        return np.flatnonzero(self.weights)

    @property
    def num_combos(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    @property
    def share(self) -> float:
        """The part of all hands, 0 to 1."""
        return self.num_combos / NUM_COMBOS

    def grid(self) -> NDArray[np.float64]:
        """(13, 13) mean weight of each class: aces first, suited above the diagonal."""
        classes = class_of_combos()
        means = np.bincount(classes, self.weights) / np.bincount(classes)
        low, high = np.ones(NUM_CLASSES), np.zeros(NUM_CLASSES)
        np.minimum.at(low, classes, self.weights)
        np.maximum.at(high, classes, self.weights)
        # A class of one weight shows exactly that weight.
        return np.clip(means, low, high).reshape(13, 13)

    def as_dict(self) -> dict[str, object]:
        """The facts for a program: the notation, its size, and each combo with its weight."""
        return {
            "text": str(self),
            "combos": self.num_combos,
            "share": self.share,
            "weights": {combo_text(int(c)): float(self.weights[c]) for c in self.combos[::-1]},
        }

    def __str__(self) -> str:
        """The shortest plain notation we know, which `parse` reads back to the same range."""
        classes = class_of_combos()
        by_class = [self.weights[classes == number] for number in range(NUM_CLASSES)]
        whole = {
            CLASS_NAMES[number]: float(weights[0])
            for number, weights in enumerate(by_class)
            if weights[0] and (weights == weights[0]).all()
        }
        if len(whole) == NUM_CLASSES and set(whole.values()) == {1.0}:
            return "random"
        parts = list(_runs(whole))
        for number in range(NUM_CLASSES):
            if CLASS_NAMES[number] not in whole:
                parts += [
                    combo_text(int(combo)) + _suffix(float(self.weights[combo]))
                    for combo in np.flatnonzero(classes == number)[::-1]
                    if self.weights[combo]
                ]
        return ",".join(parts)

    def __repr__(self) -> str:
        text = str(self)
        if len(text) <= LONGEST:
            return f"Range.parse({text!r})"
        return f"<Range of {self.num_combos:g} combos, {self.share:.1%}: {text[:LONGEST]}…>"

    def _repr_html_(self) -> str:
        title = f"{self.num_combos:g} combos, {self.share:.2%}"
        every = np.ones(NUM_COMBOS, np.bool_)
        return grid_of_range(title, self.weights, every, class_of_combos())._repr_html_()


def _suffix(weight: float) -> str:
    return "" if weight == 1.0 else f":{weight!r}"


def _runs(whole: dict[str, float]) -> Iterator[str]:
    """Classes of equal weight joined: pairs, then suited and offsuit by their first card."""
    lines = [[rank * 2 for rank in reversed(RANKS)]]
    for kind in "so":
        for high in range(12, 0, -1):
            lines.append([RANKS[high] + RANKS[low] + kind for low in range(high - 1, -1, -1)])
    for line in lines:
        start = 0
        while start < len(line):
            end, weight = start, whole.get(line[start])
            if weight is not None:
                while end + 1 < len(line) and whole.get(line[end + 1]) == weight:
                    end += 1
                run = line[start]
                if start < end:  # from the top it is written with a plus, as players do
                    run = f"{line[end]}+" if start == 0 else f"{line[start]}-{line[end]}"
                yield run + _suffix(weight)
            start = end + 1


def _items(text: str) -> Iterator[tuple[str, float]]:
    """The items of a text with their weights, bracketed lists first resolved."""
    plain = _BRACKET.sub(_bracket_to_colons, text.translate(SUIT_OF_SYMBOL))
    spaced = _SPACED_COMBO.fullmatch(plain)
    if spaced and _COMBO.fullmatch("".join(spaced.groups())):
        plain = "".join(spaced.groups())
    for item in re.split(r"[,;\s]+", re.sub(r"(?<!\s)\s*([-:])\s*", r"\1", plain.strip())):
        if not item:
            continue
        match = _WEIGHT.fullmatch(item)
        if match is None:
            yield item, 1.0
            continue
        weight = float(Decimal(match["number"]).scaleb(-2 if match["percent"] else 0))
        if weight > 1:
            raise ParameterError(f"{item!r} has a weight above 1; weights go from 0 to 1.")
        yield match["body"], weight


def _bracket_to_colons(match: re.Match[str]) -> str:
    items = re.split(r"[,;\s]+", match["body"].strip())
    return ",".join(f"{item}:{match['number']}%" for item in items if item)


def _weights_of(item: str) -> NDArray[np.float64]:
    """(1326,) one for the combos that an item names, a fraction for a class cut by a percentage."""
    if item.lower() in ("random", "any", "all"):
        return np.ones(NUM_COMBOS)
    if _COMBO.fullmatch(item):
        weights = np.zeros(NUM_COMBOS)
        weights[parse_combo(item)] = 1.0
        return weights
    percent = _PERCENT.fullmatch(item)
    if percent:
        return Range.top(float(percent["number"]) / 100).weights
    names = set(_classes_of(item))
    chosen = np.array([name in names for name in CLASS_NAMES], np.float64)
    return np.asarray(chosen[class_of_combos()])


def _classes_of(item: str) -> list[str]:
    """The names of the classes in "AK", "QQ+", "A5s-A2s" and the like."""
    if item.endswith("+"):
        high, low, kind = _read_class(item[:-1], item)
        if high - low <= 1:
            return _named([(top, top - high + low) for top in range(high, 13)], kind)
        return _named([(high, second) for second in range(low, high)], kind)
    if "-" in item:
        first, last = item.split("-", 1)
        high1, low1, kind = _read_class(first, item)
        high2, low2, kind2 = _read_class(last, item)
        if kind != kind2:
            raise ParameterError(f"{item!r} mixes suited and offsuit; give both ends the same.")
        if high1 == high2:
            seconds = range(min(low1, low2), max(low1, low2) + 1)
            return _named([(high1, second) for second in seconds], kind)
        if high1 - low1 == high2 - low2:
            tops = range(min(high1, high2), max(high1, high2) + 1)
            return _named([(top, top - high1 + low1) for top in tops], kind)
        raise ParameterError(
            f"{item!r} is no run: its ends share the first card or the gap, as A5s-A2s or QQ-TT."
        )
    high, low, kind = _read_class(item, item)
    return _named([(high, low)], kind)


def _read_class(text: str, item: str) -> tuple[int, int, str]:
    """High rank, low rank and "s", "o" or "" of a class such as "AKs"."""
    match = _CLASS.fullmatch(text)
    if match is None:
        raise ParameterError(
            f"{item!r} is not a hand or range; write for example AA, AKs, QQ-TT, A2s+ or AsKd."
        )
    high, low = sorted((RANKS.index(rank) for rank in match["ranks"].upper()), reverse=True)
    kind = match["kind"].lower()
    if high == low and kind:
        raise ParameterError(f"{item!r} is a pair, which is neither suited nor offsuit.")
    return high, low, kind


def _named(ranks: list[tuple[int, int]], kind: str) -> list[str]:
    names = []
    for high, low in ranks:
        kinds = ("",) if high == low else tuple(kind) or ("s", "o")
        names += [RANKS[high] + RANKS[low] + suffix for suffix in kinds]
    return names


@lru_cache(maxsize=1)
def pio_order() -> NDArray[np.int64]:
    """(1326,) our number of each hand in PioSOLVER's order: 2d2c, 2h2c, 2h2d, 2s2c, … AsAh."""
    high, low = np.tril_indices(52, k=-1)
    order = low * (101 - low) // 2 + high - 1
    order.setflags(write=False)
    return np.asarray(order, np.int64)


@lru_cache(maxsize=1)
def pio_hands() -> tuple[str, ...]:
    """The texts of the hands in that order, high card first."""
    high, low = np.tril_indices(52, k=-1)
    return tuple(card_text(int(a)) + card_text(int(b)) for a, b in zip(high, low, strict=True))


def parse_range(text: str, form: str | None = None) -> Range:
    """A range from a text of any of the forms, or of the one that is named."""
    if len(text) > LONGEST_TEXT:
        raise ParameterError(f"A range of {len(text):,} characters is too long to be one.")
    chosen = _guess(text) if form is None else form
    if chosen == "pio":
        return _parse_pio(text)
    if chosen == "eval7":
        return _parse_eval7(text)
    if chosen in ("plain", "gto+"):
        return Range.parse(text)
    raise UnknownNameError.among("form of ranges", chosen, FORMATS)


def format_range(range_: Range, form: str = "plain") -> str:
    """A range as a text of one of the forms."""
    if form == "plain":
        return str(range_)
    if form == "pio":
        return " ".join(
            repr(weight).removesuffix(".0") for weight in range_.weights[pio_order()].tolist()
        )
    if form == "gto+":
        return ",".join(_gto_groups(range_))
    if form == "eval7":
        return ", ".join(_eval7_groups(range_))
    raise UnknownNameError.among("form of ranges", form, FORMATS)


def _guess(text: str) -> str:
    """The form of a text: many bare numbers are Pio's, a weight before a bracket is eval7's."""
    if text.lstrip()[:1].isdigit() and len(text.split()) > 169:
        return "pio"
    return "eval7" if _GROUP.search(text) or _TAG.search(text) else "plain"


def _parse_pio(text: str) -> Range:
    words = text.split()
    if len(words) != len(pio_order()):
        raise ParameterError(f"PioSOLVER's ranges have 1326 numbers, not {len(words):,}.")
    weights = np.zeros(len(words))
    try:
        weights[pio_order()] = [float(word) for word in words]
    except ValueError:
        raise ParameterError("PioSOLVER's ranges have numbers only, from 0 to 1.") from None
    if not weights.any():
        raise ParameterError("The range holds no hand: all its 1326 numbers are 0.")
    return Range(weights)


def _parse_eval7(text: str) -> Range:
    plain = _GROUP.sub(_group_to_colons, _TAG.sub("", text))
    if "(" in plain or ")" in plain:
        raise ParameterError(f"The brackets of {text[:60]!r} do not match; write 0.5(AKs, KQs).")
    return Range.parse(_NEIGHBOURS.sub(_second_card_only, plain))


def _group_to_colons(match: re.Match[str]) -> str:
    """`0.5(AA, KK)` as `AA:0.5,KK:0.5`."""
    items = [item for item in re.split(r"[,;\s]+", match["body"].strip()) if item]
    return ",".join(f"{item}:{match['number']}{match['percent']}" for item in items)


def _second_card_only(match: re.Match[str]) -> str:
    high, low = sorted((RANKS.index(rank) for rank in match.group(1, 2)), reverse=True)
    return match[0][:-1] if high - low == 1 else match[0]


def _format_items(range_: Range) -> dict[float, list[str]]:
    """Classes that have one weight, and single combos of the others, by weight."""
    items: dict[float, list[str]] = {}
    classes = class_of_combos()
    for number in range(NUM_CLASSES):
        combos = np.flatnonzero(classes == number)
        weights = range_.weights[combos]
        if not weights.any():
            continue
        if (weights == weights[0]).all():
            items.setdefault(float(weights[0]), []).append(CLASS_NAMES[number])
            continue
        for combo, weight in zip(combos.tolist(), weights.tolist(), strict=True):
            if weight:
                items.setdefault(weight, []).append(combo_text(combo))
    return items


def _gto_groups(range_: Range) -> Iterator[str]:
    for weight, names in sorted(_format_items(range_).items(), reverse=True):
        text = ",".join(names)
        percent = f"{(Decimal(repr(weight)) * 100).normalize():f}"
        yield text if weight == 1 else f"[{percent}]{text}[/{percent}]"


def _eval7_groups(range_: Range) -> Iterator[str]:
    for weight, names in sorted(_format_items(range_).items(), reverse=True):
        text = ", ".join(names)
        yield text if weight == 1 else f"{Decimal(repr(weight)):f}({text})"
