"""Charts as data: shape, codes and the choices they make."""

import pytest

from riverboat.blackjack.charts import (
    CODES,
    MIMIC_DEALER,
    NEVER_BUST,
    BlackjackChart,
    published_chart,
)
from riverboat.blackjack.rules import PRESETS, BlackjackRules, rules_from


def hand(text: str) -> tuple[int, ...]:
    return tuple(text.count(card) for card in "A23456789T")


@pytest.mark.parametrize(
    "chart", [*(published_chart(r) for r in PRESETS.values()), MIMIC_DEALER, NEVER_BUST]
)
def test_every_cell_has_a_code(chart: BlackjackChart) -> None:
    assert [len(rows) for rows in (chart.hard, chart.soft, chart.pairs)] == [18, 10, 10]
    for rows in (chart.hard, chart.soft, chart.pairs):
        assert all(len(row) == 10 and set(row) <= set(CODES) for row in rows)


@pytest.mark.parametrize(
    ("cards", "up", "allowed", "wanted"),
    [
        ("T6", 9, "SHDR", "R"),
        ("T6", 9, "SHD", "H"),
        ("65", 9, "SHD", "D"),
        ("65", 9, "SH", "H"),
        ("A7", 5, "SHD", "D"),
        ("A7", 5, "SH", "S"),
        ("88", 9, "SHDPR", "P"),
        ("88", 4, "SHD", "S"),
        ("AA", 5, "SH", "H"),
        ("A6T", 9, "SH", "S"),
    ],
)
def test_the_first_action_that_is_allowed(cards: str, up: int, allowed: str, wanted: str) -> None:
    chart = published_chart(BlackjackRules(surrender="late"))
    assert chart.choose(hand(cards), up, allowed) == wanted


def test_a_chart_shows_only_what_the_table_allows() -> None:
    rules = rules_from(
        "vegas-6d-s17", {"double_on": "10-11", "max_split_hands": 1, "max_split_hands_aces": 1}
    )
    chart = published_chart(rules)
    codes = {code for rows in (chart.hard, chart.soft, chart.pairs) for row in rows for code in row}
    assert codes == {"H", "S", "D"}
    assert {code for row in chart.soft for code in row} == {"H", "S"}
    assert chart.pairs[7] == chart.hard[16 - 4]
