"""Equity in Omaha and short deck: exact answers against enumeration in plain Python, and limits."""

import random
from itertools import combinations, product

import numpy as np
import pytest

import riverboat as rb
from riverboat.cards.card import cards_text, parse_cards
from riverboat.cards.game_equity import game_equity
from riverboat.cards.hands import hand_cards
from riverboat.cards.omaha_equity import _count_deals, _different_deals, _sweep, omaha_equity
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.cards.plain_omaha import omaha_strength_of
from riverboat.cards.short_deck import LOW_CARDS, short_deck_strength
from riverboat.errors import ParameterError, RiverboatError, UnknownNameError, UsageError

DECK = list(range(52))
SHORT = [card for card in DECK if card not in LOW_CARDS]


def plain_counts(hands, board, deck, strength):
    """How often each set of players is best, by the rules as they are written down."""
    counts = [0] * (1 << len(hands))
    gone = {*board, *(card for hand in hands for card in hand)}
    for more in combinations([card for card in deck if card not in gone], 5 - len(board)):
        values = [strength(hand, [*board, *more]) for hand in hands]
        counts[sum((value == max(values)) << i for i, value in enumerate(values))] += 1
    return counts


def short_deck(hand, board):
    return short_deck_strength([*hand, *board])


def counted(answer):
    """Wins by player and ties, as whole numbers."""
    return [*answer.wins, sum(answer.ties)]


@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.parametrize("players", [2, 3])
def test_given_hands_are_counted_as_the_rules_say(size, players):
    rng = random.Random(10 * size + players)
    for _ in range(2):
        cards = rng.sample(DECK, size * players + 4)
        hands = [cards[4 + size * p : 4 + size * (p + 1)] for p in range(players)]
        counts = plain_counts(hands, cards[:4], DECK, omaha_strength_of)
        answer = omaha_equity([cards_text(h) for h in hands], cards[:4], hole_cards=size)
        assert answer.method == "exact"
        assert answer.total == sum(counts)
        assert list(answer.wins) == [counts[1 << p] for p in range(players)]
        shares = [
            sum(counts[s] / s.bit_count() for s in range(1, len(counts)) if s >> p & 1)
            for p in range(players)
        ]
        assert answer.equity == pytest.approx([share / sum(counts) for share in shares], abs=1e-12)


def test_before_the_flop_every_one_of_a_million_boards_is_counted():
    answer = rb.equity("AsKsQhJh", "AdAc7d2c", game="omaha")
    assert (answer.method, answer.total) == ("exact", 1_086_008)
    swapped = rb.equity("AdAc7d2c", "AsKsQhJh", game="omaha")
    assert swapped.equity == answer.equity[::-1]
    # Clubs for diamonds and spades for hearts: the same deal by other names.
    renamed = rb.equity("AhKhQsJs", "AcAd7c2d", game="omaha")
    assert renamed.equity == answer.equity


def test_ranges_are_swept_to_what_all_their_deals_give():
    """Two ways that share no code beyond the strength of a hand."""
    for first, second, board in [
        ("AAK$ds:0.5,JT98$ds", "KKQ$ss,2233", "Ts9s2d4c"),
        ("AA72$ds", "AKJT$ds", "As7s2d"),
        ("KKQQ$ds,AsAh7h6h", "KKQQ,AsAh7h6h:0.25", "Kc8d2hQs9s"),
    ]:
        cards = parse_cards(board)
        ranges = [OmahaRange.parse(text).without(cards) for text in (first, second)]
        swept = _sweep(ranges, cards)
        deals, weights = _different_deals(ranges, cards)
        assert swept == pytest.approx(_count_deals(deals, weights, cards, 4), rel=1e-12)


@pytest.mark.slow
def test_ranges_with_five_cards_are_swept_alike():
    cards = parse_cards("Ts9s2d4c4h")
    ranges = [
        OmahaRange.parse(text, 5).without(cards) for text in ("AAKQJ$ds,76543", "AAKK[Q,T],JT987")
    ]
    deals, weights = _different_deals(ranges, cards)
    assert _sweep(ranges, cards) == pytest.approx(_count_deals(deals, weights, cards, 5), rel=1e-12)


def test_a_range_is_the_weighted_sum_of_its_deals():
    board = parse_cards("Ts9s2dKh")
    first = OmahaRange.parse("AAJ7$ds:0.3,AsKs8s7s")
    second = OmahaRange.parse("KsQs:9d8d,9988$ds:0.5")
    won = total = 0.0
    for mine, theirs in product(first.hands, second.hands):
        hands = [hand_cards(4)[number].tolist() for number in (mine, theirs)]
        if len({*board, *hands[0], *hands[1]}) == 12:
            counts = plain_counts(hands, board, DECK, omaha_strength_of)
            weight = first.weights[mine] * second.weights[theirs]
            won += weight * (counts[1] + counts[3] / 2)
            total += weight * sum(counts)
    answer = omaha_equity([first, second], board)
    assert answer.total == pytest.approx(total)
    assert answer.equity[0] == pytest.approx(won / total, abs=1e-12)


def test_equal_ranges_have_half_each():
    for board in ("Ts9s2d4c", "Ts9s2d4c4h"):
        answer = rb.equity("20%", "20%", board=board, game="omaha")
        assert answer.method == "exact"
        assert answer.equity == pytest.approx((0.5, 0.5), abs=1e-12)


