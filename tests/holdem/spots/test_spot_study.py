"""Painted locks, curves of ranges, next cards and missed decisions, on spots with closed forms."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from riverboat.arena.drill import Verdict
from riverboat.arena.hand_drill import CLOSE_SHARE
from riverboat.arena.hand_drill import HAND_WAITS as WAITS
from riverboat.arena.memory import RARE, Memory, Question, Wanted
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.spots.drill import Drill, DrillHand
from riverboat.holdem.spots.lock_painting import marks, paint, unpaint
from riverboat.holdem.spots.locks import Lock, read_locks
from riverboat.holdem.spots.node_views import mean_mix, next_cards, node_curves
from riverboat.holdem.spots.solve import solve_spot
from riverboat.holdem.spots.solved import SolvedSpot
from riverboat.holdem.spots.spot import Spot
from spot_texts import POLAR

TURN = """board = "2s 2h 2d 3c"
pot = 100
stack = 100
[ranges]
oop = "AA,QQ"
ip = "KK"
[tree]
lines = ["X-X-A100"]
"""


@pytest.fixture(scope="module")
def polar() -> SolvedSpot:
    return Spot.from_toml(POLAR).solve(target=0.02)


def test_painting_tells_a_class_and_leaves_the_others_in_proportion(polar: SolvedSpot) -> None:
    at = polar.at("r:0")
    locks = paint([], at, ["AA", "72o"], "check", 1.0)
    assert locks == [Lock("r:0", {"check": 1.0, "all-in 100": 0.0}, "AA")]
    locks = paint(locks, at, ["QQ"], "all-in 100", 0.25)
    assert marks(locks, at)["QQ"].strategy == {"check": 0.75, "all-in 100": 0.25}
    assert marks(locks, at)["AA"].whole
    # What is told the same becomes one lock; taking one class out leaves the other.
    same = paint(locks, at, ["AA"], "all-in 100", 0.25)
    assert [lock.hands for lock in same] == ["AA,QQ"]
    assert unpaint(same, "r:0", ["AA"])[0].hands == "QQ"
    assert unpaint(same, "r:0") == []
    assert marks([Lock("r:0", {"check": 1.0}, "AsAh")], at)["AA"].whole is False


def test_three_actions_share_the_rest_as_they_do_now() -> None:
    """Never played before, the two others get half of the rest each."""
    spot = Spot.from_toml(POLAR.replace('bet = "a"', 'bet = "10%,20%"'))
    solved = solve_spot(spot, iterations=1)
    at = solved.at("r:0")
    locks = [Lock("r:0", {"check": 1.0}, "AA")]
    told = marks(paint(locks, at, ["AA"], "check", 1 / 3), at)["AA"].strategy
    assert sum(told.values()) == pytest.approx(1.0, abs=1e-9)
    assert told["bet 10"] == pytest.approx(told["bet 20"], abs=2e-4)
    mixed = [Lock("r:0", {"check": 0.2, "bet 10": 0.6, "bet 20": 0.2}, "AA")]
    told = marks(paint(mixed, at, ["AA"], "check", 0.6), at)["AA"].strategy
    assert told == pytest.approx({"check": 0.6, "bet 10": 0.3, "bet 20": 0.1})


def test_painted_locks_are_solved_around_and_kept(polar: SolvedSpot, tmp_path: object) -> None:
    """Aces that check win the pot; queens win nothing: 50 on average (tests of locks)."""
    locks = paint([], polar.at("r:0"), ["AA"], "check", 1.0)
    solved = solve_spot(polar.spot, target=0.02, locks=locks)
    assert solved.info["ev"][0] == pytest.approx(50, abs=0.1)
    solved.save(f"{tmp_path}/locked.rb")
    assert SolvedSpot.load(f"{tmp_path}/locked.rb").locks == locks


@pytest.mark.parametrize(
    ("classes", "action", "share"),
    [
        (["KK"], "check", 1.0),
        (["AA"], "bet 7", 1.0),
        (["AA"], "check", 1.5),
        (["AA"], "check", float("nan")),
        (["A\N{BLACK SPADE SUIT}"], "check", 1.0),
        ([], "check", 1.0),
    ],
)
def test_what_cannot_be_painted(
    polar: SolvedSpot, classes: list[str], action: str, share: float
) -> None:
    with pytest.raises(RiverboatError):
        paint([], polar.at("r:0"), classes, action, share)
    with pytest.raises(UsageError, match="Nobody acts"):
        paint([], polar.at("r:0:c:c"), ["AA"], "check", 1.0)


@pytest.mark.parametrize(
    "rows",
    [None, 3, [None], [{}], [{"node": 1, "strategy": {}, "hands": None}], [{"node": "r:0"}],
     [{"node": "r:0", "strategy": {"check": "x"}, "hands": None}],
     [{"node": "r:0", "strategy": [], "hands": 7}]],
)  # fmt: skip
def test_damaged_locks_are_refused(rows: object) -> None:
    with pytest.raises(UsageError, match="locks cannot be read"):
        read_locks(rows)


def test_curves_of_the_polar_river(polar: SolvedSpot) -> None:
    """Aces beat and queens lose to kings: half of OOP's range has all equity, half none."""
    oop, ip = node_curves(polar.at("r:0"), "equity")
    assert [value for _, value in oop.points(100)] == pytest.approx([100] * 7 + [0] * 6)
    assert oop.points(100)[6][0] == pytest.approx(50)
    assert (oop.mean, ip.mean) == pytest.approx((0.5, 0.5))
    # By closed form the bettor gets 75 of the pot: 150 with aces, 0 with queens.
    oop, ip = node_curves(polar.at("r:0"), "ev", order="equity")
    assert (oop.mean, ip.mean) == pytest.approx((75, 25), abs=0.1)
    assert {hand[0] for hand in oop.hands[:6]} == {"A"}
    assert oop.values[:6] == pytest.approx([150] * 6, abs=0.5)
    assert oop.values[6:] == pytest.approx([0] * 6, abs=0.5)


