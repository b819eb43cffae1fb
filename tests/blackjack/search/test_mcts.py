"""The search: right against exact values, the same rules as the readable ones, anytime."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import Round
from riverboat.blackjack.rules import PRESETS, RANKS, rules_from
from riverboat.blackjack.search.mcts import CHUNK, Budget, Search, SearchConfig, offer_values
from riverboat.blackjack.search.problem import TWENTYONE, Situation, Table, make_problem
from riverboat.blackjack.search.tree import exact_values, measure_convergence, random_situations
from riverboat.errors import ParameterError, TooLargeError, UnknownNameError
from riverboat.solvers.run import Limit
from search_chances import stand_chances

COMBO = Table(PRESETS["combo-charlie"])
VEGAS = Table(PRESETS["vegas-6d-s17"])
MANY = Budget(100_000)


def chooser(config: SearchConfig, simulations: int) -> Callable[[Situation], str]:
    search = Search(config, seed=2)
    return lambda situation: search.run(situation, Budget(simulations)).best


DECISIONS = [
    ("combo-charlie", "8,8", "10"),
    ("combo-charlie", "K,K", "6"),
    ("combo-charlie", "A,2,3", "9"),
    ("vegas-6d-s17", "A,A", "A"),
    ("vegas-6d-s17", "9,9", "7"),
    ("vegas-6d-s17", "T,6", "T"),
    ("vegas-6d-h17", "8,8", "A"),
    ("european", "5,6", "T"),
    ("single-deck", "7,7", "T"),
    ("atlantic-city", "T,6", "T"),
    ("infinite", "3,3", "7"),
]


@pytest.mark.parametrize(("preset", "hand", "up"), DECISIONS)
def test_the_best_action_and_its_value_are_exact(preset: str, hand: str, up: str) -> None:
    # The exact analysis is the witness; the value's own error is far below that of a plain mean.
    situation = Situation.of(Table(PRESETS[preset]), hand, up)
    exact = exact_values(situation)
    result = Search(seed=1).run(situation, MANY)
    assert set(result.actions) == set(exact)
    assert exact[result.best] == max(exact.values())
    assert result.value == pytest.approx(exact[result.best], abs=1e-3)
    for letter, found in result.actions.items():
        assert abs(found.value - exact[letter]) < 4 * found.stderr
    assert sum(found.visits for found in result.actions.values()) == MANY.simulations


def test_after_a_split_and_from_a_used_shoe() -> None:
    shoe = [20, 24, 24, 20, 24, 24, 24, 20, 24, 24, 20, 22, 24]
    situation = Situation.of(VEGAS, "8,3", "6", hands=2, shoe=shoe)
    result, exact = Search().run(situation, MANY), exact_values(situation)
    assert exact[result.best] == max(exact.values())
    assert result.value == pytest.approx(max(exact.values()), abs=1e-3)
    poor = [2, 24, 24, 24, 24, 24, 24, 24, 24, 2, 2, 2, 2]
    values = exact_values(Situation.of(VEGAS, "8,3", "6", shoe=poor))
    assert Search().run(Situation.of(VEGAS, "8,3", "6", shoe=poor), MANY).value == pytest.approx(
        max(values.values()), abs=1e-3
    )


@pytest.mark.parametrize("table", [COMBO, VEGAS, TWENTYONE], ids=["combo", "vegas", "twentyone"])
def test_three_hundred_decisions(table: Table) -> None:
    # Asked for at 100,000 simulations: regret at most 0.0002, 95 % agreement outside near-ties.
    search = Search(seed=3)
    found = measure_convergence(
        random_situations(table, 300, seed=4), lambda s: search.run(s, Budget(3_000)).best
    )
    assert found.decisions == 300
    assert found.regret <= 2e-4
    assert found.clear_best >= 0.99


def test_better_than_flat_rollouts_and_than_plain_averages() -> None:
    situations = random_situations(VEGAS, 100, seed=6)
    regret = {}
    for name, config in {
        "search": SearchConfig(),
        "average": SearchConfig(backup="average"),
        "flat": SearchConfig(selection="flat", backup="average"),
        "random": SearchConfig(selection="flat", backup="average", rollout="random"),
    }.items():
        regret[name] = measure_convergence(situations, chooser(config, 2_000)).regret
    assert regret["search"] < min(regret["flat"], regret["average"])
    # Random play on values hitting as if the rest of the hand were thrown away.
    assert regret["random"] > 5 * regret["flat"]


@pytest.mark.parametrize("selection", ["ucb1", "ucb1-tuned", "puct"])
@pytest.mark.parametrize("rollout", ["random", "basic"])
def test_every_rule_finds_what_is_clear(selection: str, rollout: str) -> None:
    config = SearchConfig(selection=selection, rollout=rollout)  # type: ignore[arg-type]
    for hand, up, best in (
        ("5,6", "6", "D"),
        ("T,T", "6", "S"),
        ("A,A", "6", "P"),
        ("2,3", "T", "H"),
    ):
        assert Search(config).run(Situation.of(VEGAS, hand, up), Budget(5_000)).best == best


def test_plain_uct_counts_what_it_says() -> None:
    # Each result of standing is drawn from the dealer's outcomes: their shares are known exactly.
    config = SearchConfig(selection="flat", backup="average")
    found = Search(config, seed=9).run(Situation.of(COMBO, "T,8", "6"), Budget(300_000))
    stand, exact = found.actions["S"], exact_values(Situation.of(COMBO, "T,8", "6"))["S"]
    assert stand.wins + stand.draws + stand.losses == stand.visits
    assert stand.value == (stand.wins - stand.losses) / stand.visits
    assert abs(stand.value - exact) < 4 * stand.stderr
    double = found.actions["D"]
    assert (double.wins + double.losses) / 2 + double.draws == double.visits
    outcome = analyse(COMBO.rules).dealer("6", "T,8")
    assert abs(stand.draws / stand.visits - outcome["18"]) < 0.01


@pytest.mark.parametrize(
    "preset", ["combo-charlie", "vegas-6d-h17", "european", "single-deck", "atlantic-city"]
)
def test_the_same_actions_as_the_readable_rules(preset: str) -> None:
    rng = np.random.default_rng(8)
    table = Table(rules_from(preset))
    checked = 0
    for _ in range(150):
        cards = iter(rng.permutation(list(RANKS * 8)).tolist())
        at = Round.open(table.rules)
        while at.turn.wants != "over":
            if at.turn.wants == "card":
                at = at.deal(next(cards))
                continue
            options = at.actions()
            if "N" not in options:
                hands = at.seats[0]
                situation = Situation(table, hands[at.turn.hand].cards, at.dealer[0], len(hands))
                problem = make_problem(situation)
                legal = int(problem.legal[0, problem.root])
                assert {c for a, c in enumerate("SHDPR") if legal >> a & 1} == set(options)
                checked += 1
            at = at.act(options[int(rng.integers(len(options)))])
    assert checked > 150


@pytest.mark.parametrize(
    ("preset", "hand", "up"),
    [
        ("combo-charlie", "T,8", "T"),
        ("vegas-6d-h17", "A,7", "A"),
        ("combo-charlie", "2,2,2,A,A", "6"),
    ],
)
def test_standing_as_the_readable_rules_deal_it(preset: str, hand: str, up: str) -> None:
    situation = Situation.of(Table(PRESETS[preset]), hand, up)
    win, draw = stand_chances(Search(), situation)
    rules, rng, results = situation.table.rules, np.random.default_rng(2), []
    cards = situation.hand
    left = list(RANKS * (4 * int(rules.decks)))
    for card in cards + up:
        left.remove(card)
    while len(results) < 4_000:
        drawn = rng.permutation(left)[:12].tolist()
        peek = [drawn.pop()] if rules.hole_card == "peek" else []
        order = iter([cards[0], up, cards[1], *peek, *cards[2:], *drawn])
        at, wanted = Round.open(rules), "H" * (len(cards) - 2) + "S"
        hits = iter(wanted)
        while at.turn.wants != "over":
            if at.turn.wants == "card":
                at = at.deal(next(order))
            else:
                at = at.act("N" if "N" in at.actions() else next(hits))
        if peek and next(hits, None) == "S":
            continue  # the dealer had a natural: no decision was asked
        results.append(at.payoffs()[0])
    shares = [np.mean(np.sign(results) == sign) for sign in (1, 0)]
    for share, chance in zip(shares, (win, draw), strict=True):
        assert abs(share - chance) < 4.5 * (chance * (1 - chance) / 4_000) ** 0.5 + 1e-9


def test_insurance_and_early_surrender() -> None:
    situation = Situation.of(VEGAS, "T,9", "A")
    offers = offer_values(Search().run(situation, Budget(1_000)))
    exact = analyse(VEGAS.rules).insurance("T,9")
    assert offers["I"] - offers["N"] == pytest.approx(exact / 2, abs=1e-12)
    assert offers["R"] == -0.5
    rich = [24] * 4 + [0] * 5 + [24] * 4
    situation = Situation.of(VEGAS, "A,T", "A", shoe=rich)
    offers = offer_values(Search().run(situation, Budget(100)))
    # Even money: an insured natural wins one bid whatever the dealer has.
    assert offers["I"] == pytest.approx(1.0, abs=1e-9)


def test_the_tree_is_kept_while_the_hand_grows() -> None:
    search = Search(seed=5)
    search.run(Situation.of(COMBO, "2,3", "T"), Budget(20_000))
    after = search.run(Situation.of(COMBO, "2,3,7", "T"), Budget(1))
    assert after.simulations > 100
    again = search.run(Situation.of(COMBO, "2,3", "T"), Budget(1))
    assert again.simulations == 1


def test_repeatable_and_anytime() -> None:
    situation = Situation.of(COMBO, "9,9", "9")
    first, second = (Search(seed=7).run(situation, Budget(3_000)) for _ in range(2))
    assert first == second
    search = Search(seed=7)
    assert search.run(situation, Budget(1)).best in "SHDP"
    assert search.go_on(Budget(2_999)).simulations == 3_000
    timed = Search().run(situation, Budget(ms=5.0))
    assert timed.simulations >= CHUNK  # however busy the machine is
    both = Search().run(situation, Budget(500, ms=10_000.0))
    assert both.simulations == 500


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ParameterError, match="at most 21 points"):
        Situation.of(COMBO, "T,T,5", "6")
    with pytest.raises(ParameterError, match="one card"):
        Situation.of(COMBO, "T,5", "6,6")
    with pytest.raises(ParameterError, match="does not hold"):
        Search().run(Situation.of(VEGAS, "8,8", "8", shoe=[24] * 7 + [2] + [24] * 5), Budget(1))
    with pytest.raises(ParameterError, match="at least 20 cards"):
        Situation.of(VEGAS, "8,8", "8", shoe=[1] * 10)
    with pytest.raises(UnknownNameError, match="ucb1"):
        SearchConfig(selection="ucb")  # type: ignore[arg-type]
    for wrong in (Budget, lambda: Budget(0), lambda: Budget(ms=0.0), lambda: Budget(ms=math.inf)):
        with pytest.raises(ParameterError):
            wrong()


@pytest.mark.slow
@pytest.mark.parametrize("table", [COMBO, VEGAS, TWENTYONE], ids=["combo", "vegas", "twentyone"])
def test_convergence_at_a_hundred_thousand(table: Table) -> None:
    search = Search(seed=13)
    found = measure_convergence(
        random_situations(table, 300, seed=14), lambda s: search.run(s, MANY).best
    )
    assert found.regret <= 2e-4
    assert found.clear_best >= 0.95


def test_a_search_takes_a_solvers_limit() -> None:
    situation = Situation.of(VEGAS, "T,6", "T")
    by_limit = Search(seed=1).run(situation, Limit(iterations=500))
    assert by_limit.actions == Search(seed=1).run(situation, Budget(500)).actions
    assert Budget.of(Limit(seconds=0.5)) == Budget(ms=500.0)
    with pytest.raises(ParameterError, match="target"):
        Budget.of(Limit(target=0.1))


def test_more_simulations_than_a_day_holds_are_refused() -> None:
    with pytest.raises(TooLargeError, match="at most 10,000,000,000 simulations"):
        Budget(10**15)
