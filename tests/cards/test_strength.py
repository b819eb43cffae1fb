"""Hand strength against full enumeration counts, an independent evaluator and plain rules."""

import json
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from riverboat.cards._isomorphism_kernels import canonical_index
from riverboat.cards._strength_kernels import strength_of_cards, strengths_on_board
from riverboat.cards.card import CARDS, parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.isomorphism import isomorphism
from riverboat.cards.strength import (
    BLOCKED,
    board_strengths,
    category,
    category_starts,
    describe,
    mask_of,
    strength,
    strength_tables,
    strengths,
    strengths_of_card_masks,
)
from riverboat.errors import ParameterError

COUNTS = json.loads((Path(__file__).parents[1] / "data" / "poker" / "counts.json").read_text())


def random_hands(rng: np.random.Generator, num: int, size: int) -> np.ndarray:
    return np.argsort(rng.random((num, 52)), axis=1)[:, :size].astype(np.uint8)


def plain_score(cards: tuple[int, ...]) -> tuple[int, ...]:
    """The rules of poker for five cards, written for reading."""
    ranks = sorted((card // 4 for card in cards), reverse=True)
    groups = sorted(Counter(ranks).items(), key=lambda item: (-item[1], -item[0]))
    shape = tuple(count for _, count in groups)
    order = tuple(rank for rank, _ in groups)
    flush = len({card % 4 for card in cards}) == 1
    top = ranks[0] if ranks[0] - ranks[4] == 4 and len(groups) == 5 else None
    if ranks == [12, 3, 2, 1, 0]:
        top = 3
    if top is not None:
        return (8 if flush else 4, top)
    if flush:
        return (5, *order)
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return (kinds.get(shape, 0), *order)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_order_is_that_of_the_plain_rules(size: int) -> None:
    hands = random_hands(np.random.default_rng(size), 600, size)
    ours = strengths(hands).tolist()
    scores = [max(plain_score(five) for five in combinations(hand.tolist(), 5)) for hand in hands]
    by_strength = sorted(zip(ours, scores, strict=True))
    for (s1, p1), (s2, p2) in pairwise(by_strength):
        assert (s1 == s2) == (p1 == p2)
        assert (s1 < s2) == (p1 < p2)
    assert [category(value) for value in ours] == [score[0] for score in scores]


def test_all_five_card_hands_have_the_known_counts() -> None:
    hands = np.array(list(combinations(range(52), 5)), np.uint8)
    values = strengths(hands)
    assert values.max() == 7461
    assert len(np.unique(values)) == COUNTS["distinct_total"]["5"] == 7462
    counts = np.histogram(values, bins=[*category_starts(), 7462])[0]
    assert counts.tolist() == COUNTS["hands"]["5"]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_agrees_with_an_independent_evaluator(size: int) -> None:
    phevaluator = pytest.importorskip("phevaluator")
    hands = random_hands(np.random.default_rng(10 + size), 33_334, size)
    theirs = [
        7462 - phevaluator.evaluate_cards(*(CARDS[card] for card in hand))
        for hand in hands.tolist()
    ]
    assert strengths(hands).tolist() == theirs
    masks = (np.uint64(1) << hands.astype(np.uint64)).sum(axis=1)
    assert strengths_of_card_masks(masks).tolist() == theirs


def test_sampled_boards_have_the_frequencies_of_seven_cards() -> None:
    """Each category's share of 2,000 boards × 1,081 hands against 133,784,560 hands."""
    rng, out, counts = np.random.default_rng(3), np.empty(1326, np.uint16), np.zeros(9)
    num_boards = 2000
    for board in random_hands(rng, num_boards, 5):
        strengths_on_board(board, *strength_tables().arrays, np.empty((13, 52), np.uint16), out)
        counts += np.histogram(out[out != BLOCKED], bins=[*category_starts(), 7462])[0]
    expected = np.array(COUNTS["hands"]["7"]) / 133_784_560
    # Hands of one board go together, so the spread is that of boards, not of hands.
    assert np.abs(counts / (1081 * num_boards) - expected).max() < 5 * 0.35 / num_boards**0.5


@pytest.mark.parametrize(
    "board",
    ["2c7dJhQs9c", "AsKsQs2d3c", "AsKsQsJs3c", "AsKsQsJsTs", "7h7d7c2s2h", "9h8h7h6h2c", "5c4d3h"],
)
def test_every_hand_on_a_board_equals_the_hand_alone(board: str) -> None:
    cards = parse_cards(board)
    values = board_strengths(board)
    for combo, (low, high) in enumerate(COMBO_CARDS.tolist()):
        if low in cards or high in cards:
            assert values[combo] == BLOCKED
        elif combo % 7 == 0:
            assert values[combo] == strength([*cards, low, high])


def test_kernels_can_be_called_from_kernels() -> None:
    @njit
    def both(hands, index_table, keys, displacements, values, out):  # type: ignore[no-untyped-def]
        for i in range(hands.shape[0]):
            out[i, 0] = strength_of_cards(hands[i], keys, displacements, values)
            out[i, 1] = canonical_index(hands[i], index_table)

    hands, classes = random_hands(np.random.default_rng(8), 100, 7), isomorphism(2, 5)
    out = np.zeros((100, 2), np.int64)
    both(hands, classes.table, *strength_tables().arrays, out)
    assert out[:, 0].tolist() == strengths(hands).tolist()
    assert out[:, 1].tolist() == classes.indices(hands).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("size", "total"), [(6, 20_358_520), (7, 133_784_560)])
def test_all_six_and_seven_card_hands_have_the_known_counts(size: int, total: int) -> None:
    counts, seen = np.zeros(9, np.int64), np.zeros(7462, np.bool_)
    tail = np.array(list(combinations(range(52), size - 2)), np.uint8)
    done = 0
    for first, second in combinations(range(52), 2):
        rest = tail[tail[:, 0] > second]
        hands = np.empty((len(rest), size), np.uint8)
        hands[:, 0], hands[:, 1], hands[:, 2:] = first, second, rest
        values = strengths(hands)
        done += len(values)
        seen[values] = True
        counts += np.histogram(values, bins=[*category_starts(), 7462])[0]
    assert done == total
    assert counts.tolist() == COUNTS["hands"][str(size)]
    distinct = np.histogram(np.flatnonzero(seen), bins=[*category_starts(), 7462])[0]
    assert distinct.tolist() == COUNTS["distinct"][str(size)]


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("KsKdKh3c3s", "full house, kings over threes"),
        ("AsKsQsJsTs 2d 2h", "royal flush"),
        ("5s4s3s2sAs", "straight flush, five high"),
        ("6s6d6h6c Ad", "four of a kind, sixes with an ace"),
        ("As9s5s3s2s", "flush, ace high"),
        ("AdKsQhJcTs", "straight, ace high"),
        ("8s8d8h Kc 2s", "three of a kind, eights with a king"),
        ("AsAd8h8c Ks", "two pair, aces and eights with a king"),
        ("QsQd Ah 3c 2s", "pair of queens with an ace"),
        ("7s5d4h3c2s", "high card, seven with a five"),
    ],
)
def test_words(cards: str, words: str) -> None:
    assert describe(strength(cards)) == words


