"""The round as readable rules: known deals, laws, and values against the exact analysis."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.round import Blackjack, BlackjackState, Round, play_round
from riverboat.blackjack.rules import (
    PRESETS,
    BlackjackRules,
    Shoe,
    fresh_cards,
    parse_cards,
    points,
    rules_from,
)
from riverboat.errors import IllegalActionError, ParameterError
from riverboat.games.base import CHANCE, TERMINAL
from riverboat.games.registry import make_game


def play(
    cards: str, actions: str, rules: BlackjackRules | None = None, bets: tuple[float, ...] = (1.0,)
) -> Round:
    """A round dealt and decided as written; every card and every letter must be used."""
    moves = iter(actions)
    table, shoe = play_round(rules or BlackjackRules(), Shoe(cards), bets, lambda _: next(moves))
    assert shoe.dealt == len(cards)
    assert next(moves, None) is None
    return table


# Cards come as: player, up card, player, hole card, then as they are drawn.
DEALS = [
    ("a natural pays 3 to 2", "A9KT", "", {}, 1.5),
    ("a natural pays 6 to 5", "A9KT", "", {"bj_pays": "6:5"}, 1.2),
    ("naturals push", "ATKA", "", {}, 0),
    ("a dealer's natural ends the round", "TT9A", "", {}, -1),
    ("insurance pays 2 to 1", "TA9K", "I", {}, 0),
    ("insurance lost, hand won", "TAT9", "IS", {}, -0.5),
    ("bust loses though the dealer would bust", "T66TT", "H", {}, -1),
    ("double wins twice", "65573T", "D", {}, 2),
    ("the dealer stands on soft 17", "T68A", "S", {}, 1),
    ("the dealer hits soft 17", "T68A4", "S", {"h17": True}, -1),
    ("late surrender", "T96T", "R", {"surrender": "late"}, -0.5),
    ("late surrender comes after the peek", "TT6A", "", {"surrender": "late"}, -1),
    ("early surrender comes before it", "TT6A", "R", {"surrender": "early"}, -0.5),
    ("split, double after split", "868T" + "3T" + "TT", "PDS", {}, 3),
    ("split aces get one card", "A6AT" + "T9T", "P", {}, 2),
    ("no hole card: all money is lost to a natural", "8T83T8A", "PDS", {"hole_card": "enhc"}, -3),
    ("late surrender without peek loses all to a natural", "TA6T", "NR",
     {"hole_card": "enhc", "surrender": "late"}, -1),
]  # fmt: skip


@pytest.mark.parametrize(("what", "cards", "actions", "changes", "wanted"), DEALS)
def test_known_deals(
    what: str, cards: str, actions: str, changes: dict[str, object], wanted: float
) -> None:
    table = play(cards, actions, rules_from("vegas-6d-s17", changes))
    assert table.payoffs() == pytest.approx((wanted,)), what


def test_combo_after_a_split_pays_three_to_two() -> None:
    # Aces split; the first becomes A,K, the second A,5 and stands; the dealer has 9,T.
    table = play("A9A" + "K" + "5" + "T", "PS", PRESETS["combo-charlie"])
    assert table.payoffs() == (0.5,)


def test_five_cards_beat_twenty_one_and_lose_to_a_combo() -> None:
    rules = PRESETS["combo-charlie"]
    assert play("293" + "242" + "57", "HHH", rules).payoffs() == (1,)
    assert play("2A3" + "242" + "K", "NHHH", rules).payoffs() == (-1,)


def test_two_charlies_push() -> None:
    rules = PRESETS["combo-charlie"]
    assert play("243" + "242" + "2458", "HHH", rules).payoffs() == (1,)
    assert play("243" + "242" + "2453", "HHH", rules).payoffs() == (0,)


def test_a_pair_must_be_of_one_rank_where_the_rules_say_so() -> None:
    def options(rules: BlackjackRules) -> str:
        table = Round.open(rules)
        for card in "K6Q" + "T" * (rules.hole_card == "peek"):
            table = table.deal(card)
        return table.actions()

    assert options(PRESETS["combo-charlie"]) == "SHD"
    assert options(PRESETS["vegas-6d-s17"]) == "SHDP"


def test_four_hands_and_no_more() -> None:
    # Eights come until there are four hands; the fifth eight makes a hand of 16.
    table = play("868T" + "888TTT" + "8", "PPPSSSS")
    assert [hand.cards for hand in table.seats[0]] == ["88", "8T", "8T", "8T"]


def test_seats_play_in_order_and_are_paid_apart() -> None:
    # Seat 1 T,9 stands; seat 2 5,6 doubles to 21; the dealer has 6,T and draws 4: 20.
    table = play("T5" + "6" + "96" + "T" + "T" + "4", "SD", bets=(10.0, 25.0))
    assert table.payoffs() == (-10.0, 50.0)


def test_the_cut_card_and_the_end_of_the_shoe() -> None:
    shoe = Shoe("A9", cut=1)
    assert not shoe.cut_reached
    card, shoe = shoe.draw()
    assert (card, shoe.cut_reached) == ("A", True)
    _, shoe = shoe.draw()
    with pytest.raises(IllegalActionError, match="cut card"):
        shoe.draw()
    assert len(fresh_cards(6)) == 312


def test_moves_that_are_not_possible_are_refused() -> None:
    table = Round.open(BlackjackRules())
    with pytest.raises(IllegalActionError, match="not possible"):
        table.act("H")
    with pytest.raises(IllegalActionError, match="cannot be dealt"):
        table.deal("X")
    with pytest.raises(IllegalActionError, match="not over"):
        table.payoffs()
    with pytest.raises(ParameterError, match="bets"):
        Round.open(BlackjackRules(), [])


@given(st.sampled_from(sorted(PRESETS)), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_laws_of_a_random_round(preset: str, rng: Random) -> None:
    state: BlackjackState = Blackjack(preset).start()
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            outcomes = state.chance()
            assert sum(p for _, p in outcomes) == pytest.approx(1)
            state = state.after(rng.choice([card for card, _ in outcomes]))
        else:
            assert state.infoset(0).count(">") == 1
            assert state.round.dealer[0] in state.infoset(0)
            state = state.after(rng.choice(state.actions()))
    (payoff,) = state.returns()
    staked = sum(hand.bet for hand in state.round.seats[0])
    assert -staked - 0.5 <= payoff <= 1.5 * staked + 1
    dealer, _ = points(state.round.dealer)
    assert len(state.round.dealer) >= 2
    assert dealer <= 26


def value(state: BlackjackState, decide: Callable[[BlackjackState], str]) -> tuple[float, float]:
    """Probability that the player came to decide, and the expected result times it."""
    if state.actor == TERMINAL:
        return 0.0, state.returns()[0]
    if state.actor == CHANCE:
        parts = [(p, value(state.after(card), decide)) for card, p in state.chance()]
        return sum(p * x for p, (x, _) in parts), sum(p * y for p, (_, y) in parts)
    return 1.0, value(state.after(decide(state)), decide)[1]


def dealt(rules: str, changes: str, cards: str, up: str) -> BlackjackState:
    state = Blackjack(rules, changes).start()
    for card in (cards[0], up, cards[1]):
        state = state.after(card)
    return state


@pytest.mark.parametrize(
    ("rules", "changes", "cards", "up", "action"),
    [
        ("single-deck", "", "T6", "T", "stand"),
        ("single-deck", "", "65", "T", "double"),
        ("vegas-6d-s17", "", "T7", "9", "stand"),
        ("combo-charlie", "", "95", "T", "stand"),
        ("european", "", "64", "T", "double"),
    ],
)
def test_values_by_walking_the_rules(
    rules: str, changes: str, cards: str, up: str, action: str
) -> None:
    letter = {"stand": "S", "double": "D"}[action]
    state = dealt(rules, changes, cards, up)
    reached, total = value(state, lambda s: "N" if "N" in s.actions() else letter)
    table = rules_from(rules)
    exact = analyse(table).action_values(cards, up)[action]
    lost = 1 - reached  # rounds that ended at the peek
    assert (total + lost) / reached == pytest.approx(exact, abs=1e-12)


def test_cards_are_read_as_people_write_them() -> None:
    assert [parse_cards(t) for t in ("T,6", "10 6", "ak", "A-7")] == ["T6", "T6", "AK", "A7"]
    with pytest.raises(ParameterError, match="written"):
        parse_cards("T,?")


def test_the_registered_game_takes_rules_as_text() -> None:
    game = make_game("blackjack", {"rules": "single-deck", "changes": "h17=false,das=true"})
    assert isinstance(game, Blackjack)
    assert (game.table.decks, game.table.h17, game.table.das) == (1, False, True)
    with pytest.raises(ParameterError, match="decks"):
        make_game("blackjack", {"changes": "decks=0"})
