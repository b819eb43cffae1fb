"""A little language that finds hands: groups and ranges, joined by and, or, not.

    flush draw without A              flush draws that hold no ace
    top pair or overpair
    nut flush blocker and nothing     bluffs with the nut blocker
    no pair not draw As               no pair, no draw, with the ace of spades
    9+ outs                           nine or more next cards that make a straight or a flush
    AKs,QQ+ and hearts                a range, and a heart in the hand
    flush draw and AA$ds,KK$ds        in Omaha a range of four cards
    all                               every hand

A term is a group of `hand_groups` (its plural too), a number of outs, a card (`As`), a rank (`A`,
`ace`), a suit (`hearts`), `all`, or text of the range grammar of the game, without blanks. `and`,
`with`, `&` or a blank ask for both, `or` and `|` for either, `not` and `!` for hands without;
`without` is "and not". Brackets group. These signs end a range: `AA,KK!QQ` finds aces and kings
without queens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from riverboat.cards.card import RANK_NAMES, RANKS, card_text, parse_card
from riverboat.cards.combos import NUM_COMBOS
from riverboat.cards.hand_groups import HandGroups
from riverboat.cards.hands import hand_numbers
from riverboat.cards.omaha_ranges import parse_range
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError
from riverboat.runtime.array_types import Bools

_OPERATORS = {"and": "&", "with": "&", "or": "|", "not": "!", "without": "&!"}
_ARTICLES = ("the", "an")
_SUITS = ("club", "diamond", "heart", "spade")
_OUTS = re.compile(r"(\d+)\+")
_CARD = re.compile(r"(?:[2-9TJQKA]|10)[cdhs]", re.IGNORECASE)
_MAX_TEXT = 2000  # Characters of a filter
_MAX_DEPTH = 50  # Brackets and nots inside each other


def find_hands(text: str, groups: HandGroups) -> Bools:
    """(N,) the hands that a filter finds; a text that cannot be read is refused."""
    if len(text) > _MAX_TEXT:
        raise ParameterError(f"A filter has at most {_MAX_TEXT:,} characters.")
    return _Reader(text, groups).read()


class _Reader:
    """Reads a filter from left to right: `or` binds least, then `and`, then `not`."""

    def __init__(self, text: str, groups: HandGroups) -> None:
        self.text, self.groups = text, groups
        self.names = sorted(groups.tags, key=len, reverse=True)
        self.tokens = list(self._tokens(text))
        self.at = self.depth = 0

    def read(self) -> Bools:
        if not self.tokens:
            raise ParameterError(
                "An empty filter finds nothing; write for example: flush draw without A."
            )
        hands = self._either()
        if self.at < len(self.tokens):
            raise ParameterError(f"The filter {self.text!r} closes a bracket that none opened.")
        return hands & self.groups.live

    @property
    def token(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _either(self) -> Bools:
        hands = self._both()
        while self.token == "|":
            self.at += 1
            hands = hands | self._both()
        return hands

    def _both(self) -> Bools:
        hands = self._one()
        while self.token not in ("", "|", ")"):
            if self.token == "&":
                self.at += 1
            hands = hands & self._one()
        return hands

    def _one(self) -> Bools:
        token = self.token
        self.at += 1
        self.depth += token in ("!", "(")
        if self.depth > _MAX_DEPTH:
            raise ParameterError(f"The filter has more than {_MAX_DEPTH} brackets and nots.")
        if token == "!":
            return ~self._one()
        if token == "(":
            hands = self._either()
            if self.token != ")":
                raise ParameterError(f"The filter {self.text!r} has a bracket that is not closed.")
            self.at += 1
            return hands
        if token in ("", "&", "|", ")"):
            where = f"before {token!r}" if token else "at its end"
            raise ParameterError(f"The filter {self.text!r} lacks a term {where}.")
        return self._term(token)

    def _tokens(self, text: str) -> Iterator[str]:
        names = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in self.names)
        pattern = re.compile(
            rf"\s*(?:(?P<name>{names})(?:es|s)?(?![\w+:-])|(?P<sign>[&|!()])|"
            r"(?P<outs>\d+\+)\s*outs?\b|(?P<word>[^\s&|!()]+))",
            re.IGNORECASE,
        )
        at = 0
        while match := pattern.match(text, at):
            at = match.end()
            if match["name"]:
                yield " ".join(match["name"].lower().split())
            elif match["sign"]:
                yield match["sign"]
            elif match["outs"]:
                yield f"{match['outs']} outs"
            elif match["word"].lower() in _OPERATORS:
                yield from _OPERATORS[match["word"].lower()]
            elif match["word"].lower() not in _ARTICLES:
                yield match["word"]

    def _term(self, token: str) -> Bools:
        groups, cards = self.groups, self.groups.cards
        if token in groups.tags:
            return groups.tagged(token)
        if token.endswith(" outs"):
            return np.asarray(groups.outs >= int(token.removesuffix("+ outs")))
        word = token.lower()
        if word == "all":
            return np.ones(len(cards), np.bool_)
        if _CARD.fullmatch(token):
            return np.asarray((cards == parse_card(token)).any(axis=1))
        if word.upper() in RANKS:
            return np.asarray((cards // 4 == RANKS.index(word.upper())).any(axis=1))
        singular = "six" if word == "sixes" else word.removesuffix("s")
        if singular in RANK_NAMES:
            return np.asarray((cards // 4 == RANK_NAMES.index(singular)).any(axis=1))
        if singular in _SUITS:
            return np.asarray((cards % 4 == _SUITS.index(singular)).any(axis=1))
        return self._in_range(token)

    def _in_range(self, token: str) -> Bools:
        cards = self.groups.cards
        hole_cards = cards.shape[1]
        try:
            weights = parse_range(token, hole_cards).weights
        except ParameterError as error:
            kind = "" if hole_cards == 2 else f" of {hole_cards} cards (AA$ds, KQJ …)"
            raise ParameterError(
                f"{token!r} is neither a group of hands (top pair, flush draw …) nor a card nor a"
                f" range{kind}."
            ) from error
        return np.asarray(weights[hand_numbers(cards)] > 0)


def range_text(groups: HandGroups, weights: np.ndarray) -> str:
    """Hands and their weights (N,) from 0 to 1 as text of the range grammar."""
    if groups.cards.shape[1] == 2:
        whole = np.zeros(NUM_COMBOS)
        whole[hand_numbers(groups.cards)] = np.clip(weights, 0.0, 1.0)
        return str(Range(whole))
    rows = np.flatnonzero(weights > 0)
    return ",".join(_weighted(groups.cards[row], float(weights[row])) for row in rows[::-1])


def _weighted(cards: np.ndarray, weight: float) -> str:
    text = "".join(card_text(int(card)) for card in sorted(cards, reverse=True))
    return text if weight >= 1 else f"{text}:{weight:.6g}"