@pytest.mark.parametrize("players", [("AA$ds", "KKQ"), ("AAKK", "20%", "JT98$ds")])
def test_samples_agree_with_the_exact_answer(players):
    board = "Ts9s2d4c"
    exact = game_equity("omaha", [player + ":$np" for player in ("A", "K")], board)
    sampled = game_equity("omaha", ["A:$np", "K:$np"], board, method="monte-carlo", samples=200_000)
    for share, truth, error in zip(sampled.equity, exact.equity, sampled.stderr, strict=True):
        assert abs(share - truth) < 4 * error
    first = game_equity("omaha", players, samples=60_000, seed=7, method="monte-carlo")
    again = game_equity("omaha", players, samples=60_000, seed=7, method="monte-carlo")
    other = game_equity("omaha", players, samples=60_000, seed=8, method="monte-carlo")
    assert first == again
    assert first.equity != other.equity
    assert sum(first.equity) == pytest.approx(1)


def test_short_deck_is_counted_as_its_rules_say():
    rng = random.Random(6)
    for players in (2, 3, 2):
        cards = rng.sample(SHORT, 2 * players + 3)
        hands = [cards[3 + 2 * p : 5 + 2 * p] for p in range(players)]
        counts = plain_counts(hands, cards[:3], SHORT, short_deck)
        answer = game_equity("shortdeck", [cards_text(hand) for hand in hands], cards[:3])
        assert answer.total == sum(counts)
        assert list(answer.wins) == [counts[1 << p] for p in range(players)]


def test_short_deck_ranges_are_the_sum_of_their_deals():
    board = parse_cards("Ts9s8dKh")
    first, second = rb.Range.parse("QQ+,JTs:0.5"), rb.Range.parse("22+,A6s")
    won = total = 0.0
    deals = product(first.combos.tolist(), second.combos.tolist())
    for mine, theirs in deals:
        hands = [rb_cards(combo) for combo in (mine, theirs)]
        if len({*board, *hands[0], *hands[1]}) == 8 and not {*hands[0], *hands[1]} & {*LOW_CARDS}:
            counts = plain_counts(hands, board, SHORT, short_deck)
            weight = first.weights[mine] * second.weights[theirs]
            won += weight * (counts[1] + counts[3] / 2)
            total += weight * sum(counts)
    answer = game_equity("shortdeck", [first, second], board)
    assert answer.method == "exact"
    assert answer.total == pytest.approx(total)
    assert answer.equity[0] == pytest.approx(won / total, abs=1e-12)


def rb_cards(combo):
    return hand_cards(2)[combo].tolist()


def test_short_deck_before_the_flop_counts_every_board():
    answer = rb.equity("AsKs", "6d6c", game="shortdeck")
    assert (answer.method, answer.total) == ("exact", 201_376)
    sampled = rb.equity(
        "AsKs", "6d6c", game="shortdeck", method="monte-carlo", samples=100_000, seed=3
    )
    assert abs(sampled.equity[0] - answer.equity[0]) < 4 * sampled.stderr[0]


@pytest.mark.parametrize(
    ("game", "players", "board", "word"),
    [
        ("omaha", ["AsKsQhJhTh", "AdAc7d2c"], "", "has 5 cards; a hand here has 4"),
        ("omaha", ["AsKsQhJh", "AsAc7d2c"], "", "Two players hold the card As"),
        ("omaha", ["AsKsQhQh", "AdAc7d2c"], "", "twice|Qh"),
        ("omaha", ["AsKsQhJh", "AdAc7d2c"], "As2h3d", "shares a card with the board"),
        ("omaha", ["AsAh", "KK"], "As2h3d", "has no hand left on the board"),
        ("omaha", ["AsKsQhJh", "AdAc7d2c"], "2s2h", "3, 4 or 5 cards, not 2"),
        ("omaha", ["AAKK!AAKK", "KK"], "", "holds no hand"),
        ("omaha", ["AsKsQhJh"], "", "2 to 9 players"),
        ("omaha", ["random"] * 10, "", "2 to 9 players"),
        ("omaha", ["AsAhKsKh", "AsAh"], "", "overlap"),
        ("omaha5", ["AsKsQhJh", "AdAc7d2c3c"], "", ""),
        ("shortdeck", ["AsKs", "2d2c"], "", "2c is not in a deck of 36 cards"),
        ("shortdeck", ["AsKs", "6d6c"], "2h9d9h", "2h is not in a deck of 36 cards"),
        ("shortdeck", ["55", "QQ"], "", "no hand in a deck of 36 cards"),
        ("shortdeck", ["AsKs", "AsQs"], "", "Two players hold"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(game, players, board, word):
    if not word:  # four cards are a range of hands of five
        assert game_equity(game, players, board, samples=2_000).method == "monte-carlo"
        return
    with pytest.raises(ParameterError, match=word):
        game_equity(game, players, board)


def test_a_game_and_a_method_that_there_are_not_are_refused():
    with pytest.raises(UnknownNameError, match="omaha"):
        game_equity("omha", ["AsKsQhJh", "AdAc7d2c"])
    with pytest.raises(UsageError, match="method"):
        game_equity("omaha", ["AsKsQhJh", "AdAc7d2c"], method="guess")
    with pytest.raises(UsageError, match="samples"):
        game_equity("omaha", ["AA", "KK"], samples=0)
    with pytest.raises(RiverboatError, match="monte-carlo"):
        game_equity("omaha", ["random", "random"], method="exact")


def test_renaming_suits_leaves_every_share_as_it_is():
    rng = np.random.default_rng(3)
    for _ in range(5):
        cards = rng.permutation(52)[:12]
        suits = rng.permutation(4)
        hands, board = [cards[:4], cards[4:8]], cards[8:]
        renamed = (cards & ~3) | suits[cards & 3]
        answer = omaha_equity([cards_text(hand) for hand in hands], board.tolist())
        other = omaha_equity(
            [cards_text(hand) for hand in (renamed[:4], renamed[4:8])], renamed[8:].tolist()
        )
        assert other.wins == answer.wins
