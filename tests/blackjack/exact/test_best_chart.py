"""Best charts, exceptions and effects of removal against published and exact figures."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from riverboat.blackjack.charts import UPS, published_chart
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.exact.best_chart import best_chart, effect_of_removal, exceptions
from riverboat.blackjack.exact.hand_tables import hand_table
from riverboat.blackjack.rules import BlackjackRules, rules_from

DATA = Path(__file__).parents[2] / "data" / "blackjack"
EXCEPTIONS = json.loads((DATA / "composition_dependent_exceptions.json").read_text())
REMOVAL = json.loads((DATA / "effect_of_removal.json").read_text())["rows"]


def rules_of(row: dict[str, Any]) -> BlackjackRules:
    options = BlackjackRules.__dataclass_fields__
    return rules_from("vegas-6d-s17", {k: v for k, v in row.items() if k in options})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"h17": True, "surrender": "late"},
        {"decks": 8, "das": False},
        {"decks": 8, "hole_card": "enhc"},
    ],
)
def test_the_best_chart_of_many_decks_is_the_published_one(changes: dict[str, Any]) -> None:
    rules = rules_from("vegas-6d-s17", changes)
    found, printed = best_chart(rules), published_chart(rules)
    assert found.hard == printed.hard
    # Soft 12 is two aces that may not be split: no printed chart has that row.
    assert found.soft[1:] == printed.soft[1:]
    assert found.pairs == printed.pairs


def test_the_single_deck_chart() -> None:
    # Wizard of Odds, "Single deck blackjack strategy", dealer hits soft 17, no double after split.
    chart = best_chart(rules_from("single-deck", {"max_split_hands": 2}))
    row = dict(zip(UPS, chart.hard[8 - 4], strict=True))
    assert [up for up in UPS if row[up] == "D"] == ["5", "6"]
    assert set(chart.hard[11 - 4]) == {"D"}
    assert [up for up, code in zip(UPS, chart.hard[9 - 4], strict=True) if code == "D"] == list(
        "23456"
    )
    assert [up for up, code in zip(UPS, chart.pairs[6 - 1], strict=True) if code == "P"] == list(
        "23456"
    )


def test_a_chart_is_worth_less_than_composition_and_more_than_the_wrong_chart() -> None:
    rules = rules_from("single-deck")
    best = analyse(rules).ev
    chart = analyse(rules, strategy=best_chart(rules)).ev
    printed = analyse(rules, strategy=published_chart(rules)).ev
    assert best > chart > printed


@pytest.mark.parametrize("name", list(EXCEPTIONS))
def test_listed_exceptions(name: str) -> None:
    table = EXCEPTIONS[name]
    analysis = analyse(rules_of(table["meta"]))
    words = {"H": "hit", "S": "stand", "D": "double"}
    listed = next(v for k, v in table.items() if k.startswith("two_card"))
    for hand, up, best, majority, gain in listed + table["largest_multi_card_exceptions"]:
        values = analysis.action_values(hand, up)
        assert next(iter(values)) == words[best]
        assert values[words[best]] - values[words[majority]] == pytest.approx(gain, abs=6e-8)


@pytest.mark.parametrize("name", list(EXCEPTIONS)[2:])
def test_two_card_exceptions_of_many_decks_are_those_listed(name: str) -> None:
    table = EXCEPTIONS[name]
    rules = rules_of(table["meta"])
    listed = next(v for k, v in table.items() if k.startswith("two_card"))
    found = exceptions(analyse(rules), best_chart(rules))
    gains = {(hand, up): gain for hand, up, _, _, gain in listed}
    assert {(e.hand, e.up): e.gain for e in found} == pytest.approx(gains, abs=6e-8)


@pytest.mark.parametrize("name", list(EXCEPTIONS))
def test_how_many_hands_of_three_cards_and_more_differ_from_most_of_their_total(name: str) -> None:
    engine, table = analyse(rules_of(EXCEPTIONS[name]["meta"])).engine, hand_table()
    differ = 0
    for up in range(10):
        column = engine.column(up)
        cells: dict[tuple[int, bool], Counter[bool]] = defaultdict(Counter)
        for hand in ((table.size > 2) & (table.counts <= column.base).all(1)).nonzero()[0]:
            hits = bool(column.hit[hand] > column.stand[hand])
            cells[int(table.total[hand]), bool(table.soft[hand])][hits] += 1
        differ += sum(min(cell[True], cell[False]) for cell in cells.values())
    assert differ == EXCEPTIONS[name]["multi_card_exception_count"]


@pytest.mark.parametrize("row", REMOVAL[1::5], ids=lambda r: f"{r['decks']}-{r['h17']}-{r['das']}")
def test_effect_of_removal(row: dict[str, Any]) -> None:
    rules = rules_of(row)
    wanted = {up if up != "10" else "T": v for up, v in row["effect_of_removal"].items()}
    assert effect_of_removal(rules) == pytest.approx(wanted, abs=2e-10)
    assert analyse(rules).ev == pytest.approx(row["base_ev"], abs=1e-10)