def test_next_cards_tell_how_the_river_is_played() -> None:
    """On a river that is no ace, king or queen aces all bet and queens every other time: 75 %."""
    solved = solve_spot(Spot.from_toml(TURN), target=0.05)
    rows = next_cards(solved.at("r:0:c:c"))
    assert len(rows) == 48
    assert sum(row.weight for row in rows) == pytest.approx(1)
    by_card = {row.card: row for row in rows}
    plain = by_card["7d"]
    assert plain.bets == pytest.approx(0.75, abs=0.02)
    assert plain.equity == pytest.approx((0.5, 0.5))
    # A queen leaves three combos of queens, and they now win.
    assert by_card["Qs"].equity[0] == pytest.approx(1.0)
    assert max(rows, key=lambda row: row.change).card[0] in "QKA"
    assert set(mean_mix(rows)) == {"check", "all-in 100"}
    json.dumps([row.as_dict() for row in rows])
    with pytest.raises(UsageError, match="No card"):
        next_cards(solved.at("r:0"))


def best(hand: DrillHand) -> str:
    figures = hand.cursor.figures(hand.cards, hand.drill.side)
    assert figures.action_evs is not None
    return max(figures.action_evs, key=lambda name: figures.action_evs[name])


def test_a_missed_decision_is_asked_again_until_it_is_known(polar: SolvedSpot) -> None:
    drill = Drill(polar, seed=2)
    while (hand := drill.deal()).cards[0] != "A":
        hand.act(best(hand))
    hand.act("check")  # costs 50 in closed form
    cards, seen = hand.cards, []
    for _ in range(WAITS[0] + WAITS[1] + 6):
        hand = drill.deal()
        seen.append(hand.again is not None)
        if hand.again is not None:
            assert (hand.cards, hand.cursor.node_id) == (cards, "r:0")
        hand.act(best(hand))
    assert [number for number, again in enumerate(seen) if again] == [
        WAITS[0],
        WAITS[0] + 1 + WAITS[1],
    ]
    assert drill.queue.items == []


def test_a_drill_goes_on_where_it_stood(polar: SolvedSpot) -> None:
    drill = Drill(polar, side=1, seed=7)
    for _ in range(5):
        hand = drill.deal()
        while hand.your_turn:
            hand.act(hand.cursor.actions[0])
    drill.deal()
    kept = json.loads(json.dumps(drill.as_dict()))
    again = Drill.resume(polar, kept)
    assert again.as_dict() == kept
    assert again.hand is not None
    assert drill.hand is not None
    assert again.hand.combos == drill.hand.combos
    assert [d.deal().combos for d in (again, drill)] == [again.hand.combos] * 2
    for bad in (None, [], {}, {**kept, "hand": ["nonsense"]}, {**kept, "missed": [3]},
                {**kept, "again": {"node": "r:9", "cards": "AsAh", "due": 0}}):  # fmt: skip
        with pytest.raises(UsageError, match="cannot be read"):
            Drill.resume(polar, bad)


