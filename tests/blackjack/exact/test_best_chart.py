"""Best charts, exceptions and effects of removal against published and exact figures."""

import json
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from riverboat.blackjack.charts import CODES, UPS, BlackjackChart, published_chart
from riverboat.blackjack.exact._chart_cells import ALL_CODES, ChartColumn
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.exact.best_chart import (
    best_chart,
    effect_of_removal,
    exceptions,
    find_best_chart,
)
from riverboat.blackjack.exact.hand_tables import FIRST_PAIR_CELL, FIRST_SOFT_CELL, hand_table
from riverboat.blackjack.rules import PRESETS, BlackjackRules, rules_from

DATA = Path(__file__).parents[2] / "data" / "blackjack"
EXCEPTIONS = json.loads((DATA / "composition_dependent_exceptions.json").read_text())
REMOVAL = json.loads((DATA / "effect_of_removal.json").read_text())["rows"]


def rules_of(row: dict[str, Any]) -> BlackjackRules:
    options = BlackjackRules.__dataclass_fields__
    return rules_from("vegas-6d-s17", {k: v for k, v in row.items() if k in options})


@pytest.mark.parametrize(
    "changes", [{}, {"h17": True}, {"decks": 8, "das": False}, {"decks": 8, "hole_card": "enhc"}]
)
def test_the_best_chart_of_many_decks_is_the_published_one(changes: dict[str, Any]) -> None:
    rules = rules_from("vegas-6d-s17", changes)
    found, printed = best_chart(rules), published_chart(rules)
    assert found.hard == printed.hard
    # Soft 12 is two aces that may not be split: no printed chart has that row.
    assert found.soft[1:] == printed.soft[1:]
    assert found.pairs == printed.pairs


def with_code(chart: BlackjackChart, part: str, row: int, up: int, code: str) -> BlackjackChart:
    rows = [list(codes) for codes in getattr(chart, part)]
    rows[row][up] = code
    changes: dict[str, Any] = {part: tuple(map(tuple, rows))}
    return replace(chart, **changes)


def random_rules(rng: Random) -> BlackjackRules:
    hands = rng.choice([1, 2, 3, 4, 0])
    return BlackjackRules(
        decks=rng.choice([1, 1, 2, 3, 6, 8, "infinite"]),
        h17=rng.random() < 0.5,
        bj_pays=rng.choice([1.5, 1.2]),
        double_on=rng.choice(["any", "9-11", "10-11", "none"]),
        das=rng.random() < 0.5,
        max_split_hands=hands,
        max_split_hands_aces=1 if hands == 1 else rng.choice([1, 2, 4, 0]),
        hit_split_aces=rng.random() < 0.5,
        surrender=rng.choice(["none", "late", "early"]),
        hole_card=rng.choice(["peek", "enhc"]),
        charlie=rng.choice([0, 0, 5, 6]),
        combo=rng.random() < 0.3,
        split_by=rng.choice(["value", "rank"]),
    )


TABLES = {**PRESETS, **{f"random {seed}": random_rules(Random(seed)) for seed in range(12)}}


def swaps(chart: BlackjackChart) -> list[tuple[str, int, int, str]]:
    """Every other code of every single cell."""
    return [
        (part, row, up, code)
        for part in ("hard", "soft", "pairs")
        for row, codes in enumerate(getattr(chart, part))
        for up in range(10)
        for code in CODES
        if code != codes[up] and (part == "pairs" or "P" not in CODES[code])
    ]


def gains(
    rules: BlackjackRules, chart: BlackjackChart, tried: list[tuple[str, int, int, str]]
) -> list[float]:
    """What each swap adds, given its up card, by the exact value of both charts."""
    before = analyse(rules, strategy=chart)
    return [
        analyse(rules, strategy=with_code(chart, *swap)).up_value(UPS[swap[2]])
        - before.up_value(UPS[swap[2]])
        for swap in tried
    ]


@pytest.mark.e2e
@pytest.mark.parametrize("name", list(TABLES)[:14])
def test_no_swap_of_a_single_cell_gains(name: str) -> None:
    rules = TABLES[name]
    chart = best_chart(rules)
    assert max(gains(rules, chart, Random(name).sample(swaps(chart), 15))) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("name", list(TABLES))
def test_no_swap_of_any_single_cell_gains(name: str) -> None:
    rules = TABLES[name]
    chart = best_chart(rules)
    assert max(gains(rules, chart, swaps(chart))) < 1e-13


