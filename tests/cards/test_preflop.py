"""Preflop pairs against full enumerations, and the laws the whole table must keep."""

import json
from pathlib import Path

import numpy as np
import pytest

from riverboat.cards._equity_counting import sums_and_masks
from riverboat.cards._equity_kernels import enumerate_boards
from riverboat.cards._strength_kernels import EMPTY_SUM
from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS, NUM_COMBOS, parse_combo
from riverboat.cards.preflop import (
    PREFLOP_BOARDS,
    PreflopTable,
    build_preflop_table,
    count_hand_pair,
    disjoint_combos,
)
from riverboat.cards.ranges import CLASSES_BY_EQUITY
from riverboat.cards.strength import strength_tables

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "poker" / "equity.json").read_text())
PAIRS = [m for m in REFERENCE["matchups"] if len(m["hands"]) == 2 and not m["board"]]


@pytest.fixture(scope="module")
def table() -> PreflopTable:
    return build_preflop_table()


@pytest.mark.parametrize("matchup", PAIRS, ids=lambda m: m["name"])
def test_pairs_equal_the_reference(matchup: dict, table: PreflopTable) -> None:
    first, second = (parse_combo(hand) for hand in matchup["hands"])
    expected = (matchup["wins"][0], matchup["ties"][0])
    assert count_hand_pair(first, second) == expected
    assert table.pair(first, second) == expected
    assert table.pair(second, first) == (matchup["wins"][1], matchup["ties"][1])


def test_pairs_equal_the_enumeration_of_all_boards(table: PreflopTable) -> None:
    rng = np.random.default_rng(1)
    done = 0
    while done < 12:
        first, second = rng.integers(0, NUM_COMBOS, 2).tolist()
        if not disjoint_combos()[first, second]:
            continue
        done += 1
        hands = COMBO_CARDS[[first, second]]
        deck = np.setdiff1d(np.arange(52), hands).astype(np.uint8)
        counts = np.zeros((4, 4), np.int64)
        enumerate_boards(
            deck,
            5,
            EMPTY_SUM,
            np.uint64(0),
            *sums_and_masks(hands.tolist()),
            strength_tables().arrays,
            counts,
        )
        _, won, _, tied = counts.sum(axis=0).tolist()
        assert table.pair(first, second) == (won, tied)
        assert count_hand_pair(first, second) == (won, tied)


def test_the_table_agrees_with_pairs_counted_alone(table: PreflopTable) -> None:
    rng = np.random.default_rng(2)
    for first, second in rng.integers(0, NUM_COMBOS, (400, 2)).tolist():
        if disjoint_combos()[first, second]:
            assert table.pair(first, second) == count_hand_pair(first, second)


def test_every_pair_of_hands_adds_up(table: PreflopTable) -> None:
    wins, ties = table.rows(np.arange(NUM_COMBOS))
    assert (wins + wins.T + ties == PREFLOP_BOARDS * disjoint_combos()).all()
    assert (ties == ties.T).all()


def test_matrix_of_classes(table: PreflopTable) -> None:
    matrix = table.equities()
    assert np.abs(matrix + matrix.T - 1).max() < 1e-15
    aces, kings = CLASS_NAMES.index("AA"), CLASS_NAMES.index("KK")
    for matchup in REFERENCE["range_matchups"]:
        if matchup["ranges"] == ["AA", "KK"]:
            assert matrix[aces, kings] == pytest.approx(matchup["equity"][0], abs=1e-9)
    wins, ties, totals = table.class_counts()
    against_random = (wins.sum(axis=1) + ties.sum(axis=1) / 2) / totals.sum(axis=1)
    assert [CLASS_NAMES[i] for i in np.argsort(-against_random)] == list(CLASSES_BY_EQUITY)
