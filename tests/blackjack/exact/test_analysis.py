"""The exact analysis against Farmer's analyser, published figures and plain enumeration."""

import json
from functools import cache
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

import pytest

from riverboat.blackjack.charts import MIMIC_DEALER, NEVER_BUST, UPS, published_chart
from riverboat.blackjack.exact.analysis import analyse, fresh_shoe, shoe_without
from riverboat.blackjack.round import Round, play_round
from riverboat.blackjack.rules import ACTIONS, BlackjackRules, Shoe, fresh_cards, rules_from
from riverboat.errors import ParameterError

DATA = Path(__file__).parents[2] / "data" / "blackjack"


@cache
def reference(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text())


def rules_of(row: dict[str, Any]) -> BlackjackRules:
    options = BlackjackRules.__dataclass_fields__
    return rules_from("vegas-6d-s17", {k: v for k, v in row.items() if k in options})


def check_overall(row: dict[str, Any]) -> None:
    analysis = analyse(rules_of(row), convention=row["post_split_strategy"])
    assert analysis.ev == pytest.approx(row["ev"], abs=1e-9)
    # The reference has the columns of an infinite deck from 10^7 decks.
    tolerance = 1e-8 if row["decks"] == "infinite" else 1e-9
    assert analysis.ev_by_up == pytest.approx(row["ev_by_up"], abs=tolerance)


@pytest.mark.e2e
@pytest.mark.parametrize("number", range(0, 480, 11))
def test_a_sample_of_rule_sets(number: int) -> None:
    check_overall(reference("overall_ev")["rules"][number])


@pytest.mark.slow
def test_every_rule_set() -> None:
    for row in reference("overall_ev")["rules"]:
        check_overall(row)


def test_ten_million_decks_give_the_columns_of_the_infinite_reference_rows() -> None:
    row = next(r for r in reference("overall_ev")["rules"] if r["decks"] == "infinite")
    many = analyse(rules_of(row), fresh_shoe(10**7), row["post_split_strategy"])
    assert many.ev_by_up == pytest.approx(row["ev_by_up"], abs=1e-11)


@pytest.mark.parametrize(
    "name", ["hand_ev_1D_H17_NDAS_SPL1_peek_CDZ", "hand_ev_6D_S17_DAS_SPL3_NRSA_peek_CDZ"]
)
def test_every_action_of_every_hand(name: str) -> None:
    table = reference(name)
    analysis = analyse(rules_of(table["meta"]))
    for hand, actions in table["hands"].items():
        for column, up in enumerate(UPS):
            wanted = {action: values[column] for action, values in actions.items()}
            if None not in wanted.values():  # a hand the shoe cannot deal beside that up card
                assert analysis.action_values(hand, up) == pytest.approx(wanted, abs=1e-8)


def test_dealer_outcomes() -> None:
    for table in reference("dealer_outcome_probabilities")["tables"]:
        rules = rules_from("vegas-6d-s17", {"h17": table["rule"] == "H17"})
        decks = table["decks"] if isinstance(table["decks"], int) else 10**7
        analysis = analyse(rules, fresh_shoe(decks))
        for up, outcomes in table["up"].items():
            assert analysis.dealer(up) == pytest.approx(outcomes, abs=1e-9)


def check_strategy(row: dict[str, Any]) -> None:
    rules = rules_of(row)
    plain = {"mimic_dealer": MIMIC_DEALER, "never_bust": NEVER_BUST}
    strategy = plain.get(row["strategy"]) or published_chart(rules)
    assert analyse(rules, strategy=strategy).ev == pytest.approx(row["ev"], abs=1e-8)


@pytest.mark.parametrize("number", range(0, 280, 19))
def test_a_sample_of_given_strategies(number: int) -> None:
    check_strategy(reference("total_dependent_strategy_ev")["rows"][number])


@pytest.mark.slow
def test_every_given_strategy() -> None:
    for row in reference("total_dependent_strategy_ev")["rows"]:
        check_strategy(row)


