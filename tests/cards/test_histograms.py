"""Equity distributions against exact equities and plain counting."""

import numpy as np
import pytest

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS, parse_combo
from riverboat.cards.equity import range_equities, runouts
from riverboat.cards.isomorphism import (
    board_histograms,
    isomorphism,
    next_card_equities,
    street_histograms,
)
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UnknownNameError


@pytest.mark.parametrize(
    ("board", "num_runouts"), [("QhJh2c", 1081), ("2c7dJhQs", 46), ("AhKhQhJh2h", 1)]
)
def test_means_are_equities_against_a_random_hand(board: str, num_runouts: int) -> None:
    found = board_histograms(board, bins=20)
    exact = range_equities(Range.full(), Range.full(), board).equities[0]
    live = ~np.isnan(exact)
    assert np.abs(found.means[live] - exact[live]).max() < 1e-6
    assert set(found.counts[live].sum(axis=1).tolist()) == {num_runouts}
    assert not found.counts[~live].any()


def test_histogram_equals_the_equity_of_each_runout() -> None:
    board, hand = parse_cards("Qh Jh 2c 9s"), parse_combo("AhKh")
    expected = np.zeros(10)
    for runout in runouts(board):
        if not set(COMBO_CARDS[hand].tolist()) & set(runout.tolist()):
            value = range_equities(Range.full(), Range.full(), runout.tolist()).equities[0, hand]
            expected[min(9, int(value * 1980 * 10 / 1981))] += 1
    assert board_histograms(board, bins=10).counts[hand].tolist() == expected.tolist()


def test_next_cards_average_to_the_equity_now() -> None:
    first, second = Range.parse("AhKh,QsQd"), Range.parse("random")
    after = next_card_equities(first, second, "QhJh2c9s")
    now = range_equities(first, second, "QhJh2c9s")
    hand = parse_combo("AhKh")
    cards = [c for c in range(52) if not np.isnan(after[c, 0, hand])]
    assert len(cards) == 46
    # Every next card leaves as many opponents' hands, so the plain mean is exact.
    assert after[cards, 0, hand].mean() == pytest.approx(now.equities[0, hand])


@pytest.mark.slow
def test_all_flops_at_once_equal_flops_one_by_one() -> None:
    shares: list[float] = []
    found = street_histograms("flop", 30, shares.append)
    assert shares[-1] == 1.0
    assert (found.counts.sum(axis=1) == 1081).all()
    flop = isomorphism(2, 3)
    for board in ("QhJh2c", "8s8d3s", "AdKdQd"):
        one = board_histograms(board, 30)
        for combo in range(0, 1326, 13):
            cards = [*COMBO_CARDS[combo].tolist(), *parse_cards(board)]
            if len(set(cards)) == 5:
                index = flop.index(cards)
                assert found.counts[index].tolist() == one.counts[combo].tolist()
                assert found.means[index] == one.means[combo]


def test_misuse() -> None:
    with pytest.raises(ParameterError, match="1 to 1980"):
        board_histograms("QhJh2c", bins=0)
    with pytest.raises(ParameterError, match="3 to 5"):
        board_histograms("")
    with pytest.raises(UnknownNameError):
        street_histograms("preflop")
    with pytest.raises(ParameterError, match="next card"):
        next_card_equities(Range.full(), Range.full(), "QhJh2c9s3d")
