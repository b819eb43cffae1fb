"""The drill before the flop: dealt as in play, priced by EV, asked again, kept."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riverboat as rb
from riverboat.arena.hand_drill import CLOSE_SHARE, HAND_WAITS
from riverboat.arena.memory import RARE, Memory, Wanted
from riverboat.cards.combos import COMBO_CARDS, NUM_CLASSES, class_of_combos, parse_combo
from riverboat.cards.equity import equity
from riverboat.cards.ranges import Range
from riverboat.errors import IllegalActionError, UsageError
from riverboat.holdem.preflop.quiz import MIN_SHARE, PreflopDrill
from riverboat.holdem.preflop.solution import PreflopSolution


@pytest.fixture(scope="module")
def ten():
    """Two players with ten big blinds."""
    return rb.solve(rb.preflop(stacks=[10, 10]))


def best(hand):
    values = hand.hint()[1]
    return max(values, key=values.get)


def test_a_fold_costs_what_the_hand_wins_on_average(ten):
    """Called, the big blind plays for 20: 20 times the equity against all pushes, less 10."""
    drill = PreflopDrill(ten, seat="bb", seed=3)
    pushes = ten.range_of("sb", "a")
    for _ in range(3):
        hand = drill.deal_to_decide()
        own = np.zeros(1326)
        own[parse_combo(hand.cards)] = 1
        wins = 20 * equity([Range(own), pushes], method="exact").equity[0] - 10
        verdict = hand.act("fold")
        assert verdict.cost == pytest.approx(max(0.0, wins + 1), abs=2e-3)
        assert verdict.values["fold"] == pytest.approx(-1)
        assert not hand.your_turn


def test_decisions_come_as_often_as_in_play(ten):
    """The big blind decides when the small blind goes all-in; the rest ends without a question."""
    drill, deals = PreflopDrill(ten, seat="bb", seed=1), 600
    asked = sum(drill.deal().your_turn for _ in range(deals))
    share = float(ten.node().totals[1])
    assert abs(asked - deals * share) < 4 * np.sqrt(deals * share * (1 - share))
    everyone = PreflopDrill(ten, seed=1)
    seats = {everyone.deal_to_decide().seat for _ in range(20)}
    assert seats == {"sb", "bb"}


def test_a_missed_decision_is_asked_again_until_it_is_known(ten):
    drill = PreflopDrill(ten, seat="sb", seed=2)
    while (hand := drill.deal()).cards[0] != "A":
        hand.act(best(hand))
    assert not hand.act("f").right
    missed, seen = hand.cards, []
    for _ in range(sum(HAND_WAITS) + 6):
        hand = drill.deal()
        seen += [] if hand.again is None else [hand.cards]
        hand.act(best(hand))
    assert seen == [missed, missed]
    assert drill.queue.items == []
    assert drill.score.tally.right == drill.score.tally.asked - 1


def test_looked_up_is_not_counted_and_a_wrong_word_is_refused(ten):
    drill = PreflopDrill(ten, seat="sb", seed=2)
    hand = drill.deal()
    with pytest.raises(IllegalActionError, match="choose: fold, all-in"):
        hand.act("raise")
    hand.act("all-in", looked_up=True)
    assert drill.score.tally.asked == 0
    assert len(drill.queue.items) == 1
    with pytest.raises(IllegalActionError, match="is over"):
        hand.act("fold")
    with pytest.raises(UsageError, match="no seat 'co'"):
        PreflopDrill(ten, seat="co")


def test_a_drill_goes_on_where_it_stood(ten):
    drill = PreflopDrill(ten, seed=7)
    for _ in range(6):
        hand = drill.deal_to_decide()
        hand.act("fold")
    drill.deal_to_decide()
    kept = json.loads(json.dumps(drill.as_dict()))
    again = PreflopDrill.resume(ten, kept)
    assert again.as_dict() == kept
    assert (again.hand.cards, again.hand.seat) == (drill.hand.cards, drill.hand.seat)
    bad = (None, [], {}, {**kept, "side": 9}, {**kept, "hand": ["x"]}, {**kept, "missed": [3]},
           {**kept, "again": {"node": "a", "cards": "AsAs", "due": 0}})  # fmt: skip
    for each in bad:
        with pytest.raises(UsageError, match="cannot be read"):
            PreflopDrill.resume(ten, each)
    unknown = {"node": "a-a-a", "cards": "AsAh", "due": 0}  # of a solution that had more lines
    assert PreflopDrill.resume(ten, {**kept, "again": unknown}).hand.again is None


def without_values(solution):
    nodes = [replace(node, values=np.full_like(node.values, np.nan)) for node in solution.nodes]
    return PreflopSolution(solution.title, solution.spec, solution.seats, nodes, solution.info)


def test_without_evs_the_frequency_decides(ten):
    drill = PreflopDrill(without_values(ten), seat="sb", seed=4)
    for _ in range(12):
        hand = drill.deal()
        strategy, values = hand.hint()
        assert all(np.isnan(list(values.values())))
        verdict = hand.act("all-in")
        assert verdict.right == (strategy["all-in"] >= MIN_SHARE)
        assert verdict.cost == 0


def test_an_action_that_is_mixed_costs_nothing_however_its_ev_was_sampled(ten):
    node = ten.nodes[0]
    mixed = np.stack([np.full(NUM_CLASSES, 0.85), np.full(NUM_CLASSES, 0.15)])
    noisy = replace(node, frequencies=mixed, values=np.stack([mixed[0] * 0, mixed[0] * 3]))
    solution = PreflopSolution("noisy", {}, ten.seats, [noisy], {})
    verdict = PreflopDrill(solution, seat="sb").deal().act("fold")
    assert verdict.right
    assert verdict.cost == 0
    assert verdict.best == "all-in"


def test_prizes_are_counted_in_prizes():
    """Forty chips play for a hundred: a chip's share is 2.5."""
    solution = rb.solve(
        rb.preflop(stacks=[10, 10], payouts={"places": [70, 30], "others": [20]}), iterations=5
    )
    drill = PreflopDrill(solution, seed=1)
    assert drill.unit == "prizes"
    assert drill.unit_of_a_chip == pytest.approx(2.5)
    assert drill.deal_to_decide().act("fold").tolerance > 0


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), picks=st.lists(st.integers(0, 9), min_size=8, max_size=8))
def test_any_strategy_can_be_drilled_to_the_end(ten, seed, picks):
    """Random strategies, also ones that never come to a decision, with cards of one deck."""
    rng = np.random.default_rng(seed)
    nodes = []
    for node in ten.nodes:
        pushes = rng.choice([0.0, 1.0, rng.random()], NUM_CLASSES)
        pushes[0] = 1.0  # aces always come to the second decision
        nodes.append(replace(node, frequencies=np.stack([1 - pushes, pushes])))
    solution = PreflopSolution(ten.title, ten.spec, ten.seats, nodes, ten.info)
    drill = PreflopDrill(solution, seed=seed)
    for pick in picks:
        hand = drill.deal()
        cards = [card for combo in hand.combos.values() for card in COMBO_CARDS[combo].tolist()]
        assert len(set(cards)) == len(cards)
        while hand.your_turn:
            hand.act(hand.actions[pick % len(hand.actions)])
        assert PreflopDrill.resume(solution, drill.as_dict()).as_dict() == drill.as_dict()