def test_hands_without_a_decision_are_passed_over(polar: SolvedSpot) -> None:
    """IP acts only after a bet: with kings against a bluff or aces, three times in four."""
    drill = Drill(polar, side=1, seed=3)
    for _ in range(10):
        hand = drill.deal_to_decide()
        assert hand.cursor.actions == ["fold", "call"]
        hand.act("call")
    assert drill.score.hands == drill.score.tally.asked == 10


def test_hands_of_a_drill_come_as_often_as_the_range_holds_them(polar: SolvedSpot) -> None:
    """Aces and queens are six combos each."""
    drill = Drill(polar, seed=1, again=False)
    aces = sum(drill.deal().cards[0] == "A" for _ in range(400))
    assert abs(aces - 200) < 4 * np.sqrt(100)


def test_close_decisions_are_asked_more_often_by_exactly_their_closeness(polar: SolvedSpot) -> None:
    """Aces gain 50 by betting, queens are mixed: with as many hands of each only the gap counts."""
    drill = Drill(polar, seed=1)
    at = polar.at("r:0")
    chances = drill.chances(at)
    shares = {"A": 0.0, "Q": 0.0}
    for hand, chance in zip(at.hands(0), chances, strict=True):
        shares[hand[0]] += chance
    evs = at.figures("QhQd", 0).action_evs
    assert evs is not None
    gap = abs(evs["check"] - evs["all-in 100"])
    assert shares["A"] / shares["Q"] == pytest.approx(RARE / np.exp(-gap / (CLOSE_SHARE * 100)))
    assert chances.sum() == pytest.approx(1)


def test_training_asks_what_is_due_before_anything_new(polar: SolvedSpot) -> None:
    memory, now = Memory(), datetime(2026, 3, 1, 12, tzinfo=UTC)
    drill = Drill(polar, seed=1)
    while (hand := drill.deal()).cards[0] != "A":
        hand.act(best(hand))
    verdict = hand.act("check")
    memory.note(hand.question(verdict), verdict, now)
    tomorrow = Drill(polar, seed=2).deal_to_train(memory, now + timedelta(days=1))
    assert tomorrow.cards == hand.cards
    assert tomorrow.again is not None
    assert tomorrow.again.mistakes == 1
    mistakes = Drill(polar, seed=2).deal_to_train(memory, now, Wanted.parse(["mistakes"]))
    assert mistakes.cards == hand.cards
    with pytest.raises(UsageError, match="no mistake"):
        Drill(polar, side=1).deal_to_train(memory, now, Wanted.parse(["mistakes"]))


def test_training_asks_about_a_group_alone(polar: SolvedSpot) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    drill = Drill(polar, side=1, seed=4)
    hand = drill.deal_to_train(Memory(), now, Wanted.parse(["street=river", "facing=bet"]))
    verdict = hand.act("fold")
    assert verdict.groups == {
        "street": "river", "position": "ip", "suits": "rainbow",
        "pairing": "trips", "facing": "bet",
    }  # fmt: skip
    kept = json.loads(json.dumps(drill.as_dict()))
    assert Drill.resume(polar, kept).as_dict() == kept
    for words in (["street=turn"], ["pairing=paired"], ["colour=blue"]):
        with pytest.raises(UsageError, match="no decision in this group"):
            drill.deal_to_train(Memory(), now, Wanted.parse(words))


def test_a_memory_of_another_solution_is_not_asked(polar: SolvedSpot) -> None:
    """A question at a node that is not there, as after a change of the file by hand."""
    memory, now = Memory(), datetime(2026, 3, 1, 12, tzinfo=UTC)
    drill = Drill(polar, seed=1)
    for key in ("r:0:b7:c AsAh", "r:0 2s2h", "r:0 nonsense", "nonsense"):
        question = Question(drill.deck, key, "", groups={"street": "river"})
        memory.note(question, Verdict("check", "bet", 1.0), now)
    hand = drill.deal_to_train(memory, now + timedelta(days=2))
    assert hand.your_turn
    assert hand.cards[0] in "AQ"