@pytest.mark.e2e
@pytest.mark.parametrize("name", ["single-deck", "combo-charlie", "random 1", "random 3"])
def test_a_cell_is_priced_as_the_exact_value_of_the_chart_changes(name: str) -> None:
    """Of a chart at random, so that every kind of code is met in every kind of cell."""
    rules, rng = TABLES[name], Random(name)
    chart = best_chart(rules)
    columns = [ChartColumn(analyse(rules), up) for up in range(10)]
    for _ in range(60):
        part, row, up, code = rng.choice(swaps(chart))
        column = columns[up]
        cell = {"hard": 0, "soft": FIRST_SOFT_CELL, "pairs": FIRST_PAIR_CELL}[part] + row
        if column.candidates[cell, ALL_CODES.index(code)]:
            chart = with_code(chart, part, row, up, code)
    tried = rng.sample(swaps(chart), 30)
    for (part, row, up, code), exact in zip(tried, gains(rules, chart, tried), strict=True):
        column = columns[up]
        cell = {"hard": 0, "soft": FIRST_SOFT_CELL, "pairs": FIRST_PAIR_CELL}[part] + row
        codes = [r[up] for r in (*chart.hard, *chart.soft, *chart.pairs)]
        values = column.prices(codes).totals[cell]
        priced = values[ALL_CODES.index(code)] - values[ALL_CODES.index(codes[cell])]
        assert priced == pytest.approx(exact, abs=1e-13)


def test_one_deck_with_late_surrender_favours_the_player() -> None:
    # 16 and 7,7 against a ten stand where surrender is refused. With Rh and H in those two cells,
    # and H for 7,7 against an ace, the chart is worth -0.0153 %.
    rules = rules_from("single-deck", {"das": True, "surrender": "late"})
    chart = best_chart(rules)
    assert (chart.hard[16 - 4][9], chart.pairs[7 - 1][9]) == ("Rs", "Rs")
    printed = with_code(with_code(chart, "pairs", 6, 9, "H"), "pairs", 6, 0, "H")
    assert analyse(rules, strategy=printed).ev < analyse(rules, strategy=chart).ev
    printed = with_code(printed, "hard", 12, 9, "Rh")
    assert analyse(rules, strategy=printed).ev == pytest.approx(-0.000153, abs=5e-7)
    mended = with_code(with_code(printed, "hard", 12, 9, "Rs"), "pairs", 6, 9, "Rs")
    assert analyse(rules, strategy=mended).ev == pytest.approx(0.000028, abs=5e-7)
    assert analyse(rules, strategy=chart).ev > 0.000028


@pytest.mark.parametrize(
    ("preset", "changes", "swap", "cost"),
    [
        ("double-deck", {"surrender": "late"}, ("hard", 12, 9, "Rh"), 6.7e-5),
        ("vegas-6d-h17", {}, ("hard", 12, 9, "Rh"), 1.5e-5),
        ("single-deck", {}, ("pairs", 6, 9, "H"), 8.0e-6),
    ],
)
def test_what_the_code_for_all_first_hands_costs_the_later_ones(
    preset: str, changes: dict[str, Any], swap: tuple[str, int, int, str], cost: float
) -> None:
    rules = rules_from(preset, changes)
    chart = best_chart(rules)
    worse = analyse(rules, strategy=with_code(chart, *swap)).ev
    assert analyse(rules, strategy=chart).ev - worse == pytest.approx(cost, rel=0.02)


def test_soft_cells_with_a_charlie() -> None:
    rules = rules_from("combo-charlie")
    best = best_chart(rules)
    worse = with_code(best, "hard", 12 - 4, UPS.index("4"), "S")
    codes = {(18, "2"): "S", (18, "3"): "Ds", (18, "4"): "Ds", (18, "5"): "Ds", (13, "5"): "D"}
    for (total, up), code in codes.items():
        worse = with_code(worse, "soft", total - 12, UPS.index(up), code)
    cost = analyse(rules, strategy=best).ev - analyse(rules, strategy=worse).ev
    assert cost == pytest.approx(1.6e-4, rel=0.01)


@pytest.mark.parametrize("name", ["vegas-6d-h17", "european", "combo-charlie", "infinite"])
def test_the_search_knows_what_its_chart_is_worth(name: str) -> None:
    chart, values = find_best_chart(PRESETS[name])
    assert values == pytest.approx(analyse(PRESETS[name], strategy=chart).ev, abs=1e-14)


def test_surrender_leaves_a_sixteen_of_several_cards_to_stand() -> None:
    # With surrender the printed Rh for 16 against a ten hits hands of three cards and more, whose
    # small cards make standing the better play (Wizard of Odds, "16 against 10").
    rules = rules_from("vegas-6d-s17", {"h17": True, "surrender": "late"})
    found, printed = best_chart(rules), published_chart(rules)
    assert with_code(found, "hard", 12, 9, "Rh").hard == printed.hard
    assert found.hard[12][9] == "Rs"
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
