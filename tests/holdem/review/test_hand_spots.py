"""A decision of a played hand as a spot: board, chips, ranges and node, for two and three."""

import random
from contextlib import suppress
from decimal import Decimal
from importlib import resources

import numpy as np
import pytest

import riverboat as rb
from played_hands import THREE_HANDED
from riverboat.cards.combos import COMBO_CARDS, class_of_combos, parse_combo
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.histories.files import hands_in, read_hands
from riverboat.holdem.histories.hand import PhhHand
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.review._decisions import followed
from riverboat.holdem.review.hand_spots import hand_decisions, spot_from_hand
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import build_tree

EXAMPLE = resources.files("riverboat") / "examples" / "hands.phhs"


def only(text: str) -> PhhHand:
    """The one hand of a text."""
    (hand,) = hands_in(text)
    assert isinstance(hand, PhhHand)
    return hand


@pytest.fixture(scope="module")
def hands(tmp_path_factory):
    path = tmp_path_factory.mktemp("hands") / "hands.phhs"
    path.write_text(EXAMPLE.read_text())
    return [hand for hand in read_hands(path) if isinstance(hand, PhhHand)]


@pytest.fixture(scope="module")
def three_handed():
    return only(THREE_HANDED)


def test_decisions_are_all_from_the_flop_on_in_the_money_of_the_file(three_handed):
    decisions = hand_decisions(three_handed)
    assert [one.number for one in decisions] == list(range(1, 12))
    assert [(one.street, one.player, one.seat) for one in decisions[:4]] == [
        ("flop", "C", "BB"), ("flop", "D", "UTG"), ("flop", "A", "BTN"), ("flop", "C", "BB"),
    ]  # fmt: skip
    raised = decisions[2]
    assert (raised.pot, raised.to_call, raised.taken) == (13, 5, "raise to 15")
    assert (raised.cards, decisions[0].cards) == ("AhKd", "")
    assert decisions[9].taken == "all-in 62.5"


def test_a_flop_of_three_has_their_stacks_and_the_bets_that_were_made(three_handed):
    made = spot_from_hand(three_handed, 3)
    spot = made.spot
    assert (spot.names, spot.pot, spot.stacks) == (("bb", "utg", "btn"), 8, (87.5, 107.5, 97.5))
    assert (made.node, made.hand, made.player, made.chip) == ("r:0:c:b5", "AhKd", "btn", 1)
    tree = build_tree(spot)
    at = tree.nodes[0]
    for action in ("check", "bet 5", "raise to 15", "fold", "call"):
        at = tree.child(at, action)
    assert tree.pot(at) == 38


def test_a_turn_and_a_river_of_two_have_one_stack_and_the_all_in(three_handed):
    turn, river = spot_from_hand(three_handed, 7), spot_from_hand(three_handed, 11)
    assert (turn.spot.pot, turn.spot.stack, turn.node) == (38, 82.5, "r:0:c")
    assert (river.spot.pot, river.spot.stack, river.node) == (78, 62.5, "r:0:c:b62.5")
    assert (turn.player, river.player, river.hand) == ("ip", "oop", "")
    assert "what was done after it does not narrow them" in river.source


def test_ranges_before_the_flop_are_those_of_the_book_of_six(three_handed):
    """Four sit: the book's first two seats have folded. Read off the book itself."""
    book = PreflopSolution.load("shipped")
    line = "f-f-r2.5-c-f-c"  # the cutoff of six opens: UTG of four
    spot = spot_from_hand(three_handed, 1).spot
    free = ~np.isin(COMBO_CARDS, spot.board).any(axis=1)
    for seat, range_ in zip(("bb", "co", "btn"), spot.ranges, strict=True):
        reach = book.class_reach(seat, line)[class_of_combos()] * free
        wanted = reach / reach.max()
        there = (wanted > 0.1) & (range_.weights > 0)
        assert there.sum() > 50
        np.testing.assert_allclose(range_.weights[there], wanted[there], atol=0.025)
        assert not range_.weights[wanted < 0.005].any() or seat == "btn"


def test_ranges_of_two_follow_the_blueprint(hands):
    moment = list(followed(hands[4].state, Blueprint.load("shipped"), 0))[-1]
    made = spot_from_hand(hands[4], 8)
    weights = moment.street_ranges[1] / moment.street_ranges[1].max()
    big = weights > 0.05
    np.testing.assert_allclose(made.spot.ranges[1].weights[big], weights[big], atol=0.001)
    assert made.source == "Ranges follow the shipped blueprint of two players."
    assert made.spot.ranges[0].weights[parse_combo("Td5s")] > 0  # what was held stays


