"""The table for users of PokerKit in docs/interop.md: both sides of a row do the same."""

import random
from typing import Any

import pytest

import riverboat as rb
from riverboat.cards.card import parse_cards
from riverboat.cards.ranges import Range
from riverboat.games.base import TERMINAL
from riverboat.holdem.histories.phh import read_phh
from riverboat.holdem.rules.state import Holdem

pokerkit = pytest.importorskip("pokerkit")
HANDS = ("AcAs", "7h6h")


def theirs() -> Any:
    """A hand of two at 1/2 with 200 chips each; cards are dealt by hand."""
    steps = pokerkit.Automation
    dealt = {steps.HOLE_DEALING, steps.CARD_BURNING, steps.BOARD_DEALING}
    state = pokerkit.NoLimitTexasHoldem.create_state(
        tuple(step for step in steps if step not in dealt), True, 0, (1, 2), 2, (200, 200), 2
    )
    for hand in HANDS:
        state.deal_hole(hand)
    return state


def ours() -> Any:
    game = rb.game("holdem", players=2, stacks=(200,), small_blind=1, big_blind=2)
    assert isinstance(game, Holdem)
    return game.with_hands([parse_cards(hand) for hand in HANDS])


def same(left: Any, right: Any) -> None:
    assert left.actor_index == right.actor
    assert tuple(left.stacks) == right.betting.stacks
    assert left.total_pot_amount == right.stakes().pot


def test_a_hand_goes_the_same_way_by_the_words_of_the_table() -> None:
    left, right = theirs(), ours()
    same(left, right)
    left.complete_bet_or_raise_to(6)
    before, right = right, right.after("r6")
    same(left, right)
    left.check_or_call()
    right = right.after("c")
    assert before.actions()[-1] == "r200"  # the old state stays as it was
    left.burn_card("2c")
    left.deal_board("Jc3d5c")
    right = right.deal(parse_cards("Jc3d5c"))
    same(left, right)
    left.complete_bet_or_raise_to(60)
    right = right.after("r60")
    left.fold()
    right = right.after("f")
    assert (left.status, right.actor) == (False, TERMINAL)
    assert tuple(left.payoffs) == right.returns()


def test_hands_ranges_and_equities_are_the_same() -> None:
    full = pokerkit.StandardHighHand.from_game("AcAs", "Kh3sAdAhKs")
    quads = pokerkit.StandardHighHand.from_game("AcAs", "Kh3sAdAh2s")
    assert (full > quads) == (rb.rank("AcAsKh3sAdAhKs") > rb.rank("AcAsKh3sAdAh2s"))
    combos = {
        frozenset(f"{card.rank}{card.suit}" for card in hand)
        for hand in pokerkit.parse_range("QQ+,AKs")
    }
    assert len(combos) == Range.parse("QQ+,AKs").num_combos == 22  # 3 pairs of 6, 4 suited
    exact = rb.equity("AcAs", "7h6h", board="Jc3d5c").equity[0]
    random.seed(7)
    sampled = pokerkit.calculate_equities(
        [pokerkit.parse_range("AcAs"), pokerkit.parse_range("7h6h")],
        list(pokerkit.Card.parse("Jc3d5c")),
        2,
        5,
        pokerkit.Deck.STANDARD,
        (pokerkit.StandardHighHand,),
        sample_count=2000,
    )[0]
    assert sampled == pytest.approx(exact, abs=0.05)  # four standard errors


def test_a_hand_history_is_read_the_same() -> None:
    text = (
        'variant = "NT"\nante_trimming_status = true\nantes = [0, 0]\n'
        "blinds_or_straddles = [1, 2]\n"
        'min_bet = 2\nstarting_stacks = [200, 200]\nactions = ["d dh p1 AcAs", "d dh p2 7h6h",'
        ' "p2 cbr 6", "p1 f"]\n'
    )
    *_, last = pokerkit.HandHistory.loads(text)
    assert tuple(last.payoffs) == read_phh(text).state.returns()
