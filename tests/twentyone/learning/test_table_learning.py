"""Learning at a table: the dealer's hand in hindsight, and as good as training by oneself."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from riverboat.errors import UnknownNameError
from riverboat.twentyone.events import Settled, TableEvent
from riverboat.twentyone.game import VALUES, Result, card_value, dealer_draws, points, result
from riverboat.twentyone.learning._dealing_kernels import LOST, NO_FIT, PUSHED, UNREPORTED, WON
from riverboat.twentyone.learning._dealing_kernels import dealer_in_hindsight as in_hindsight
from riverboat.twentyone.learning.learner import Trainer, rules_of
from riverboat.twentyone.learning.online import learning_player
from riverboat.twentyone.learning.players import SeatedPlayer
from riverboat.twentyone.learning.q_table import QTable
from riverboat.twentyone.learning.regret import checkpoint, literal_limit
from riverboat.twentyone.table import Table, shuffled_decks

TOLD = {Result.WIN: WON, Result.PUSH: PUSHED, Result.LOSE: LOST, Result.BUST: UNREPORTED}


def unseen(cards: str, up: str) -> list[int]:
    left = [4] * 9 + [16]
    for card in cards + up:
        left[card_value(card) - 1] -= 1
    return left


def dealer_hands(cards: str, up: str) -> dict[int, Fraction]:
    """By enumeration of the cards not seen: the chance of each of the dealer's totals, 0 a bust."""
    chances: dict[int, Fraction] = defaultdict(Fraction)

    def draw(hand: str, left: list[int], chance: Fraction) -> None:
        if len(hand) > 1 and not dealer_draws(hand):
            total = points(hand)
            chances[total if total <= 21 else 0] += chance
            return
        for number, value in enumerate(VALUES):
            if left[number]:
                rest = [*left]
                rest[number] -= 1
                draw(hand + value, rest, chance * Fraction(left[number], sum(left)))

    draw(up, unseen(cards, up), Fraction(1))
    return chances


@pytest.mark.parametrize(
    ("cards", "up", "outcome"),
    [
        ("T6", "T", Result.LOSE),
        ("T6", "6", Result.WIN),
        ("9T", "A", Result.PUSH),
        ("9T", "7", Result.WIN),
        ("569", "5", Result.LOSE),
        ("T67", "9", Result.BUST),
    ],
)
def test_the_dealer_in_hindsight_has_the_exact_distribution(
    cards: str, up: str, outcome: Result
) -> None:
    """Of the enumerated hands those that fit the result, each as likely as it is among them."""
    mine, draws = points(cards), 4_000
    fits = {
        total: chance
        for total, chance in dealer_hands(cards, up).items()
        if outcome is Result.BUST or _outcome(mine, total) is outcome
    }
    every = sum(fits.values())
    left, rules = np.array(unseen(cards, up)), rules_of("points")
    found: dict[int, int] = defaultdict(int)
    for n in range(draws):
        key = np.uint64(n) << np.uint64(20)
        found[int(in_hindsight(key, left, card_value(up) - 1, mine, TOLD[outcome], rules))] += 1
    assert set(found) <= set(fits)
    for total, chance in fits.items():
        expected = float(chance / every)
        error = (expected * (1 - expected) / draws) ** 0.5
        assert found[total] / draws == pytest.approx(expected, abs=5 * error + 1e-9)


def _outcome(mine: int, theirs: int) -> Result:
    return result(_hand(mine), _hand(theirs) if theirs else ["Tc", "Td", "2c"])


def _hand(total: int) -> list[str]:
    """Some hand of so many points."""
    return ["Tc", "Td", "Ac"] if total == 21 else ["Tc", f"{VALUES[total - 11]}d"]


def test_a_result_that_no_dealer_can_bring_about_has_no_hand() -> None:
    """Nobody loses with 21."""
    left, rules = np.array(unseen("T56", "T")), rules_of("points")
    assert in_hindsight(np.uint64(1), left, 9, 21, LOST, rules) == NO_FIT
    learner = learning_player("ada", QTable.empty("points"), "on-policy")
    seated = SeatedPlayer(learner, np.random.default_rng(0))
    assert not seated.decide(["Tc", "5d", "6h"], "Td")
    seated.hand_over(["Tc", "5d", "6h"], "Td", Result.LOSE)
    row = learner.table.index["21|T"]
    assert learner.table.counts[row].tolist() == [0, 1]
    assert learner.table.values[row, 1] == -1.0


def learned_at_a_table(method: str, games: int, seed: int) -> float:
    """The regret of a player that has learned so many games at a table."""
    table = QTable.empty("points")
    seated = SeatedPlayer(learning_player("ada", table, method), np.random.default_rng(seed))

    def receive(event: TableEvent) -> None:
        if isinstance(event, Settled):
            cards = dealer.seats[0].cards
            seated.hand_over(cards, dealer.up_card, Result(event.results[0]))

    dealer = Table(["ada"], games, shuffled_decks(seed), receive)
    dealer.start()
    while not dealer.finished:
        dealer.answer(seated.decide(dealer.seats[0].cards, dealer.up_card))
    assert seated.trouble == ""
    return checkpoint(table, games).regret


def learned_alone(method: str, games: int, seeds: int) -> list[float]:
    regrets = []
    for seed in range(seeds):
        trainer = Trainer(QTable.empty("points"), method=method, seed=seed)
        trainer.run(games)
        regrets.append(checkpoint(trainer.table, games).regret)
    return regrets


def test_on_policy_learning_is_as_good_at_a_table_as_alone() -> None:
    """The mean regret of 3 players, against that of 40 trainings: within three standard errors."""
    games, seeds = 5_000, 3
    alone = learned_alone("on-policy", games, 40)
    mean = np.mean([learned_at_a_table("on-policy", games, seed) for seed in range(seeds)])
    assert mean < np.mean(alone) + 3 * np.std(alone) / seeds**0.5


def test_the_literal_method_stays_where_the_course_left_it() -> None:
    """Above the exact regret of its limit, less what luck allows after so few games."""
    games = 8_000
    limit = 0.081957 - 0.051474357
    assert literal_limit("points", "reward").reward == pytest.approx(-0.081957, abs=1e-6)
    assert learned_at_a_table("literal", games, 1) > 0.8 * limit


def test_other_methods_cannot_be_learned_at_a_table() -> None:
    with pytest.raises(UnknownNameError, match="method of learning at a table"):
        learning_player("ada", QTable.empty("points"), "sarsa")
