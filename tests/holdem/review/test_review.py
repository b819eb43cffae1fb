"""Hands looked over: ranges by Bayes, EVs by brute force and closed form, what is kept and told."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from riverboat.cards.card import parse_cards
from riverboat.cards.combos import COMBO_CARDS, combo_index
from riverboat.errors import UsageError
from riverboat.games.base import TERMINAL
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.walk import look
from riverboat.holdem.histories.hand import PhhHand, RefusedHand
from riverboat.holdem.review._decisions import DOUBT, BlueprintValues, Moment, followed
from riverboat.holdem.review._exact_values import ExactValues, spot_of
from riverboat.holdem.review.report import Review, ReviewOptions, player_of, review_hands
from riverboat.holdem.rules.state import Holdem, HoldemState

NUTS = "r6c/cc/cc/cr12f"
"""The button bets the river, and the big blind folds the nuts, a straight flush."""


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return Blueprint.load("shipped")


def played(history: str, board: str, first: str, second: str, stacks: int = 100) -> HoldemState:
    game = Holdem(players=2, stacks=(stacks, stacks))
    hands = [parse_cards(first), parse_cards(second)]
    return game.resume(hands, parse_cards(board), history)


def nuts() -> HoldemState:
    return played(NUTS, "5s6s7s2d3h", "9s8s", "KcTd")


def hand_of(state: HoldemState, number: int = 1) -> PhhHand:
    return PhhHand(state, Decimal("0.5"), fields={"players": ["Anna", "Bob"], "hand": number})


def test_ranges_follow_bayes(blueprint: Blueprint) -> None:
    """Each action multiplies by what the walk through the blueprint says of it."""
    state = played("r6c/r9c/cc/c", "QsJs2d8h3c", "AhAd", "KcKd")
    *_, last = followed(state, blueprint, 0)
    wanted = np.ones(1326)
    for path, board, action in (
        ("", "", "r6"),
        ("r6cr9", "QsJs2d", "c"),
        ("r6cr9cc", "QsJs2d8h", "c"),
    ):
        at = look(blueprint, path, board)
        wanted *= (1 - DOUBT) * at.chances[:, at.actions.index(action)] + DOUBT
    dead = np.isin(COMBO_CARDS, parse_cards("QsJs2d8h3c")).any(axis=1)
    wanted[dead] = 0.0
    assert np.abs(last.ranges[1] - wanted).max() < 1e-12
    assert last.street_actions == ()
    assert last.state.history == "r6c/r9c/cc/"


def brute_force(blueprint: Blueprint, state: HoldemState, hero: int, theirs: list[int]) -> float:
    """The hero's mean return against hands of equal weight, by the rules, one hand at a time."""
    total = 0.0
    for combo in theirs:
        holes = list(state.holes)
        holes[1 - hero] = tuple(int(card) for card in COMBO_CARDS[combo][::-1])
        waiting = [(1.0, state.game.resume(holes, state.board, state.history))]
        while waiting:
            weight, now = waiting.pop()
            if now.actor == TERMINAL:
                total += weight * now.returns()[hero]
                continue
            for action, chance in blueprint.choices(now).items():
                if chance:
                    waiting.append((weight * chance, now.after(action)))
    return total / len(theirs)


def test_river_values_are_those_of_brute_force(blueprint: Blueprint) -> None:
    state = played("r6c/cc/cc/cr9c", "TsJs4d2d3h", "AhJd", "7c7d")
    *_, moment = followed(state, blueprint, 0)
    assert moment.state.history == "r6c/cc/cc/cr9"
    hands = ["QcQd", "9h9c", "9s8s", "KcTd", "5c5d"]
    theirs = [combo_index(*sorted(parse_cards(hand))) for hand in hands]
    ranges = np.zeros((2, 1326))
    ranges[1, theirs] = 0.25
    small = Moment(**{**moment.__dict__, "ranges": ranges})
    judged = BlueprintValues(blueprint, min_chance=0.0).judge(small)
    assert judged is not None
    for each in judged.actions:
        after = moment.state.after(each.action)
        wanted = brute_force(blueprint, after, 0, theirs) + 6
        assert each.ev == pytest.approx(wanted, abs=1e-9)


def test_folding_the_nuts_costs_what_a_call_wins(blueprint: Blueprint) -> None:
    """24 chips lie there after the bet of 12, and a call of it always wins: 24 from there on."""
    *_, moment = followed(nuts(), blueprint, 0)
    assert moment.action == "f"
    for judged in (BlueprintValues(blueprint).judge(moment), ExactValues(2.0).judge(moment)):
        assert judged is not None
        values = {each.words.split()[0]: each.ev for each in judged.actions}
        assert values["fold"] == pytest.approx(0.0, abs=1e-4)
        assert values["call"] == pytest.approx(24.0, abs=1e-3)
        assert judged.taken.words == "fold"
        assert judged.loss >= 24.0 - 1e-3


def test_a_spot_has_what_was_there(blueprint: Blueprint) -> None:
    *_, moment = followed(nuts(), blueprint, 0)
    spot = spot_of(moment)
    assert (spot.pot, spot.stack, len(spot.board)) == (12, 94, 5)
    assert spot.tree.add == ("X-B12-F",)
    assert "9s8s" in spot.ranges[0]


def test_a_bet_beyond_the_other_stack_is_all_in(blueprint: Blueprint) -> None:
    game = Holdem(players=2, stacks=(60, 150))
    hands = [parse_cards("9s8s"), parse_cards("KcTd")]
    state = game.resume(hands, parse_cards("5s6s7s2d3h"), "r20c/cc/cc/cr130f")
    *_, moment = followed(state, blueprint, 0)
    assert spot_of(moment).tree.add == ("X-A40-F",)
    judged = ExactValues(2.0).judge(moment)
    assert judged is not None
    assert judged.loss == pytest.approx(40 + 40, abs=1e-3)