def test_close_decisions_are_asked_more_often_by_exactly_their_closeness(ten):
    """A class is asked as often as it is held, times the exponential of its gap in EV."""
    drill = PreflopDrill(ten, seat="sb")
    node = ten.node()
    chances = drill.chances(node)
    gaps = np.abs(node.values[0] - node.values[1])
    weights = np.maximum(RARE, np.exp(-gaps / (CLOSE_SHARE * 1.5)))[class_of_combos()]
    assert chances == pytest.approx(weights / weights.sum(), rel=1e-6)


def test_training_remembers_hands_before_the_flop(ten):
    memory, now = Memory(), datetime(2026, 3, 1, 12, tzinfo=UTC)
    drill = PreflopDrill(ten, seat="bb", seed=5)
    wanted = Wanted.parse(["facing=raise", "position=bb"])
    hand = drill.deal_to_train(memory, now, wanted)
    verdict = hand.act("fold", looked_up=True)
    assert verdict.groups == {"street": "preflop", "position": "bb", "facing": "raise"}
    memory.note(hand.question(verdict), verdict, now)
    again = PreflopDrill(ten, seat="bb", seed=6).deal_to_train(memory, now + timedelta(days=1))
    assert again.cards == hand.cards
    with pytest.raises(UsageError, match="no decision in this group"):
        drill.deal_to_train(memory, now, Wanted.parse(["position=sb"]))
