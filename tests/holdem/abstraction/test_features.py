"""Hand features: what must be told apart, fields against the cards themselves, buckets, names."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feature_codes import feature_code
from riverboat.cards.strength import category, strength
from riverboat.errors import ParameterError
from riverboat.holdem.abstraction import _feature_kernels as fields
from riverboat.holdem.abstraction._bucket_words import feature_fields, feature_name
from riverboat.holdem.abstraction._features import build_features
from riverboat.holdem.abstraction.card_abstraction import CardAbstraction
from riverboat.holdem.abstraction.deals import Percentile
from riverboat.holdem.rules.state import Holdem


@pytest.fixture(scope="module")
def flop() -> CardAbstraction:
    return build_features("features-flop", streets=["flop"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # F: three of a suit on the board, and four.
        (("AhQd", "Qs 7d 2c"), ("AhQd", "Qs 7s 2s")),
        (("AhQd", "Qs 7s 2s 3d"), ("AhQd", "Qs 7s 2s 3s")),
        # H_S: the top card of the straight is the player's, or the board's.
        (("9h 2c", "5s 6d 7h 8c"), ("4h 2c", "5s 6d 7h 8c")),
        (("9h 8c", "5s 6d 7h"), ("4h 3c", "5s 6d 7h")),
        # P and ToK: pairs and three of a kind on the board.
        (("AhKd", "Qs 7d 2c"), ("AhKd", "Qs 7d 7c")),
        (("AhKd", "Qs 7d 7c 2h"), ("AhKd", "Qs Qd 7c 7h")),
        (("AhKd", "7s 7d 2c"), ("AhKd", "7s 7d 7c")),
        # A set is not trips, a pocket pair not one of the board's.
        (("7h 7c", "7s Kd 2c"), ("7h Ac", "7s 7d 2c")),
        (("QhQd", "Js 7d 2c"), ("QhAd", "Qs 7d 2c")),
        # What the hand may still become.
        (("AsKs", "Qs 7s 2d"), ("AsKd", "Qs 7s 2d")),
        (("AsKs", "Qs 7s 2d"), ("9s8s", "Qs 7s 2d")),
        (("JhTd", "9s 8c 2d"), ("JhTd", "9s 7c 2d")),
        (("JhTd", "9s 7c 2d"), ("JhTd", "9s 3c 2d")),
        (("AsKs", "Qs 7d 2d"), ("AsKh", "Qs 7d 2d")),
        # Ranks of what is made, kickers, overcards.
        (("AhQd", "Qs 7d 2c"), ("QhTd", "Qs 7d 2c")),
        (("KhQd", "Qs 7d 2c"), ("KhQd", "As Qh 2c")),
        (("AhKh", "Ks 9s 4s 3s 2d"), ("AsKh", "Kd 9s 4s 3s 2d")),
    ],
)
def test_tells_apart(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert feature_code(*one) != feature_code(*other)
    assert feature_name(feature_code(*one)) != feature_name(feature_code(*other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Suits that do not matter, kickers of a class, blanks of the same kind.
        (("AhQd", "Qs 7d 2c"), ("AcQh", "Qd 7h 2s")),
        (("Qh4d", "Qs 8d 2c"), ("Qh3d", "Qs 8d 2c")),
        (("AhAd", "Ks 8d 2c"), ("AhAd", "Ks 8d 3c")),
        # On the river draws and two of a suit are over.
        (("AsKs", "Qs 7s 2d 2h 8c"), ("AsKd", "Qs 7s 2d 2h 8c")),
        (("AsKh", "Qs 7s 2d 2h 8c"), ("AsKh", "Qs 7d 2d 2h 8c")),
    ],
)
def test_takes_together(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert feature_code(*one) == feature_code(*other)


@given(
    st.permutations(range(52)),
    st.permutations(range(4)),
    st.permutations(range(2)),
    st.sampled_from([3, 4, 5]),
    st.data(),
)
def test_suits_and_the_order_of_cards_do_not_matter(
    deck: list[int], suits: list[int], swap: list[int], size: int, data: st.DataObject
) -> None:
    hand, board = deck[:2], deck[2 : 2 + size]
    renamed = [card // 4 * 4 + suits[card % 4] for card in [*hand, *board]]
    other = [renamed[place] for place in swap]
    order = data.draw(st.permutations(renamed[2:]))
    assert feature_code(hand, board) == feature_code(other, order)
    percentile = Percentile(Holdem())
    found = np.empty((2, 1, size - 1), np.uint32)
    deals = np.array([[*hand, *board], [*other, *renamed[2:]]], np.uint8)
    percentile.assign(deals, 1, found)
    assert (found[0] == found[1]).all()


def _makes_straight(cards: list[int]) -> bool:
    ranks = {card >> 2 for card in cards}
    windows = [{12, 0, 1, 2, 3}, *({*range(low, low + 5)} for low in range(9))]
    return any(window <= ranks for window in windows)


def test_fields_follow_from_the_cards() -> None:
    rng = np.random.default_rng(11)
    for number in range(3000):
        size = 3 + number % 3
        cards = rng.permutation(52)[: 2 + size].tolist()
        hand, board = cards[:2], cards[2:]
        found = feature_fields(feature_code(hand, board))
        made = category(strength(cards))
        assert found[fields.CATEGORY] == made
        ranks = Counter(card >> 2 for card in board)
        suits = Counter(card & 3 for card in board)
        suited = max(suits.values())
        assert found[fields.F] == (0 if size == 5 and suited < 3 else suited)
        assert found[fields.P] == sum(count == 2 for count in ranks.values())
        assert found[fields.TOK] == sum(count >= 3 for count in ranks.values())
        flush_draw, straight_draw = found[fields.FLUSH_DRAW], found[fields.STRAIGHT_DRAW]
        if size == 5 or made >= fields.FLUSH:
            assert flush_draw == 0
            continue
        counts = Counter(card & 3 for card in cards)
        drawing = any(counts[card & 3] == 4 for card in hand)
        assert (flush_draw >= fields.ONE_SHORT) == drawing
        if made < fields.STRAIGHT:
            outs = [
                rank
                for rank in range(13)
                if _makes_straight([*cards, 4 * rank])
                and not _makes_straight([*board, 4 * rank])
                and rank not in {card >> 2 for card in cards}
            ]
            assert straight_draw == min(2, len(outs))
        else:
            top = found[fields.MAIN]
            assert found[fields.SHAPE] % 2 == (top not in ranks)


def test_nut_draws() -> None:
    draw = [
        feature_fields(feature_code(*hand))[fields.FLUSH_DRAW]
        for hand in (
            ("AsKs", "Qs 7s 2d"),
            ("KsJs", "As 7s 2d"),
            ("QsJs", "As 7s 2d"),
            ("AsKd", "Qs 7s 2s"),
            ("AsKs", "Qs 7d 2d"),
            ("AsKh", "Qs 7d 2d"),
        )
    ]
    assert draw == [3, 3, 2, 3, 1, 0]


def test_flop_buckets(flop: CardAbstraction) -> None:
    num = flop.num_buckets[1]
    assert 8_000 <= num <= 15_000
    codes = flop.details["flop_codes"]
    assert len(codes) == num == flop.tables.flop.max() + 1
    assert flop.num_buckets == (169, num, num, num)
    assert len({feature_name(code) for code in codes}) == num
    rng = np.random.default_rng(3)
    for _ in range(300):
        cards = rng.permutation(52)[:5].tolist()
        assert codes[flop.bucket(cards[:2], cards[2:])] == feature_code(cards[:2], cards[2:])


def test_name_in_words() -> None:
    name = feature_name(feature_code("9h 2c", "5s 6d 7h 8c"))
    assert name.startswith("straight, nine high, one of it own, holding the top card (H_S)")
    name = feature_name(feature_code("AsKd", "Ks 9s 4s 4d"))
    assert name == (
        "two pair, kings and 2–7, one and two of them on the board, kicker A,"
        " none higher on the board, F: three of a suit on the board, P: a pair on the board,"
        " nut flush draw"
    )


def test_needs_a_board() -> None:
    with pytest.raises(ParameterError):
        feature_code("AsKd", "")


@pytest.mark.slow
def test_all_streets() -> None:
    whole = build_features(threads=2)
    assert 10_000 <= whole.num_buckets[2] <= 100_000
    rng = np.random.default_rng(4)
    for street, size in ((2, 4), (3, 5)):
        codes = whole.details[("", "", "turn_codes", "river_codes")[street]]
        assert len({feature_name(code) for code in codes}) == whole.num_buckets[street]
        for _ in range(2000):
            cards = rng.permutation(52)[: 2 + size].tolist()
            bucket = whole.bucket(cards[:2], cards[2:])
            assert codes[bucket] == feature_code(cards[:2], cards[2:])