def test_a_review_tells_the_worst_first(blueprint: Blueprint) -> None:
    small = played("r6c/cc/cc/cr6f", "5s6s7s2d3h", "9s8s", "KcTd")
    many = Holdem(players=3, stacks=(100,) * 3)
    three = PhhHand(many.with_hands([parse_cards("AcAd"), (), ()]))
    hands: list[Any] = [
        hand_of(small, 1),
        RefusedHand("#9", "it is cut off."),
        hand_of(nuts(), 2),
        PhhHand(three.state, fields={"players": ["Anna", "B", "C"]}),
        PhhHand(nuts(), fields={"players": ["x", "y"]}),
        hand_of(played("f", "", "AsKs", "", 1000), 3),
    ]
    found = review_hands(hands, "Anna", blueprint, options=ReviewOptions(seconds=1.0))
    assert found.hands == 2
    assert [each.hand for each in found.worst] == ["2", "1"]
    first = found.worst[0]
    assert first.loss_bb >= 12 - 1e-3
    assert first.judgement.source == "solver"
    facts = found.as_dict()
    assert facts["findings"][0]["loss"] >= 12 - 1e-3  # 24 chips of half a dollar
    assert facts["findings"][0]["taken"] == "fold"
    assert facts["refused"] == [{"hand": "#9", "reason": "it is cut off."}]
    assert sum(facts["passed_over"].values()) == 3
    assert "3 players, and the blueprint is for 2" in facts["passed_over"]


def test_what_the_blueprint_does_is_no_finding(blueprint: Blueprint) -> None:
    deck = parse_cards("AhQd Kc9c 8s7d2c Jh 4h")
    state = Holdem(players=2, stacks=(100, 100)).with_hands([deck[:2], deck[2:4]])
    board = deck[4:]
    while state.actor != TERMINAL:
        if state.actor < 0:
            cards, board = board[: state.pending], board[state.pending :]
            state = state.deal(cards)
            continue
        chances = blueprint.choices(state)
        state = state.after(max(chances, key=lambda action: chances[action]))
    found = review_hands([hand_of(state)], "Anna", blueprint)
    assert found.decisions >= 1
    assert (found.seldom, found.findings) == (0, [])


def test_ctrl_c_keeps_what_was_found(blueprint: Blueprint) -> None:
    def stop(now: Review) -> None:
        if now.hands == 2:
            raise KeyboardInterrupt

    hands = [hand_of(nuts(), number) for number in range(5)]
    options = ReviewOptions(solve=False)
    found = review_hands(hands, "Anna", blueprint, options=options, progress=stop)
    assert found.stopped
    assert len(found.findings) == 2


def test_whose_hands_they_are() -> None:
    hands = [hand_of(nuts()), PhhHand(nuts(), fields={"players": ["Anna", "C"], "_hero": "C"})]
    assert player_of(hands[:1]) in ("Anna", "Bob")
    assert player_of(hands) == "C"
    with pytest.raises(UsageError, match="nothing to review"):
        player_of([PhhHand(Holdem().with_hands([(), ()]))])


def test_hands_that_show_no_player_are_refused_with_the_reason() -> None:
    """Hands that cannot be read are named; they may well show cards."""
    tournament = RefusedHand("#7", "it is a tournament's hand, and only cash hands are read.")
    unknown = PhhHand(Holdem().with_hands([(), ()]))
    with pytest.raises(UsageError, match=r"No hand can be read.* #7: it is a tournament's"):
        player_of([tournament, tournament])
    with pytest.raises(UsageError, match=r"shows a player's cards.* 1 cannot be read. #7:"):
        player_of([unknown, tournament])


def test_a_blueprint_on_the_river_states_no_error(blueprint: Blueprint) -> None:
    """Every card is counted, and yet the blueprint is no more than an approximation."""
    options = ReviewOptions(solve=False)
    found = review_hands([hand_of(nuts())], "Anna", blueprint, options=options)
    (finding,) = found.as_dict()["findings"]
    assert finding["source"] == "blueprint"
    assert finding["error_bb"] is None


def test_a_blueprint_says_nothing_of_a_line_that_it_never_takes(blueprint: Blueprint) -> None:
    """The button raises 72o to 90 of 100 chips, which the blueprint does with no hand."""
    state = played("r90f", "", "AsAh", "7c2d")
    *_, moment = followed(state, blueprint, 0)
    assert moment.min_share < 0.01
    found = review_hands([hand_of(state)], "Anna", blueprint)
    assert (found.undetermined, found.findings) == (1, [])


@pytest.mark.slow
def test_who_errs_loses_and_the_blueprint_hardly_does(blueprint: Blueprint) -> None:
    """In an equilibrium nobody who follows it loses anything; random actions cost a lot."""
    rng = np.random.default_rng(5)
    hands = []
    for number in range(60):
        deck = [int(card) for card in rng.permutation(52)]
        state = Holdem(players=2, stacks=(100, 100)).start().deal_from(deck)
        while state.actor != TERMINAL:
            if state.actor < 0:
                state = state.deal_from(deck)
            elif state.actor == 0 or rng.random() < 0.6:
                state = state.after(blueprint.draw(state, rng))
            else:
                choices = list(blueprint.choices(state))
                state = state.after(choices[rng.integers(len(choices))])
        hands.append(hand_of(state, number))
    options = ReviewOptions(solve=False)
    errs = review_hands(hands, "Bob", blueprint, options=options)
    follows = review_hands(hands, "Anna", blueprint, options=options)
    assert errs.lost_bb > 10
    assert follows.lost_bb < errs.lost_bb / 5
