"""The rules of a blackjack table as one frozen record, with presets under names people know;
and the cards of blackjack: ranks as letters, their points, and the shoe they come from.

| option | values | meaning |
|---|---|---|
| decks | 1…8, infinite | packs of 52 in the shoe |
| h17 | bool | the dealer hits soft 17 |
| bj_pays | 1.5, 1.2, 1 | what a natural pays to one |
| double_on | any, 9-11, 10-11, none | two-card totals that may be doubled; a range excludes soft hands |
| das | bool | double after split |
| max_split_hands | 1…4, unlimited (0) | hands a pair may become; 1 forbids splitting |
| max_split_hands_aces | the same | the same for aces |
| hit_split_aces | bool | split aces may be played on; otherwise they get one card each |
| surrender | none, late, early | give up half the bet as the first decision |
| hole_card | peek, enhc | peek: a dealer's natural ends the round before play; enhc: play comes first and all split and double money is lost to it |
| insurance | bool | offered at an ace, half the bet, pays 2:1 |
| charlie | 0, 5…7 | this many cards without bust beat any points; 0: no such rule |
| dealer_charlie | bool | a dealer's hand of that many cards counts as one too |
| combo | bool | a two-card 21 counts as a natural after a split too |
| split_by | value, rank | whether K,Q is a pair |
"""  # noqa: E501

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

from riverboat.cards.card import ACE_LOW_RANKS
from riverboat.errors import IllegalActionError, ParameterError, UnknownNameError, did_you_mean
from riverboat.games.registry import parse_assignments

Decks: TypeAlias = int | Literal["infinite"]
ACTIONS = {"S": "stand", "H": "hit", "D": "double", "P": "split", "R": "surrender"}
"""Letter → name of what a hand may do, in the order of the kernels' codes (exact/forms.py)."""
LETTERS = "".join(ACTIONS)
LETTER_OF = {name: letter for letter, name in ACTIONS.items()}
RANKS = ACE_LOW_RANKS


@dataclass(frozen=True)
class BlackjackRules:
    """One table's rules; the defaults are a common six-deck table."""

    decks: Decks = 6
    h17: bool = False
    bj_pays: float = 1.5
    double_on: Literal["any", "9-11", "10-11", "none"] = "any"
    das: bool = True
    max_split_hands: int = 4
    max_split_hands_aces: int = 2
    hit_split_aces: bool = False
    surrender: Literal["none", "late", "early"] = "none"
    hole_card: Literal["peek", "enhc"] = "peek"
    insurance: bool = True
    charlie: int = 0
    dealer_charlie: bool = False
    combo: bool = False
    split_by: Literal["value", "rank"] = "value"

    def __post_init__(self) -> None:
        if self.decks != "infinite" and not 1 <= self.decks <= 8:
            raise ParameterError(f"decks must be 1 to 8 or infinite, not {self.decks}.")
        if self.bj_pays not in (1.5, 1.2, 1.0):
            raise ParameterError(f"bj_pays must be 1.5, 1.2 or 1, not {self.bj_pays}.")
        for option in ("double_on", "surrender", "hole_card", "split_by"):
            known = get_args(get_type_hints(type(self))[option])
            if getattr(self, option) not in known:
                raise ParameterError(
                    f"{option} must be one of {', '.join(known)}, not {getattr(self, option)!r}."
                )
        for option in ("max_split_hands", "max_split_hands_aces"):
            if not 0 <= getattr(self, option) <= 4:
                raise ParameterError(
                    f"{option} must be 1 to 4, or 0 for unlimited, not {getattr(self, option)}."
                )
        if self.charlie != 0 and not 5 <= self.charlie <= 7:
            raise ParameterError(f"charlie must be 0 (off) or 5 to 7, not {self.charlie}.")
        if self.dealer_charlie and not self.charlie:
            raise ParameterError("dealer_charlie needs charlie to be 5, 6 or 7.")
        if self.max_split_hands == 1 and self.max_split_hands_aces != 1:
            raise ParameterError(
                "max_split_hands=1 forbids splitting, so max_split_hands_aces must be 1 too."
            )

    @property
    def summary(self) -> str:
        """The table in the words of the game, e.g. "6 decks, S17, 3:2, DAS, split to 4, peek"."""
        return ", ".join(short for short, _ in _in_words(self) if short)

    @property
    def phrases(self) -> tuple[str, ...]:
        """The table as its sign would put it: "6 decks", "dealer stands on soft 17", …"""
        return tuple(phrase for _, phrase in _in_words(self) if phrase)

    def can_double(self, total: int, soft: bool) -> bool:
        """Whether a two-card hand of this total may be doubled (das apart)."""
        if self.double_on == "any" or self.double_on == "none":
            return self.double_on == "any"
        return int(self.double_on.partition("-")[0]) <= total <= 11 and not soft

    def split_limit(self, *, ace: bool) -> int:
        """How many hands a pair may become; 0 where there is no limit."""
        return self.max_split_hands_aces if ace else self.max_split_hands


