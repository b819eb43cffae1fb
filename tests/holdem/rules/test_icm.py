"""ICM against the definition: every order of finishing, one by one."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import Command
from riverboat.errors import ParameterError
from riverboat.holdem.rules.icm import icm


def by_orders(stacks: list[float], payouts: list[float]) -> list[float]:
    """Harville's model written out: a product of chances for each order."""
    prizes = [*payouts, *[0.0] * len(stacks)]
    found = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        chance, left = 1.0, sum(stacks)
        for player in order:
            chance *= stacks[player] / left
            left -= stacks[player]
            if left <= 1e-12:
                break
        for place, player in enumerate(order):
            found[player] += chance * prizes[place]
    return found


@pytest.mark.parametrize("players", range(2, 8))
def test_equals_the_sum_over_all_orders(players: int) -> None:
    rng = np.random.default_rng(players)
    stacks = rng.integers(1, 100, players).astype(float).tolist()
    payouts = sorted(rng.random(players).tolist(), reverse=True)
    assert icm(stacks, payouts) == pytest.approx(by_orders(stacks, payouts), abs=1e-12)
    assert icm(stacks, payouts[:1]) == pytest.approx(payouts[0] * np.array(stacks) / sum(stacks))


def test_eight_players_equal_the_sum_over_all_orders() -> None:
    stacks = [9.0, 1.0, 4.0, 4.0, 2.5, 7.0, 3.0, 12.0]
    assert icm(stacks, [5, 3, 2]) == pytest.approx(by_orders(stacks, [5, 3, 2]), abs=1e-12)


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=10))
def test_all_prizes_are_shared_out_and_more_chips_are_worth_more(stacks: list[float]) -> None:
    payouts = [50.0, 30.0, 20.0][: len(stacks)]
    found = icm(stacks, payouts)
    assert found.sum() == pytest.approx(sum(payouts))
    order = np.argsort(stacks)
    assert (np.diff(found[order]) >= -1e-6).all()


def test_many_rows_at_once_and_players_without_chips() -> None:
    rows = np.array([[50.0, 30.0, 20.0], [0.0, 100.0, 0.0]])
    found = icm(rows, [50, 30, 20])
    assert found[0] == pytest.approx(by_orders([50, 30, 20], [50, 30, 20]))
    assert found[1] == pytest.approx([25, 50, 25])


@pytest.mark.parametrize(
    ("stacks", "payouts", "words"),
    [
        ([1, 2], [20, 50], "never rise"),
        ([1, 2], [-1], "from 0 on"),
        ([1, 2], [], "1 to 10 prizes"),
        ([1, 2], [0, 0], "pays nothing"),
        ([-1, 2], [1], "Stacks are numbers"),
        ([0, 0], [1], "Stacks are numbers"),
        ([float("nan"), 1], [1], "Stacks are numbers"),
        ([1] * 11, [1], "1 to 10 stacks"),
        ([1e308, 1e308], [1], "Stacks are numbers"),
        ([1e-320, 1], [1], "Stacks are numbers"),
        ([10**400, 1], [1], "Stacks are numbers"),
        (["a", "b"], [1], "Stacks are numbers"),
        ([[1, 2], [3]], [1], "Stacks are numbers"),
        ([1, None], [1], "Stacks are numbers"),
        ([1, 2], [1e308], "A prize is a number"),
        ([1, 2], ["50"], "A prize is a number"),
        ([1, 2], [10**400], "A prize is a number"),
        ([1, 2], "50", "A prize is a number"),
    ],
)
def test_what_cannot_be_is_refused(stacks: list[float], payouts: list[float], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        icm(stacks, payouts)


def test_the_command_prints_prizes(command: Command) -> None:
    asked = ("holdem", "icm", "50", "30", "20", "--payouts", "50,30,20")
    facts = command(*asked, "--json").json
    assert facts["values"] == pytest.approx(by_orders([50, 30, 20], [50, 30, 20]))
    assert "32.7500" in command(*asked).out


@pytest.mark.parametrize(
    ("payouts", "words"), [("20,50", "never rise"), ("a", "numbers"), ("3,2,1", "for 2 players")]
)
def test_the_command_refuses_in_a_sentence(command: Command, payouts: str, words: str) -> None:
    assert words in command.refused("holdem", "icm", "5", "3", "--payouts", payouts)


@pytest.mark.parametrize(
    ("stack", "words"),
    [
        ("1e308", "takes 0 to"),
        ("1e-320", "Stacks are numbers"),
        ("nan", "takes a number"),
        ("inf", "takes a number"),
        ("aces", "takes a number"),
    ],
)
def test_the_command_refuses_stacks_that_cannot_be(
    command: Command, stack: str, words: str
) -> None:
    assert words in command.refused("holdem", "icm", stack, "1", "--payouts", "5,3")
