"""`features`: what a player would say of a hand, instead of its cards.

A bucket is the category of the made hand with the ranks that make it, coarse kickers, what of it
lies on the board, and flags: the most cards of one suit on the board (F), whether the player holds
the top card of a straight (H_S), pairs (P) and threes of a kind (ToK) on the board, how near
it is to a straight (S), and what the hand may still become: flush and straight draws. Every
combination that occurs is one bucket, numbered from weak to strong categories, and has a name.
feature_kernels lists the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import RANK_NAMES
from riverboat.cards.isomorphism import STREETS, isomorphism
from riverboat.cards.strength import strength_tables
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction import _feature_kernels as kernels
from riverboat.holdem.abstraction.card_abstraction import (
    STREET_NAMES,
    CardAbstraction,
    from_street_tables,
    hand_and_board,
    in_parallel,
    river_boards,
)

Progress = Callable[[str, float], None]
_BLOCK = 100_000
_CLASSES = ("", "2–7", "8–T", "J–Q", "K", "A")
_COUNT = ("none", "one", "two", "three", "four", "five")


def build_features(
    name: str = "features",
    *,
    streets: Sequence[str] = STREET_NAMES[1:],
    threads: int = 1,
    progress: Progress | None = None,
) -> CardAbstraction:
    """The feature buckets of the given streets; the others keep the bucket of the one before.

    `progress` gets the street and the share of it that is done.
    """
    tables: dict[str, NDArray[np.uint16]] = {}
    details: dict[str, NDArray[np.int64]] = {}
    for street in streets:
        report = None if progress is None else _report(progress, street)
        codes = _river_codes() if street == "river" else _codes(street, threads, report)
        details[f"{street}_codes"], tables[street] = _number(codes)
        if progress is not None:
            progress(street, 1.0)
    counts = {street: len(details[f"{street}_codes"]) for street in streets}
    parameters = {"scheme": "features", "streets": list(streets)}
    return from_street_tables(name, tables, counts, parameters, details)


def _report(progress: Progress, street: str) -> Callable[[float], None]:
    return lambda share: progress(street, 0.9 * share)


def _codes(
    street: str, threads: int, progress: Callable[[float], None] | None
) -> NDArray[np.int64]:
    """The code of every class of flop or turn."""
    groups, tables = STREETS[street], strength_tables()
    classes = isomorphism(*groups)
    codes = np.empty(classes.size, np.int64)

    def work(start: int) -> None:
        part = codes[start : start + _BLOCK]
        kernels.fill_codes(start, groups[1], classes.table, tables.arrays, tables.scores, part)

    in_parallel(work, range(0, len(codes), _BLOCK), threads, progress)
    return codes


def _river_codes() -> NDArray[np.int64]:
    """The code of every strength on every board."""
    boards = river_boards()
    codes = np.empty(len(boards.strengths), np.int64)
    scores = strength_tables().scores
    kernels.fill_river_codes(boards.cards, boards.starts, boards.strengths, scores, codes)
    return codes


def _number(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """The different codes in order, and which of them each is."""
    parts = [codes[start : start + _BLOCK] for start in range(0, len(codes), _BLOCK)]
    different = np.unique(np.concatenate([np.unique(part) for part in parts]))
    numbers = [np.searchsorted(different, part).astype(np.uint16) for part in parts]
    return different, np.concatenate(numbers)


def feature_code(hand: str | Sequence[int], board: str | Sequence[int]) -> int:
    """The code of one hand on a board of 3 to 5 cards, without any table."""
    cards = hand_and_board(hand, board)
    if len(cards) < 5:
        raise ParameterError("Features are those of a hand on a board of 3, 4 or 5 cards.")
    tables, facts = strength_tables(), np.empty(kernels.NUM_FACTS, np.int64)
    return int(kernels.code_of(np.array(cards, np.uint8), tables.arrays, tables.scores, facts))


def feature_fields(code: int) -> tuple[int, ...]:
    """The twelve fields of a code, in the order of feature_kernels."""
    last = kernels.NUM_FIELDS - 1
    return tuple(int(code) >> 4 * (last - field) & 15 for field in range(kernels.NUM_FIELDS))


def feature_name(code: int) -> str:
    """A code in words, e.g. "pair of queens, one on the board, kicker A, two of a suit …"."""
    fields = feature_fields(code)
    words = [*_made_words(fields), *_board_words(fields), *_draw_words(fields)]
    return ", ".join(word for word in words if word)


def _plural(rank: int) -> str:
    return RANK_NAMES[rank] + ("es" if RANK_NAMES[rank] == "six" else "s")


def _made_words(fields: tuple[int, ...]) -> list[str]:
    category, main, side, second, shape, above = fields[:6]
    higher = f"{_COUNT[above]} higher on the board" if above else "none higher on the board"
    if category == kernels.HIGH_CARD:
        if not main:
            return ["high card on the board"]
        own = f"own {RANK_NAMES[main - 1]}" + (f" and {_CLASSES[side]}" if side else "")
        return [f"high card, {own}", higher]
    if category == kernels.PAIR:
        where = ("in the pocket", "one on the board", "on the board")[shape]
        return [f"pair of {_plural(main)}, {where}", _kickers(side, second), higher]
    if category == kernels.TWO_PAIR:
        places = f"{_COUNT[shape // 3]} and {_COUNT[shape % 3]} of them on the board"
        name = f"two pair, {_plural(main)} and {_CLASSES[side]}"
        return [name, places, _kickers(second), higher]
    if category == kernels.TRIPS:
        where = f"{_COUNT[shape]} on the board"
        return [f"three {_plural(main)}", where, _kickers(side), higher]
    if category in (kernels.STRAIGHT, kernels.STRAIGHT_FLUSH):
        name = "straight" if category == kernels.STRAIGHT else "straight flush"
        own = f"{_COUNT[shape // 2]} of it own"
        top = "holding the top card (H_S)" if shape % 2 else "top card on the board"
        return [f"{name}, {RANK_NAMES[main]} high", own, top]
    if category == kernels.FLUSH:
        if not main:
            return ["flush on the board"]
        out = f"{side} higher out" if side else "the nuts"
        return [f"flush with own {RANK_NAMES[main - 1]}", f"{_COUNT[shape]} of it own", out]
    if category == kernels.FULL_HOUSE:
        places = f"{_COUNT[shape // 3]} and {_COUNT[shape % 3]} of them on the board"
        return [f"full house, {_plural(main)} over {_plural(side)}", places]
    return [f"four {_plural(main)}", f"{_COUNT[shape]} on the board", _kickers(side)]


def _kickers(*classes: int) -> str:
    own = " and ".join(_CLASSES[each] for each in classes if each)
    return f"kicker {own}" if own else ""


def _board_words(fields: tuple[int, ...]) -> list[str]:
    suited, pairs, trips, straight = fields[kernels.F : kernels.S + 1]
    flush = ("", "no two of a suit", "two of a suit")
    return [
        f"F: {_COUNT[suited]} of a suit on the board" if suited >= 3 else flush[suited],
        ("", "P: a pair on the board", "P: two pairs on the board")[pairs],
        "ToK: three of a kind on the board" if trips else "",
        f"S: {_COUNT[straight + 2]} to a straight on the board" if straight else "",
    ]


def _draw_words(fields: tuple[int, ...]) -> list[str]:
    flush = ("", "backdoor flush draw", "flush draw", "nut flush draw")
    straight = ("", "gutshot", "open-ended or double straight draw")
    return [flush[fields[kernels.FLUSH_DRAW]], straight[fields[kernels.STRAIGHT_DRAW]]]
