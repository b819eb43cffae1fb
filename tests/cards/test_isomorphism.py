"""Classes up to suits: the published counts, round trips, and that equal means equal."""

import json
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

from riverboat.cards.combos import COMBO_CARDS, class_of_combos
from riverboat.cards.isomorphism import isomorphism
from riverboat.errors import ParameterError

COUNTS = json.loads((Path(__file__).parents[1] / "data" / "poker" / "counts.json").read_text())
SIZES = COUNTS["suit_isomorphic"]
STREETS = [(2,), (2, 3), (2, 4), (2, 5), (2, 3, 1), (2, 3, 1, 1)]


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name: str) -> None:
    assert isomorphism(*(int(size) for size in name.split("+"))).size == SIZES[name]


def test_preflop_classes_are_the_169() -> None:
    indices = isomorphism(2).indices(COMBO_CARDS)
    pairs = set(zip(indices.tolist(), class_of_combos().tolist(), strict=True))
    assert len(pairs) == 169
    assert len({index for index, _ in pairs}) == 169


def test_round_trip_over_all_flops() -> None:
    flop = isomorphism(2, 3)
    hands = flop.hands(np.arange(flop.size))
    assert (flop.indices(hands) == np.arange(flop.size)).all()
    assert (np.diff(np.sort(hands, axis=1), axis=1) > 0).all()


@pytest.mark.parametrize("groups", STREETS)
def test_round_trip_of_a_sample(groups: tuple[int, ...]) -> None:
    classes = isomorphism(*groups)
    indices = np.random.default_rng(4).integers(0, classes.size, 20_000)
    indices[:2] = 0, classes.size - 1
    hands = classes.hands(indices)
    assert (classes.indices(hands) == indices).all()
    assert (np.diff(np.sort(hands, axis=1), axis=1) > 0).all()


@pytest.mark.e2e
@pytest.mark.parametrize("groups", STREETS)
def test_the_same_class_if_and_only_if_suits_and_order_can_be_renamed(
    groups: tuple[int, ...],
) -> None:
    rng = np.random.default_rng(7)
    # Few ranks, so that equal classes do occur by chance.
    deck = np.array([card for card in range(52) if card // 4 in (0, 1, 2, 12)])
    hands = np.array([rng.permutation(deck)[: sum(groups)] for _ in range(3000)])
    edges = np.cumsum([0, *groups])

    def smallest(cards: np.ndarray) -> tuple[int, ...]:
        forms = []
        for suits in permutations(range(4)):
            renamed = cards // 4 * 4 + np.array(suits)[cards % 4]
            parts = [sorted(renamed[a:b].tolist()) for a, b in pairwise(edges)]
            forms.append(tuple(card for part in parts for card in part))
        return min(forms)

    indices = isomorphism(*groups).indices(hands).tolist()
    pairs = set(zip(indices, (smallest(hand) for hand in hands), strict=True))
    assert len(pairs) == len({index for index, _ in pairs}) == len({form for _, form in pairs})


def test_one_hand_by_text_and_back() -> None:
    flop = isomorphism(2, 3)
    index = flop.index("As Kd", "7c 7d 2s")
    assert index == flop.index("KdAs7d2s7c") == flop.index("Ah Kc", "7s 7c 2h")
    assert index != flop.index("As Kd", "7c 7d 2c")
    assert flop.index(flop.cards(index)) == index


def test_misuse() -> None:
    with pytest.raises(ParameterError, match="at most 7"):
        isomorphism(2, 6)
    with pytest.raises(ParameterError, match="expected"):
        isomorphism(2, 3).index("AsKd")
    with pytest.raises(ParameterError, match="expected"):
        isomorphism(2, 3).indices([[1, 2]])
    with pytest.raises(ParameterError, match="appears twice"):
        isomorphism(2).index("AsAs")
    with pytest.raises(ParameterError, match="0 to 168"):
        isomorphism(2).cards(169)
