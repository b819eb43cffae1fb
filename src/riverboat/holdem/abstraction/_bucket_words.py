"""What a bucket holds, in words: a hand's features, or the equity of its centre."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riverboat.cards.card import RANK_NAMES
from riverboat.cards.combos import CLASS_NAMES
from riverboat.holdem.abstraction import _feature_kernels as kernels
from riverboat.holdem.abstraction._equity_bucket_kernels import EQUITY_SCALE
from riverboat.holdem.rules.betting import STREET_NAMES

_CLASSES = ("", "2–7", "8–T", "J–Q", "K", "A")
_COUNT = ("none", "one", "two", "three", "four", "five")
_RUNOUTS = {1: 1081, 2: 46}


def describe_bucket(details: Mapping[str, NDArray[Any]], street: int, bucket: int) -> str:
    """What a bucket holds, in words; `details` are those of its card abstraction."""
    # A street that was not built keeps the bucket of the last one that was.
    for built in range(street, 0, -1):
        codes = details.get(f"{STREET_NAMES[built]}_codes")
        centres = details.get(f"{STREET_NAMES[built]}_centres")
        if codes is not None:
            return feature_name(codes[bucket])
        if centres is not None:
            equity = float(mean_equities(built, centres)[bucket])
            return f"equity {equity:.3f}, rank {bucket + 1} of {len(centres)} from below"
    return CLASS_NAMES[bucket]


def mean_equities(street: int, centres: NDArray[np.int16]) -> NDArray[np.float64]:
    """(K,) the equity of each centre: against a random hand, on the river against the clusters."""
    if street == 3:
        return np.asarray(centres.mean(axis=1) / EQUITY_SCALE)
    num_bins = centres.shape[1] + 1
    return np.asarray((centres.sum(axis=1) / _RUNOUTS[street] + 0.5) / num_bins)


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
    own = " and ".join(_CLASSES[number] for number in classes if number)
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