PRESETS: dict[str, BlackjackRules] = {
    "vegas-6d-s17": BlackjackRules(),
    "vegas-6d-h17": BlackjackRules(h17=True, surrender="late", max_split_hands_aces=4),
    "vegas-8d-s17": BlackjackRules(decks=8),
    "vegas-6d-65": BlackjackRules(h17=True, bj_pays=1.2),
    "double-deck": BlackjackRules(decks=2, h17=True),
    "single-deck": BlackjackRules(decks=1, h17=True, das=False),
    "atlantic-city": BlackjackRules(decks=8, surrender="late"),
    "european": BlackjackRules(
        hole_card="enhc", double_on="9-11", max_split_hands=2, insurance=True
    ),
    "infinite": BlackjackRules(decks="infinite"),
    "combo-charlie": BlackjackRules(
        decks=3,
        max_split_hands=0,
        max_split_hands_aces=0,
        hit_split_aces=True,
        hole_card="enhc",
        charlie=5,
        dealer_charlie=True,
        combo=True,
        split_by="rank",
    ),
}


def _in_words(rules: BlackjackRules) -> Iterator[tuple[str, str]]:
    """Every rule as a player's abbreviation and a sign's phrase; "" where it goes without saying.

    What a table usually has goes without saying in the abbreviations.
    """
    if rules.decks == "infinite":
        yield "infinite deck", "Infinite deck"
    else:
        decks = f"{rules.decks} deck{'s' * (rules.decks > 1)}"
        yield decks, decks
    yield ("H17", "dealer hits soft 17") if rules.h17 else ("S17", "dealer stands on soft 17")
    ratio = {1.5: "3:2", 1.2: "6:5", 1.0: "1:1"}[rules.bj_pays]
    pays = "even money" if rules.bj_pays == 1 else ratio.replace(":", " to ")
    yield ratio, f"blackjack pays {pays}"
    if rules.double_on == "any":
        yield "", "double any two cards"
    elif rules.double_on == "none":
        yield "no double", "no doubling"
    else:
        yield f"double {rules.double_on}", f"double {rules.double_on.replace('-', '–')} only"
    if rules.max_split_hands != 1 and rules.double_on != "none":
        yield ("DAS", "double after split") if rules.das else ("no DAS", "no double after split")
    yield from _splits_in_words(rules)
    if rules.surrender == "none":
        yield "", "no surrender"
    else:
        yield (f"{rules.surrender} surrender",) * 2
    yield ("peek", "dealer peeks") if rules.hole_card == "peek" else ("no hole card",) * 2
    if not rules.insurance:
        yield ("no insurance",) * 2
    if rules.charlie:
        dealer = " for the dealer too" * rules.dealer_charlie
        yield (f"{rules.charlie}-card Charlie{dealer}",) * 2
    if rules.combo:
        yield "Combo", "split 21 counts as blackjack"
    if rules.split_by == "rank":
        yield "pairs by rank", "split equal ranks only"


def _splits_in_words(rules: BlackjackRules) -> Iterator[tuple[str, str]]:
    def hands(limit: int) -> str:
        return f"to {limit} hands" if limit else "without limit"

    limit, aces = rules.max_split_hands, rules.max_split_hands_aces
    if limit == 1:
        yield "no split", "no splitting"
        return
    yield f"split to {limit}" if limit else "split without limit", f"split {hands(limit)}"
    if aces == 1:
        yield "aces not split", "not aces"
        return
    short = {0: "resplit aces", 2: ""}.get(aces, f"aces to {aces}")
    yield short, "" if aces == limit else f"aces {hands(aces)}"
    if rules.hit_split_aces:
        yield "hit split aces", "aces may hit"
    else:
        yield "", "one card to an ace"


