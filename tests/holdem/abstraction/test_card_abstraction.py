"""CardAbstraction: look-ups by kernels and by the readable way agree, bad cards are refused."""

import numpy as np
import pytest

from riverboat.cards.combos import CLASS_NAMES, parse_combo
from riverboat.cards.isomorphism import isomorphism
from riverboat.cards.strength import strength
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction.card_abstraction import (
    NO_BUCKET,
    CardAbstraction,
    bucket_tables,
    preflop169,
)


def test_preflop_classes_on_every_street() -> None:
    abstraction = preflop169()
    assert abstraction.num_buckets == (169, 169, 169, 169)
    for board in ("", "Qs Js 2d", "Qs Js 2d 3h", "Qs Js 2d 3h 3c"):
        assert CLASS_NAMES[abstraction.bucket("AsKd", board)] == "AKo"
        assert CLASS_NAMES[abstraction.bucket("9h Th", board)] == "T9s"
        assert CLASS_NAMES[abstraction.bucket("7c7h", board)] == "77"


def _made_up() -> CardAbstraction:
    """Buckets that are known functions of index and strength, on every board."""
    flop = (np.arange(isomorphism(2, 3).size) % 60_000).astype(np.uint16)
    turn = (np.arange(isomorphism(2, 4).size) % 65_000).astype(np.uint16)
    num_boards = isomorphism(5).size
    starts = (np.arange(num_boards + 1) * 3).astype(np.uint32)
    # Three strengths a board: bisection finds the last that is not above the hand's.
    strengths = np.tile(np.array([0, 3000, 6000], np.uint32), num_boards)
    river = (strengths << 16 | (np.arange(3 * num_boards) % 50_000)).astype(np.uint32)
    tables = bucket_tables(flop, turn, (starts, river))
    return CardAbstraction("made-up", (169, 60_000, 65_000, 50_000), tables)


def test_kernels_read_the_entry_of_the_index() -> None:
    abstraction = _made_up()
    rng = np.random.default_rng(5)
    deals = np.array([rng.permutation(52)[:11] for _ in range(200)], np.uint8)
    out = np.empty((200, 3, 4), np.uint32)
    abstraction.assign(deals, 3, out)
    for cards, buckets in zip(deals.tolist(), out.tolist(), strict=True):
        board = cards[6:]
        for player in range(3):
            hand = cards[2 * player : 2 * player + 2]
            power = strength(hand + board)
            place = 3 * isomorphism(5).index(board) + (power >= 3000) + (power >= 6000)
            expected = [
                preflop169().bucket(hand),
                isomorphism(2, 3).index(hand, board[:3]) % 60_000,
                isomorphism(2, 4).index(hand, board[:4]) % 65_000,
                place % 50_000,
            ]
            assert buckets[player] == expected
            assert [abstraction.bucket(hand, board[:n]) for n in (0, 3, 4, 5)] == expected
    fewer = np.empty((200, 3, 2), np.uint32)
    abstraction.assign(deals[:, :9], 3, fewer)
    assert (fewer == out[:, :, :2]).all()


def test_every_hand_on_a_board() -> None:
    buckets = preflop169().board_buckets("Qs Js 2d")
    assert (buckets == NO_BUCKET).sum() == 1326 - 49 * 48 // 2
    assert buckets[parse_combo("AsKd")] == preflop169().bucket("AsKd")
    assert buckets[parse_combo("QsKd")] == NO_BUCKET


@pytest.mark.parametrize(
    ("hand", "board"),
    [("As", ""), ("AsKdQs", ""), ("AsKd", "Qs Js"), ("AsKd", "As Js 2d"), ("AsKd", "QsQdQhQc2c2d")],
)
def test_refuses_wrong_cards(hand: str, board: str) -> None:
    with pytest.raises(ParameterError):
        preflop169().bucket(hand, board)


def test_refuses_rows_too_short() -> None:
    with pytest.raises(ParameterError, match="Street 2"):
        preflop169().buckets(2, np.zeros((4, 5), int))
    with pytest.raises(ParameterError):
        preflop169().buckets(0, np.array([[3, 52]]))


def test_refuses_deals_without_a_board() -> None:
    with pytest.raises(ParameterError, match="4 streets"):
        preflop169().assign(np.zeros((1, 8), np.uint8), 2, np.empty((1, 2, 4), np.uint32))
