"""One seat at a table that goes on: money, the shoe, the count."""

import numpy as np
import pytest

from riverboat.blackjack.casino.sitting import OneSeat, ShoeInPlay
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.rules import ACTIONS, BlackjackRules
from riverboat.blackjack.simulation.counting import SYSTEMS
from riverboat.errors import IllegalActionError, UsageError


def seat_with(cards, bankroll=10.0, decks=1):
    """A seat whose next cards are these; one deck, so that the count is easy to follow."""
    rules = BlackjackRules(decks=decks)
    rest = list("A23456789TJQK" * 4)
    for rank in cards:
        rest.remove(rank)
    shoe = ShoeInPlay(rules, np.random.default_rng(1), cards=[*rest, *reversed(cards)])
    return OneSeat(rules, shoe, bankroll)


def test_a_round_moves_the_money_and_judges_the_decision():
    seat = seat_with("T669" + "T")  # you T, dealer 6, you 6, dealer 9, then a ten: he busts at 25
    seat.begin(2)
    assert seat.table.seats[0][0].cards == "T6"
    assert seat.act("S") == 0.0  # standing on 16 against a 6 is right
    assert seat.over
    assert seat.bankroll == 12


def test_a_mistake_is_priced_in_bets():
    seat = seat_with("T669" + "T")
    seat.begin(2)
    cost = seat.act("H")
    assert cost > 0.2
    assert seat.cost == pytest.approx(2 * cost)
    assert seat.bankroll == 8


def test_the_count_leaves_out_the_hole_card():
    seat = seat_with("T66K" + "5")  # seen: T −1, 6 +1, 6 +1; the king is face down
    seat.begin(1)
    running, true = seat.count(SYSTEMS["hilo"])
    assert running == 1
    assert true == pytest.approx(1 / (1 - 3 / 52))


def test_what_cannot_be_is_refused():
    seat = seat_with("T669" + "T", bankroll=3)
    with pytest.raises(UsageError, match="at most 3"):
        seat.begin(4)
    seat.begin(2)
    with pytest.raises(IllegalActionError):
        seat.act("D")  # there is no money for it
    with pytest.raises(IllegalActionError):
        seat.act("X")


def test_after_a_split_the_cards_of_the_other_hands_are_gone():
    """Single deck, 8,8 against 2: the first hand became 8,9, the second is 8,4."""
    seat = seat_with("8282" + "94" + "T", decks=1)
    seat.begin(1)
    seat.act("P", judged=False)
    assert seat.table.seats[0][0].cards == "89"
    seat.act("S", judged=False)
    assert [hand.cards for hand in seat.table.seats[0]] == ["89", "84"]
    values = seat.values(seat.table)
    assert next(iter(values)) == "S"
    assert values["S"] == pytest.approx(-0.2644, abs=5e-5)
    assert values["H"] == pytest.approx(-0.2876, abs=5e-5)
    assert seat.act("H") == pytest.approx(0.0232, abs=1e-4)


def test_the_first_hand_of_a_split_knows_the_card_of_the_second():
    seat = seat_with("8282" + "94" + "T", decks=1)
    seat.begin(1)
    seat.act("P", judged=False)
    rules = seat.rules
    gone = analyse(rules, [4, 4, 4, 4, 4, 4, 4, 3, 4, 16])  # the other eight
    expected = gone.action_values("8,9", "2", hands=2)
    values = {ACTIONS[letter]: worth for letter, worth in seat.values(seat.table).items()}
    assert values == pytest.approx(expected)


def test_cards_seen_leave_any_shoe():
    rules = BlackjackRules(decks=2)
    fresh = analyse(rules)
    ten = analyse(rules, [8, 8, 8, 8, 8, 8, 8, 8, 8, 30]).action_values("8,4", "2")
    assert fresh.action_values("8,4", "2", others="T,K") == pytest.approx(ten)
    assert fresh.hand("8,4", "2", others="KT").values == pytest.approx(ten)
    thirteen = analyse(rules, [8] * 13).action_values("8,4", "2", others="TK")
    assert thirteen == pytest.approx(ten)
    endless = analyse(BlackjackRules(decks="infinite"))
    assert endless.without("T,K") is endless