@pytest.mark.parametrize("name", list(reference("combo_charlie_table")["ev_per_unit_bid"]))
def test_combo_and_charlie(name: str) -> None:
    charlie, _, actions = name.partition(",actions=")
    changes: dict[str, Any] = {"decks": "infinite"}
    if charlie == "charlie=False":
        changes |= {"charlie": 0, "dealer_charlie": False}
    if "P" not in actions:
        changes |= {"max_split_hands": 1, "max_split_hands_aces": 1}
    if "D" not in actions:
        changes["double_on"] = "none"
    wanted = reference("combo_charlie_table")["ev_per_unit_bid"][name]
    assert analyse(rules_from("combo-charlie", changes)).ev == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({}, -0.00402870),
        ({"decks": 8, "h17": True, "max_split_hands_aces": 4, "surrender": "late"}, -0.00482827),
    ],
)
def test_published_values_of_a_round(changes: dict[str, Any], wanted: float) -> None:
    assert analyse(rules_from("vegas-6d-s17", changes)).ev == pytest.approx(wanted, abs=5e-9)


CHANGES: dict[str, dict[str, Any]] = {
    "dealer_hits_soft_17": {"h17": True},
    "blackjack_pays_6_5": {"bj_pays": 1.2},
    "blackjack_pays_1_1": {"bj_pays": 1},
    "no_das": {"das": False},
    "double_9_11_only": {"double_on": "9-11"},
    "double_10_11_only": {"double_on": "10-11"},
    "resplit_aces": {"max_split_hands_aces": 4},
    "no_resplit": {"max_split_hands": 2},
    "split_to_3_hands": {"max_split_hands": 3},
    "late_surrender": {"surrender": "late"},
    "early_surrender": {"surrender": "early"},
    "european_no_hole_card": {"hole_card": "enhc"},
    "1_deck": {"decks": 1},
    "2_decks": {"decks": 2},
    "4_decks": {"decks": 4},
    "6_decks": {"decks": 6},
    "infinite_decks": {"decks": "infinite"},
    "no_split": {"max_split_hands": 1, "max_split_hands_aces": 1},
}


def test_what_each_rule_costs() -> None:
    table = reference("rule_effects_exact")
    base = analyse(rules_from("vegas-8d-s17")).ev
    assert base == pytest.approx(table["base_ev"], abs=1e-10)
    for name, wanted in table["exact_change_in_player_ev"].items():
        changed = analyse(rules_from("vegas-8d-s17", CHANGES[name])).ev
        assert changed - base == pytest.approx(wanted, abs=2e-9), name


def test_insurance_off_the_top_of_six_decks() -> None:
    # 96 tens among 311 cards at 2 to 1: 3 · 96/311 − 1 = −7.395 %.
    assert analyse(BlackjackRules()).insurance() == pytest.approx(3 * 96 / 311 - 1, abs=1e-15)
    assert analyse(BlackjackRules()).insurance("T,T") == pytest.approx(3 * 94 / 309 - 1, abs=1e-15)


class SplitAndStand:
    """Split whatever can be split and never take a card."""

    def choose(self, hand: tuple[int, ...], up: int, allowed: str) -> str:
        return "P" if "P" in allowed else "S"


def enumerate_split(rules: BlackjackRules, pair: str, up: str) -> float:
    """The value of SplitAndStand by dealing out every order of second cards of 13 ranks."""
    ranks = "A23456789TJQK"
    # One deck at the start; the pair and the up card are out.
    left = {rank: 4 - 2 * (rank == pair) - (rank == up) for rank in ranks}

    def points(cards: str) -> int:
        hard = sum(min(ranks.index(c) + 1, 10) for c in cards)
        return hard + 10 * ("A" in cards and hard <= 11)

    @cache
    def stand(done: tuple[str, ...]) -> float:
        """All the hands against the dealer, given every card dealt."""
        shoe = [4] * 9 + [16]
        for card in "".join(done):
            shoe[min(ranks.index(card), 9)] -= 1
        outcome = analyse(rules, shoe).dealer(up)
        total = 0.0
        for hand in done:
            mine = points(hand)
            if mine == 21 and rules.combo:
                total += rules.bj_pays * (1 - outcome["blackjack"])
                continue
            wins = outcome["bust"] + sum(outcome[str(t)] for t in range(17, 22) if t < mine)
            loses = sum(outcome[str(t)] for t in range(17, 22) if t > mine)
            total += wins - loses - outcome["blackjack"]
        return total

    def value(open_hands: int, done: tuple[str, ...]) -> float:
        if not open_hands:
            return stand(tuple(sorted(done)))
        cards = sum(left.values())
        expected = 0.0
        for rank in ranks:
            count = left[rank]
            if not count:
                continue
            left[rank] -= 1
            if rank == pair and open_hands + len(done) < rules.max_split_hands:
                expected += count * value(open_hands + 1, done)
            else:
                expected += count * value(
                    open_hands - 1, (*done, pair + ("T" if rank in "JQK" else rank))
                )
            left[rank] += 1
        return expected / cards

    return value(2, ())


