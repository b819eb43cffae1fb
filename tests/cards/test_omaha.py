"""Strength in Omaha against its rule in plain words and two independent evaluators."""

from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest

from riverboat.cards.card import CARDS
from riverboat.cards.hands import hand_cards
from riverboat.cards.omaha import (
    BLOCKED,
    omaha_board_strengths,
    omaha_strength,
    omaha_strengths,
    pair_strengths,
)
from riverboat.cards.plain_strength import strength as plain_strength
from riverboat.cards.strength import describe, strength
from riverboat.errors import ParameterError


def random_deals(seed: int, num: int, size: int, suits: int = 4) -> np.ndarray:
    """(num, size) different cards a row, of the first `suits` suits."""
    deck = np.array([card for card in range(52) if card % 4 < suits], np.uint8)
    rng = np.random.default_rng(seed)
    return deck[np.argsort(rng.random((num, len(deck))), axis=1)[:, :size]]


def by_the_rule(hand: list[int], board: list[int]) -> tuple[int, ...]:
    """The best of two cards of the hand and three of the board, by the readable evaluator."""
    return max(
        plain_strength((*two, *three))
        for two in combinations(hand, 2)
        for three in combinations(board, 3)
    )


@pytest.mark.parametrize("suits", [2, 4])
@pytest.mark.parametrize("hole_cards", [2, 3, 4, 5])
@pytest.mark.parametrize("board_cards", [3, 4, 5])
def test_hands_are_ordered_as_by_the_rule(hole_cards: int, board_cards: int, suits: int) -> None:
    deals = random_deals(10 * hole_cards + board_cards, 60, hole_cards + board_cards, suits)
    hands, boards = deals[:, :hole_cards], deals[:, hole_cards:]
    values = omaha_strengths(hands, boards)
    plain = [
        by_the_rule(hand, board)
        for hand, board in zip(hands.tolist(), boards.tolist(), strict=True)
    ]
    order = dict(zip(plain, values.tolist(), strict=True))
    assert [order[score] for score in plain] == values.tolist()
    assert sorted(order) == sorted(order, key=lambda score: order[score])


@pytest.mark.parametrize("suits", [2, 4])
@pytest.mark.parametrize("board_cards", [3, 4, 5])
def test_a_board_gives_every_pair_its_best_three(board_cards: int, suits: int) -> None:
    for board in random_deals(board_cards, 3, board_cards, suits).tolist():
        pairs = pair_strengths(board)
        assert np.array_equal(pairs, pairs.T)
        for low, high in combinations(range(52), 2):
            if low in board or high in board:
                assert pairs[low, high] == BLOCKED
                continue
            best = max(strength([low, high, *three]) for three in combinations(board, 3))
            assert pairs[low, high] == best


@pytest.mark.parametrize("hole_cards", [2, 3, 4])
def test_all_hands_on_a_board_agree_with_one_by_one(hole_cards: int) -> None:
    board = random_deals(5, 1, 5, 3)[0]
    values = omaha_board_strengths(board.tolist(), hole_cards)
    free = ~np.isin(hand_cards(hole_cards), board).any(axis=1)
    assert (values[~free] == BLOCKED).all()
    rows = hand_cards(hole_cards)[free]
    assert np.array_equal(values[free], omaha_strengths(rows, board))


def phevaluator_order(deals: list[list[int]]) -> list[int]:
    evaluator = pytest.importorskip("phevaluator")
    return [-evaluator.evaluate_omaha_cards(*deal[4:], *deal[:4]) for deal in deals]


def pokerkit_order(deals: list[list[int]]) -> list[object]:
    pokerkit = pytest.importorskip("pokerkit")
    return [
        pokerkit.OmahaHoldemHand.from_game(
            "".join(CARDS[card] for card in deal[:4]), "".join(CARDS[card] for card in deal[4:])
        )
        for deal in deals
    ]


@pytest.mark.parametrize(
    ("judge", "num"),
    [
        pytest.param(phevaluator_order, 5_000, id="phevaluator"),
        pytest.param(pokerkit_order, 400, id="PokerKit"),
        pytest.param(
            phevaluator_order, 1_000_000, id="phevaluator-million", marks=pytest.mark.slow
        ),
        pytest.param(
            pokerkit_order,
            1_000_000,
            id="PokerKit-million",
            marks=[pytest.mark.slow, pytest.mark.timeout(7200)],
        ),
    ],
)
def test_agrees_with_an_independent_evaluator(
    judge: Callable[[list[list[int]]], list[object]], num: int
) -> None:
    deals = random_deals(20, num, 9)
    values = omaha_strengths(deals[:, :4], deals[:, 4:])
    others = judge(deals.tolist())
    order = np.argsort(values, kind="stable")
    for first, second in pairwise(order):
        same = values[first] == values[second]
        assert others[first] == others[second] if same else others[first] < others[second]  # type: ignore[operator]


def test_two_of_the_hand_and_three_of_the_board_are_taken() -> None:
    assert describe(omaha_strength("As7h8h9h", "KsQsJs2s3d")).startswith("high card, ace")
    assert describe(omaha_strength("AsAhAdAc", "KsQh7s2d3c")).startswith("pair of aces")
    assert describe(omaha_strength("KhQd5c4c", "AsAhAdAc2s")).startswith("three of a kind, aces")


def test_bad_cards_are_refused() -> None:
    with pytest.raises(ParameterError, match="appears twice"):
        omaha_strength("AsKsQhJh", "As2d3d")
    with pytest.raises(ParameterError, match=r"\(N, 2…5\)"):
        omaha_strength("AsKsQhJh9c8c", "Ad2d3d")
    with pytest.raises(ParameterError, match="3 to 5 cards"):
        pair_strengths("As2d")
