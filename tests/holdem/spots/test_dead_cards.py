"""Spots with dead cards: exposed ones, or a smaller deck. Checked by dealing every card."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import pytest

from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.plain_strength import strength
from riverboat.errors import ParameterError, RiverboatError, UsageError
from riverboat.holdem.spots.flops import open_folder
from riverboat.holdem.spots.form import SpotForm
from riverboat.holdem.spots.solver import make_solver
from riverboat.holdem.spots.spot import Spot

NINE = [card for card in range(52) if card // 4 < 10 or card % 4 == 0]
"""All but A, K and Q of three suits."""
TOML = """
board = "As Kd Qh"
pot = 10
stack = 4
dead = "{dead}"
[ranges]
oop = "AA,AK,KQ:0.5"
ip = "KK,AQ,KQ"
[sizes.flop]
oop = {{ bet = "a" }}
ip = {{}}
[sizes.river]
oop = {{}}
ip = {{}}
"""


def spot(board: str = "As Kd Qh", dead: list[int] | None = None) -> Spot:
    cards = NINE if dead is None else dead
    text = TOML.format(dead=" ".join(map(card_text, cards)))
    return Spot.from_toml(text.replace("As Kd Qh", board))


def checked_down(spot: Spot) -> float:
    """What OOP wins of the pot if all cards are dealt, by the rules, one board after another."""
    deck = [card for card in range(52) if card not in spot.dead and card not in spot.board]
    won = total = 0.0
    for first, second in product(spot.hands(0).tolist(), spot.hands(1).tolist()):
        mine, theirs = (COMBO_CARDS[combo].tolist() for combo in (first, second))
        if set(mine) & set(theirs):
            continue
        weight = spot.ranges[0].weights[first] * spot.ranges[1].weights[second]
        rest = [card for card in deck if card not in mine and card not in theirs]
        for more in combinations(rest, 5 - len(spot.board)):
            board = [*spot.board, *more]
            a, b = strength(mine + board), strength(theirs + board)
            won += weight * (1.0 if a > b else 0.5 if a == b else 0.0)
            total += weight
    return won / total


@pytest.mark.parametrize("board", ["As Kd Qh", "As Kd Qh Ks"])
def test_a_hand_checked_down_is_worth_what_dealing_every_card_gives(board: str) -> None:
    given = spot(board)
    solved = given.solve(iterations=1)
    dealt = solved.at("r:0:c:c")
    assert set(dealt.cards_to_come).isdisjoint(map(card_text, given.dead))
    assert len(dealt.cards_to_come) == 9 - len(dealt.board)
    share = checked_down(given)
    assert solved.at().summary(0).equity == pytest.approx(share, abs=1e-6)
    if len(given.board) == 4:  # after one iteration all hands check equally often
        assert dealt.summary(0).ev == pytest.approx(10 * share, abs=1e-4)


def test_the_value_is_that_of_the_game_card_by_card() -> None:
    """A turn at which OOP may be all-in with 4 into 10, solved as a matrix of hands by hand."""
    given = spot("As Kd Qh Ks")
    solver = make_solver(given)
    solver.step(500)
    solved, evaluation = solver.result(), solver.evaluation()
    shares = {}
    deck = [card for card in range(52) if card not in given.gone]
    hands = [given.hands(player).tolist() for player in (0, 1)]
    for first, second in product(*hands):
        mine, theirs = (COMBO_CARDS[combo].tolist() for combo in (first, second))
        if set(mine) & set(theirs):
            continue
        found = []
        for card in deck:
            if card in mine or card in theirs:
                continue
            board = [*given.board, card]
            a, b = strength(mine + board), strength(theirs + board)
            found.append(1.0 if a > b else 0.5 if a == b else 0.0)
        shares[first, second] = sum(found) / len(found)
    at = solved.at()
    bets = dict(zip(at.combos(0).tolist(), at.strategies[1].tolist(), strict=True))
    facing = at.play("A4")
    names = [action.letter for action in facing.bet_actions]
    calls = dict(
        zip(facing.combos(1).tolist(), facing.strategies[names.index("C")].tolist(), strict=True)
    )
    value = total = 0.0
    for (first, second), share in shares.items():
        weight = given.ranges[0].weights[first] * given.ranges[1].weights[second]
        called = 18 * share - 4
        bet = calls[second] * called + (1 - calls[second]) * 10
        value += weight * (bets[first] * bet + (1 - bets[first]) * 10 * share)
        total += weight
    assert evaluation.ev[0] == pytest.approx(value / total, abs=1e-3)


def test_suits_are_the_same_only_where_the_dead_cards_are() -> None:
    """On As 8s 3s the other suits are alike; with 2c dead only diamonds and hearts are."""
    plain = Spot.from_toml(TOML.format(dead="2c").replace("As Kd Qh", "As 8s 3s"))
    whole = Spot.from_toml(TOML.format(dead="2s").replace("As Kd Qh", "As 8s 3s"))
    boards = [one.solve(iterations=1).layout.boards.num_boards[1] for one in (plain, whole)]
    assert boards == [13 + 12 + 10, 13 + 9]


def test_dead_cards_are_read_written_and_refused() -> None:
    given = spot()
    assert Spot.from_toml(given.to_toml()) == given
    assert given != spot(dead=NINE[:-1])
    assert SpotForm.of(given).spot().dead == given.dead
    with pytest.raises(ParameterError, match="too few"):
        spot(dead=[*NINE, *parse_cards("AhAd")])
    with pytest.raises(RiverboatError):
        spot(dead=[*NINE, *parse_cards("As")])
    with pytest.raises(ParameterError, match="dead"):
        spot(dead=parse_cards("AhAdAcKhKcKs"))
    with pytest.raises(RiverboatError, match="dead card"):
        given.solve(iterations=1).at("r:0:c:c").deal("2c")
    with pytest.raises(UsageError, match="on the CPU only"):
        make_solver(given, device="cuda")


def test_a_report_over_flops_takes_no_dead_cards(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="52 cards"):
        open_folder(tmp_path, spot(), {})