def test_a_spot_goes_through_its_file_and_has_the_node(hands):
    for hand in hands:
        for decision in hand_decisions(hand):
            made = spot_from_hand(hand, decision.number)
            assert Spot.from_toml(made.spot.to_toml()) == made.spot
            tree, at = build_tree(made.spot), build_tree(made.spot).nodes[0]
            for word in made.node.split(":")[2:]:
                at = tree.child(at, word)
            assert made.spot.names[at.player] == made.player
            assert tree.pot(at) == float(decision.pot)


def test_other_tables_start_from_every_hand_or_fold_their_first_seats(three_handed):
    short = THREE_HANDED.replace("D ($110", "D ($900")  # above what the book's stacks are
    short = short.replace("A ($100 in", "A ($900 in").replace("C ($90 in", "C ($900 in")
    short = short.replace("B ($100 in", "B ($900 in").replace(" and is all-in", "")
    hand = only(short)
    made = spot_from_hand(hand, 6)
    assert made.source.startswith("Every hand counts alike")
    assert made.spot.ranges[0].num_combos > 1100


@pytest.mark.parametrize(("number", "words"), [(0, "not 0"), (12, "has 11 decisions"), (-1, "-1")])
def test_a_decision_that_there_is_not_is_refused(three_handed, number, words):
    with pytest.raises(UsageError, match=words):
        spot_from_hand(three_handed, number)


def test_what_cannot_be_a_spot_says_why(hands):
    with pytest.raises(UsageError, match="no decision from the flop on"):
        spot_from_hand(hands[0])
    four = THREE_HANDED.replace("B: folds", "B: calls $2", 1)
    four = four.replace("[2c Kh 9h]\nC:", "[2c Kh 9h]\nB: checks\nC:")
    four = four.replace("to $15\nC: folds", "to $15\nB: folds\nC: folds")
    four = four.replace("$78", "$80")
    hand = only(four)
    decisions = hand_decisions(hand)
    assert decisions[0].problem == "Four players see the flop; a spot has two or three."
    assert decisions[-1].problem == ""
    with pytest.raises(UsageError, match="Four players see the flop"):
        spot_from_hand(hand, 1)
    assert spot_from_hand(hand, len(decisions)).spot.num_players == 2
    fixed = EXAMPLE.read_text().replace('variant = "NT"', 'variant = "FT"')
    for found in hands_in(fixed):
        if isinstance(found, PhhHand) and hand_decisions(found):
            with pytest.raises(UsageError, match="spots are no-limit"):
                spot_from_hand(found)


def test_damaged_hands_give_a_spot_or_a_sentence():
    chance = random.Random(20261119)
    lines = THREE_HANDED.splitlines()
    made = 0
    for _ in range(100):
        kept = [line for line in lines if chance.random() > 0.03]
        text = "\n".join(kept)
        if chance.random() < 0.5:
            text = text.replace(
                chance.choice(["$5", "$15", "$100", "Kh"]), chance.choice(["$7", "A"])
            )
        with suppress(RiverboatError):
            for hand in hands_in(text):
                if isinstance(hand, PhhHand):
                    for decision in hand_decisions(hand):
                        later = decision.street != "flop"
                        if later and not decision.problem and chance.random() < 0.2:
                            spot_from_hand(hand, decision.number)
                            made += 1
    assert made > 10


def test_the_front_door_and_the_terminal_give_the_same_spot(command, tmp_path):
    path = tmp_path / "hands.phhs"
    path.write_text(EXAMPLE.read_text())
    made = rb.spot_from_hand(path, hand=5, decision=8)
    listed = command("holdem", "from-hand", str(path), "--hand", "5").out
    assert "8  river Kc9c6h9d7s, you (BB) Td5s, pot 20, 12 to call: fold" in listed
    out = tmp_path / "river.toml"
    said = command(
        "holdem", "from-hand", str(path), "--hand", "5", "--decision", "8", "--out", str(out)
    )
    assert "OOP acts at r:0:c:b12 with Td5s." in said.out
    assert Spot.load(out) == made.spot
    assert made.chip == Decimal(1)
    with pytest.raises(UsageError, match="12 hands, and no hand 50"):
        rb.spot_from_hand(path, hand=50)
