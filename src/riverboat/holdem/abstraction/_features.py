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

from riverboat.cards.isomorphism import STREETS, isomorphism
from riverboat.cards.strength import strength_tables
from riverboat.holdem.abstraction import _feature_kernels as kernels
from riverboat.holdem.abstraction.card_abstraction import (
    CardAbstraction,
    from_street_tables,
    in_parallel,
    river_boards,
)
from riverboat.holdem.rules.betting import STREET_NAMES

Progress = Callable[[str, float], None]
_BLOCK = 100_000


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
