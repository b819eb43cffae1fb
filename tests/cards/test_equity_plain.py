"""Few deals are counted in plain Python: the same counts as the compiled methods."""

import pytest

from riverboat.cards import _equity_counting as many_hands
from riverboat.cards.card import parse_cards
from riverboat.cards.equity import equity
from riverboat.cards.preflop import PREFLOP_BOARDS, build_preflop_table
from riverboat.cards.ranges import Range


@pytest.mark.parametrize(
    ("players", "board"),
    [
        (("AsAh", "KdKc"), "9s8d2s"),
        (("AsAh", "KdKc", "QdJd"), "9s8d2s Td"),
        (("AsAh:0.5,AdAc", "9c9d"), "9s8d2s Td Tc"),
        (("AsKs", "AdKd"), "QsJsTs 2c 3d"),
    ],
)
def test_plain_and_compiled_count_the_same(players: tuple[str, ...], board: str) -> None:
    cards = parse_cards(board)
    ranges = [Range.parse(player).without(cards) for player in players]
    plain = many_hands._exact_few(ranges, cards)
    assert many_hands.exact_many(ranges, cards, max_plain=0) == pytest.approx(plain)


def test_the_table_answers_for_two_hands_as_counting_them_does() -> None:
    table = build_preflop_table()
    for players in (("AsAh", "KdKc"), ("7c2d", "JsTs"), ("QQ", "AKs")):
        counted, looked_up = equity(players), equity(players, table=lambda: table)
        assert looked_up == counted
    assert counted.total % PREFLOP_BOARDS == 0
