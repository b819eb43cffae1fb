"""Hold'em for prizes: returns by ICM, bounties, and matches that count them."""

from itertools import permutations

import pytest

import riverboat as rb
from commands import Command
from riverboat.cards.card import parse_cards
from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.games.registry import make_game
from riverboat.holdem.rules.prizes import PrizeHoldem, for_prizes
from riverboat.holdem.rules.state import Holdem, HoldemState


def by_orders(stacks: tuple[float, ...], places: tuple[float, ...]) -> list[float]:
    """Malmuth and Harville over every order in which players may finish; all have chips."""
    found = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        chance, left = 1.0, sum(stacks)
        for player in order:
            chance *= stacks[player] / left if left else 1.0
            left -= stacks[player]
        for place, player in zip(places, order, strict=False):
            found[player] += chance * place
    return found


def ended(game: Holdem, hands: tuple[str, ...], board: str, history: str) -> HoldemState:
    return game.resume([parse_cards(hand) for hand in hands], parse_cards(board), history)


def test_returns_are_the_prizes_that_a_hand_changes():
    game = for_prizes(Holdem(stacks=(60, 30)), {"places": [50, 30, 20], "others": [40]})
    state = ended(game, ("AcAd", "2c7d"), "", "r10f")  # The big blind folds, and loses 2.
    before, after = by_orders((60, 30, 40), (50, 30, 20)), by_orders((58, 32, 40), (50, 30, 20))
    wanted = [now - then for now, then in zip(after, before, strict=True)][:2]
    assert state.returns() == pytest.approx(wanted)
    assert wanted[0] + wanted[1] != pytest.approx(0)  # Who sits elsewhere gains as well.


def test_who_is_knocked_out_by_the_same_hand_is_ranked_by_chips_and_pays_a_bounty():
    """Stacks 10, 20 and 40 all-in: 10 wins the main pot, 40 the side pot, and 20 goes out."""
    rules = Holdem(players=3, stacks=(10, 20, 40))
    game = for_prizes(rules, {"places": [50, 30, 20], "bounty": [1, 5, 9]})
    board, history = "Kc8d7h3s4d", "r40cc///"
    state = ended(game, ("AcAd", "QcQd", "KdKh"), board, history)
    assert rules_returns(rules, state) == (-10, -20, 30)
    start = by_orders((10, 20, 40), (50, 30, 20))
    wanted = [20 - start[0], 30 - start[1], 50 + 1 + 5 - start[2]]
    assert state.returns() == pytest.approx(wanted)


def rules_returns(rules: Holdem, state: HoldemState) -> tuple[float, ...]:
    return rules.resume(state.holes, state.board, state.history).returns()


def test_a_side_pots_winner_gets_the_bounty_of_the_player_it_breaks():
    rules = Holdem(players=3, stacks=(10, 20, 40))
    game = for_prizes(rules, {"places": [50, 30, 20], "bounty": 5})
    state = ended(game, ("AcAd", "QcQd", "KdKh"), "8c8d7h3s4d", "r40cc///")
    assert rules_returns(rules, state) == (20, -20, 0)
    start, after = by_orders((10, 20, 40), (50, 30, 20)), by_orders((30, 40), (50, 30))
    wanted = [after[0] - start[0], 20 - start[1], after[1] + 5 - start[2]]
    assert state.returns() == pytest.approx(wanted)


def test_matches_and_tournaments_count_prizes():
    stacks = make_game("holdem", {"stacks": (60, 20)})
    payouts = {"places": [70, 30], "others": [40]}
    log = rb.match(stacks, "holdem:rules", "holdem:call", hands=40, payouts=payouts)
    again = rb.match(stacks, "holdem:rules", "holdem:call", hands=40, payouts=payouts, workers=1)
    assert log.unit == "prizes"
    assert log.mean == again.mean
    table = rb.tournament(
        stacks, "holdem:rules", "holdem:call", "holdem:random", hands=10, payouts=payouts
    )
    assert table.unit == "prizes per hand"
    with pytest.raises(UsageError, match="for hold'em"):
        rb.match("kuhn", "uniform", "random", hands=2, payouts=[70, 30])


def test_bad_payouts_are_refused():
    with pytest.raises(ParameterError, match="never rise"):
        for_prizes(Holdem(), [30, 70])
    with pytest.raises(ParameterError, match="3 prizes for 2 players"):
        for_prizes(Holdem(), [50, 30, 20])
    with pytest.raises(UnknownNameError, match="did you mean"):
        for_prizes(Holdem(), {"places": [70, 30], "bounties": 3})
    with pytest.raises(ParameterError, match="takes numbers"):
        for_prizes(Holdem(), {"places": "70,30"})
    assert isinstance(for_prizes(Holdem(), [1]), PrizeHoldem)


def test_the_command_says_that_it_counts_prizes(command: Command):
    table = ("match", "holdem", "holdem:rules", "holdem:call")
    said = command(*table, "-p", "stacks=60,20", "--payouts", "70,30", "--others", 40,
                   "--bounty", 2, "--hands", 20)  # fmt: skip
    assert "prizes per hand" in said.out
    assert "give --payouts, too" in command.refused(*table, "--others", 40)
    assert "is for hold'em" in command.refused("match", "kuhn", "uniform", "random", "--payouts", 1)