@pytest.mark.parametrize(
    ("pair", "up", "limit", "combo"),
    [("8", "6", 2, False), ("8", "6", 3, False), ("K", "9", 3, True), ("K", "T", 3, False)],
)
def test_splitting_against_plain_enumeration(pair: str, up: str, limit: int, combo: bool) -> None:
    rules = BlackjackRules(
        decks=1, hole_card="enhc", max_split_hands=limit, split_by="rank", combo=combo
    )
    analysis = analyse(rules, strategy=SplitAndStand())
    exact = analysis.action_values(f"{pair},{pair}", up)["split"]
    assert exact == pytest.approx(enumerate_split(rules, pair, up), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "up"), [("8", "6"), ("A", "6"), ("3", "4")])
def test_splitting_without_limit_against_dealt_rounds(pair: str, up: str) -> None:
    """The readable round, dealt from three packs, earns what the analysis says it will."""
    rules = rules_from("combo-charlie")
    analysis = analyse(rules)
    letters = {word: letter for letter, word in ACTIONS.items()}

    @cache
    def played(cards: str, up: str, allowed: str) -> str:
        values = analysis.action_values(cards, up, hands=2)
        return next(letters[action] for action in values if letters[action] in allowed)

    def decide(table: Round) -> str:
        allowed = table.actions()
        hand = table.seats[0][table.turn.hand]
        return "P" if "P" in allowed else played(hand.cards, up, allowed)

    rng = Random(20)
    cards = list(fresh_cards(3))
    for card in (pair, up, pair):
        cards.remove(card)
    results = []
    for _ in range(20_000):
        shoe = Shoe(pair + up + pair + "".join(rng.sample(cards, 80)))
        results.append(play_round(rules, shoe, (1.0,), decide)[0].payoffs()[0])
    error = stdev(results) / len(results) ** 0.5
    exact = analysis.action_values(pair + pair, up)["split"]
    assert abs(mean(results) - exact) < 4 * error


def test_unlimited_splitting_is_the_limit_of_the_cards() -> None:
    # One deck has two more eights: four hands at most, so four and no limit are the same.
    four = BlackjackRules(decks=1, max_split_hands=4)
    assert analyse(BlackjackRules(decks=1, max_split_hands=0)).action_values("8,8", "6") == (
        analyse(four).action_values("8,8", "6")
    )


def test_splitting_again_counts_the_hands_there_are() -> None:
    three, two = BlackjackRules(max_split_hands=3), BlackjackRules(max_split_hands=2)
    again = analyse(three).action_values("8,8", "6", hands=2)
    assert again["split"] == analyse(two).action_values("8,8", "6")["split"]
    assert "split" not in analyse(two).action_values("8,8", "6", hands=2)
    assert analyse(two).action_values("A,5", "6", hands=2).keys() == {"stand"}
    late = BlackjackRules(das=False, surrender="late")
    assert analyse(late).action_values("T,6", "T", hands=2).keys() == {"stand", "hit"}


def test_thirteen_counts_are_the_ten_where_ranks_are_equal() -> None:
    rules = rules_from("combo-charlie")
    ten, thirteen = analyse(rules), analyse(rules, [12] * 13)
    assert thirteen.ev == pytest.approx(ten.ev, abs=1e-15)
    no_kings = analyse(rules, [12] * 12 + [0])
    assert "split" in no_kings.action_values("Q,Q", "6")
    with pytest.raises(ParameterError):
        no_kings.action_values("K,K", "6")


def test_conventions_are_ordered_by_what_they_may_know() -> None:
    values = [analyse(rules_from("single-deck"), convention=c).ev for c in ("CDZ-", "CDP1", "CDP")]
    assert values == sorted(values)


