"""One hand in plain Python: the same strengths as the compiled tables."""

import numpy as np
import pytest

from riverboat.cards.card import parse_cards
from riverboat.cards.plain_strength import all_scores, describe_score, score_of, strength_of_one
from riverboat.cards.strength import strength_tables, strengths


def test_there_are_7462_values_and_they_are_the_tables() -> None:
    """The number of different five-card values (Cactus Kev's table) and their order."""
    assert len(all_scores()) == len(set(all_scores())) == 7462
    assert list(all_scores()) == strength_tables().scores.tolist()


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_are_ranked_as_by_the_kernel(size: int) -> None:
    rng = np.random.default_rng(size)
    hands = np.array([rng.permutation(52)[:size] for _ in range(300)])
    assert [strength_of_one(hand.tolist()) for hand in hands] == strengths(hands).tolist()


def test_the_best_hand_and_the_wheel_have_their_names() -> None:
    assert strength_of_one(parse_cards("As Ks Qs Js Ts")) == 7461
    assert describe_score(score_of(parse_cards("5d 4d 3d 2d Ad"))) == "straight flush, five high"
    assert strength_of_one(parse_cards("2c 3d 4h 5s 7c")) == 0