def test_tables_are_small() -> None:
    tables = strength_tables()
    assert tables.displacements.nbytes + tables.strengths.nbytes <= 200_000


def test_bad_hands_are_refused() -> None:
    with pytest.raises(ParameterError, match="5 to 7 cards, not 4"):
        strength("AsKsQsJs")
    with pytest.raises(ParameterError, match="appears twice"):
        strength([0, 1, 2, 3, 3])
    with pytest.raises(ParameterError, match="0 to 51"):
        strength([0, 1, 2, 3, 52])
    with pytest.raises(ParameterError, match="0 to 51"):
        strengths([[0, 1, 2, 3, 52]])
    with pytest.raises(ParameterError, match="0 to 51"):
        strengths([[0, 1, 2, 3, -1]])
    with pytest.raises(ParameterError, match=r"\(N, 5…7\)"):
        strengths([[0, 1]])
    with pytest.raises(ParameterError, match="5 to 7"):
        strengths_of_card_masks([mask_of([0, 1])])
    with pytest.raises(ParameterError, match="0 to 7461"):
        describe(7462)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_rows_with_a_card_twice_are_found(size: int) -> None:
    rng = np.random.default_rng(size)
    hands = np.argsort(rng.random((3000, 52)), axis=1)[:, :size]
    assert np.array_equal(strengths(hands, check=True), strengths(hands))
    row = 2345
    first, second = rng.choice(size, 2, replace=False)
    hands[row, first] = hands[row, second]
    with pytest.raises(ParameterError, match=f"Row {row} .* twice"):
        strengths(hands, check=True)
