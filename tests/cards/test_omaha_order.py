"""The shipped order of four-card hands: exact, and what its program computes."""

import numpy as np
import pytest

from riverboat.cards.hands import class_of_hands, class_sizes, hand_cards, hand_masks, hand_number
from riverboat.cards.omaha import BLOCKED, omaha_board_strengths
from riverboat.cards.omaha_order import (
    OPPONENTS,
    class_equities,
    classes_by_equity,
    compute_equities,
    different_boards,
)


def test_all_hands_together_win_half() -> None:
    """Two random hands are alike, so the mean over all hands is exactly one half."""
    sizes = class_sizes(4)
    assert class_equities() @ sizes / sizes.sum() == pytest.approx(0.5, abs=1e-9)


def test_the_order_names_every_class_once_and_falls() -> None:
    order = classes_by_equity()
    assert np.array_equal(np.sort(order), np.arange(16_432))
    assert (np.diff(class_equities()[order]) <= 0).all()


def test_the_boards_stand_for_all_boards() -> None:
    boards, weights = different_boards()
    assert boards.shape == (134_459, 5)
    assert weights.sum() == 2_598_960  # 52 choose 5


def test_the_program_counts_as_enumeration_does() -> None:
    """One board: some classes against every hand that shares no card with theirs."""
    boards, _ = different_boards()
    rng = np.random.default_rng(4)
    board = boards[rng.integers(len(boards))]
    equities = compute_equities(board[None], np.ones(1, np.int64))
    values = omaha_board_strengths(board.tolist())
    live = np.flatnonzero(values != BLOCKED)
    masks, strengths = hand_masks(hand_cards(4))[live], values[live].astype(np.int64)
    classes = class_of_hands(4)[live]
    for number in rng.choice(np.unique(classes), 6, replace=False):
        shares = []
        for hand in np.flatnonzero(classes == number):
            apart = (masks & masks[hand]) == 0
            assert apart.sum() == OPPONENTS
            won = (strengths[apart] < strengths[hand]).sum()
            shares.append((won + (strengths[apart] == strengths[hand]).sum() / 2) / OPPONENTS)
        assert equities[number] == pytest.approx(np.mean(shares), abs=1e-12)


@pytest.mark.slow
def test_the_shipped_file_agrees_with_a_sample_of_boards() -> None:
    boards, weights = different_boards()
    picked = np.random.default_rng(5).choice(len(boards), 4_000, p=weights / weights.sum())
    sampled = compute_equities(boards[picked], np.ones(len(picked), np.int64))
    difference = sampled - class_equities()
    assert np.sqrt(np.mean(difference**2)) < 0.01
    aces, deuces = (hand_number(hand) for hand in ([51, 50, 35, 34], [0, 1, 2, 3]))
    best, worst = class_of_hands(4)[aces], class_of_hands(4)[deuces]
    assert abs(difference[best]) < 0.02
    assert classes_by_equity()[-1] == worst