def rules_from(
    preset: str = "vegas-6d-s17", changes: Mapping[str, Any] | Iterable[str] = ()
) -> BlackjackRules:
    """A preset with options replaced, from values or from texts like `["h17=true"]`."""
    if preset not in PRESETS:
        raise UnknownNameError.among("rule set", preset, PRESETS)
    given = dict(changes) if isinstance(changes, Mapping) else parse_assignments(changes)
    hints = get_type_hints(BlackjackRules)
    values: dict[str, Any] = {}
    for option, value in given.items():
        if option not in hints:
            raise ParameterError(
                f"There is no rule option {option!r}; {did_you_mean(option, hints)}"
            )
        values[option] = _read(option, value, hints[option])
    return dataclasses.replace(PRESETS[preset], **values)


def _read(option: str, value: Any, hint: Any) -> Any:
    text = str(value).strip().lower()
    try:
        if hint is bool:
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[
                text
            ]
        if hint == Decks:
            return "infinite" if text == "infinite" else int(text)
        if hint is int:
            return 0 if text == "unlimited" else int(text)
        if hint is float:
            first, colon, second = text.partition(":")
            return float(first) / float(second) if colon else float(text)
        return text
    except (KeyError, ValueError, ZeroDivisionError):
        wanted = {
            bool: "true or false",
            float: "a number or a ratio such as 3:2",
            Decks: "1 to 8 or infinite",
        }
        raise ParameterError(
            f"{option} takes {wanted.get(hint, 'a whole number')}, not {value!r}."
        ) from None


def value(card: str) -> int:
    """1 for an ace, 10 for T, J, Q, K."""
    return min(RANKS.index(card) + 1, 10)


def parse_cards(text: str) -> str:
    """Ranks from a text such as "T,6", "10 6", "ak" or "A-7".

    A 1 is an ace only where it stands alone: "16" may be meant as a total, so it is refused.
    """
    groups = re.split(r"[, \-/|]+", str(text).strip().upper().replace("10", "T"))
    cards = "".join("A" if group == "1" else group for group in groups)
    if "1" in cards and not set(cards) - set(f"1{RANKS}"):
        raise ParameterError(
            f"{text!r} may be a total or cards; write cards with an ace as A, such as 'A,6'."
        )
    if not cards or any(card not in RANKS for card in cards):
        raise ParameterError(f"Cards are written as in 'T,6' or 'A,7', not {text!r}.")
    return cards


def parse_up_card(text: str) -> str:
    """The rank of the one card that the dealer shows."""
    try:
        card = parse_cards(text)
    except ParameterError:
        card = ""
    if len(card) != 1:
        raise ParameterError(f"The dealer shows one card, such as A, 7 or 10, not {text!r}.")
    return card


def parse_total(text: str) -> tuple[int, bool] | None:
    """A total and whether it is soft: "16", "hard 16", "soft 18"; None for anything else.

    Two digits above 21 are no total ("88" is a pair), and neither is "T".
    """
    match = re.fullmatch(r"(?:(hard|soft) *)?([1-9]\d?)", str(text).strip().lower(), re.ASCII)
    if match is None or (match[1] is None and int(match[2]) > 21):
        return None
    total, soft = int(match[2]), match[1] == "soft"
    low = 12 if soft else 4
    if not low <= total <= 21:
        kind = "soft" if soft else "hard"
        raise ParameterError(f"A {kind} total is {low} to 21, not {total}.")
    return total, soft


def points(cards: str) -> tuple[int, bool]:
    """The best total and whether an ace counts 11 in it."""
    hard = sum(value(card) for card in cards)
    soft = "A" in cards and hard <= 11
    return hard + 10 * soft, soft


def is_natural(cards: str) -> bool:
    """Whether it is an ace and a ten."""
    return len(cards) == 2 and points(cards)[0] == 21


def fresh_cards(decks: int) -> str:
    """The ranks of that many packs, in order."""
    return RANKS * (4 * decks)


@dataclass(frozen=True)
class Shoe:
    """Cards in the order they come; shuffling is the caller's. Past the cut, shuffle anew."""

    cards: str
    dealt: int = 0
    cut: int = 0  # How many cards are dealt before the cut card shows

    @property
    def cut_reached(self) -> bool:
        return self.dealt >= self.cut

    def draw(self) -> tuple[str, Shoe]:
        if self.dealt >= len(self.cards):
            raise IllegalActionError("blackjack: the shoe is empty; place the cut card earlier.")
        return self.cards[self.dealt], replace(self, dealt=self.dealt + 1)
