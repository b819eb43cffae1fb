"""Textures of boards, against closed counts of all flops and all boards of five cards."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from riverboat.cards.board_texture import KINDS, board_texture
from riverboat.cards.card import parse_cards
from riverboat.errors import ParameterError


@pytest.mark.parametrize(
    ("board", "texture"),
    [
        ("Qs Jh 2h", ("two-tone", "unpaired", "Q", "two to a straight")),
        ("9s 8s 7s", ("monotone", "unpaired", "9", "three to a straight")),
        ("Ah 2d 5c", ("rainbow", "unpaired", "A", "three to a straight")),
        ("Ks 7h 2d", ("rainbow", "unpaired", "K", "disconnected")),
        ("As Kh 2d", ("rainbow", "unpaired", "A", "two to a straight")),
        ("7s 7h 7d", ("rainbow", "trips", "7", "disconnected")),
        ("7s 7h 2d 2s", ("two-tone", "two pair", "7", "disconnected")),
        ("7s 6h 2h 3s", ("double two-tone", "unpaired", "7", "three to a straight")),
        ("Ts 9s 8s 7d", ("three of a suit", "unpaired", "T", "four to a straight")),
        ("2s 2h 2d 2c", ("rainbow", "quads", "2", "disconnected")),
        ("2s 2h 2d 3c 3d", ("no flush", "full house", "3", "two to a straight")),
        ("Ts 9s 8s 7s 6s", ("five of a suit", "unpaired", "T", "five to a straight")),
        ("Ts 9s 8s 2s 2d", ("four of a suit", "paired", "T", "three to a straight")),
    ],
)
def test_a_board_has_its_texture(board: str, texture: tuple[str, ...]) -> None:
    assert board_texture(parse_cards(board)) == texture


def test_all_flops_by_texture_are_as_many_as_counted_by_hand() -> None:
    found = [board_texture(cards) for cards in combinations(range(52), 3)]
    counts = [Counter(texture[kind] for texture in found) for kind in range(4)]
    assert counts[0] == {
        "monotone": 4 * comb(13, 3), "two-tone": 12 * comb(13, 2) * 13, "rainbow": 4 * 13**3
    }  # fmt: skip
    assert counts[1] == {"trips": 13 * 4, "paired": 13 * 6 * 48, "unpaired": comb(13, 3) * 4**3}
    # The highest card has rank r (0 to 12): comb(4 r + 4, 3) − comb(4 r, 3) flops.
    assert counts[2]["A"] == comb(52, 3) - comb(48, 3)
    # Three ranks of one straight: ten straights with ten triples each; A23 to JQK are in several.
    windows = [{(top - back) % 13 for back in range(5)} for top in range(3, 13)]
    triples = {frozenset(t) for window in windows for t in combinations(sorted(window), 3)}
    assert counts[3]["three to a straight"] == 64 * len(triples)


def test_every_texture_is_one_of_its_kind() -> None:
    for board in ("2s 2h 2d 3c", "As Kd Qh Jc Ts", "As 2d 3h"):
        for name, kind in zip(board_texture(parse_cards(board)), KINDS.values(), strict=True):
            assert name in kind
    with pytest.raises(ParameterError, match="three to five"):
        board_texture([1, 2])