def test_the_value_of_a_shoe_averages_its_columns() -> None:
    shoe = [10, 11, 12, 13, 14, 15, 16, 17, 18, 40]
    analysis = analyse(BlackjackRules(), shoe)
    by_up = analysis.ev_by_up
    average = sum(n * by_up[up] for n, up in zip(shoe, UPS, strict=True)) / sum(shoe)
    assert analysis.ev == pytest.approx(average, abs=1e-14)
    assert sum(analysis.dealer("7", "T,T").values()) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("shoe", [[10, 2, 1, 1, 1, 1, 1, 1, 1, 1], [4, 8, 8, 0, 0, 0, 0, 0, 0, 0]])
@pytest.mark.parametrize("convention", ["CDZ-", "CDP"])
def test_the_end_of_a_shoe_has_a_value(shoe: list[int], convention: str) -> None:
    assert -4 <= analyse(BlackjackRules(), shoe, convention).ev <= 4


def test_a_shoe_without_a_card_has_no_such_column() -> None:
    analysis = analyse(BlackjackRules(), [0, 8, 8, 8, 8, 8, 8, 8, 8, 30])
    assert "A" not in analysis.ev_by_up
    with pytest.raises(ParameterError, match="no A"):
        analysis.action_values("T,6", "A")


@pytest.mark.parametrize(
    ("hand", "up"), [("T,T,2", "5"), ("T", "5"), ("T,6", "55"), ("T,x", "5"), ("5,5,5,5", "5")]
)
def test_bad_hands_are_refused(hand: str, up: str) -> None:
    with pytest.raises(ParameterError):
        analyse(rules_from("single-deck")).action_values(hand, up)


def test_bad_shoes_and_conventions_are_refused() -> None:
    with pytest.raises(ParameterError, match="convention"):
        analyse(BlackjackRules(), convention="CDX")
    with pytest.raises(ParameterError, match="shoe"):
        analyse(BlackjackRules(), [1] * 9)
    with pytest.raises(ParameterError, match="shoe"):
        analyse(BlackjackRules(), [1] * 10)


def test_a_hand_is_answered_with_reasons() -> None:
    analysis = analyse(rules_from("vegas-6d-s17"))
    answer = analysis.hand("10 6", "T")
    assert answer.values == analysis.action_values("T,6", "T")
    assert answer.best == "hit"
    said = answer.explain()
    # Of the 309 cards left 6, 7, 8, 9 and T bust: 23 + 24 + 24 + 24 + 94.
    assert f"A hit busts {100 * (23 + 24 + 24 + 24 + 94) / 309:.1f} %" in said
    assert "Standing on 16 wins only when the dealer busts." in said
    assert said.endswith(
        f"Hit beats stand by {answer.values['hit'] - answer.values['stand']:.4f} bets."
    )
    assert analysis.explain("T,6", "T") == list(answer.reasons)
    assert repr(answer).count("\n") == repr(analysis).count("\n") == 0
    assert "<table>" in answer._repr_html_()
    facts = answer.as_dict()
    assert (facts["best"], facts["hand"], facts["rules"]["decks"]) == ("hit", "T,6", 6)


def test_the_shoe_without_cards_seen() -> None:
    rules = rules_from("single-deck")
    assert shoe_without(rules, "5,5,T") == (4, 4, 4, 4, 2, 4, 4, 4, 4, 15)
    assert shoe_without(rules, "") is None
    with pytest.raises(ParameterError, match="more cards"):
        shoe_without(rules, "55555")


@pytest.mark.parametrize(
    ("preset", "hands"),
    [
        ("vegas-6d-h17", ["T6/T", "88/A", "A7/2", "235/9"]),
        ("combo-charlie", ["TT/6", "AA/7", "A23/T", "99/8"]),
        ("european", ["A5/T", "66/A"]),
        ("infinite", ["88/T", "A4/4"]),
        ("single-deck", ["77/T", "44/5"]),
    ],
)
@pytest.mark.parametrize("convention", ["CDZ-", "CDP"])
def test_plain_numpy_and_compiled_code_agree(
    preset: str, hands: list[str], convention: str
) -> None:
    rules = rules_from(preset)
    plain = analyse(rules, convention=convention, compiled=False)
    compiled = analyse(rules, convention=convention)
    for text in hands:
        hand, up = text.split("/")
        assert plain.action_values(hand, up) == pytest.approx(
            compiled.action_values(hand, up), abs=1e-13
        )
        assert plain.dealer(up, hand) == pytest.approx(compiled.dealer(up, hand), abs=1e-14)
