"""Groups of hands against rules to be read, and filters against the words they are made of."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

import plain_hand_groups as plain
from riverboat.cards.card import RANKS, parse_cards
from riverboat.cards.hand_filter import find_hands, range_text
from riverboat.cards.hand_groups import KINDS, HandGroups, hand_groups
from riverboat.cards.hands import hand_cards, hand_number, hand_text, parse_hand
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, UnknownNameError

BOARDS = (
    "Ts9s2d", "AhAc7d", "8s7s6s", "KdKhKc", "5c4d2h", "JhTh9h", "Ad5s4h",
    "Qs8s3d2c", "9c8c7d6d", "AcKcQcJc", "7h7d4s4c", "Td9d8s2s", "AsKd4h2c",
    "Ts9s2d4d6d", "AsKsQsJsTs", "9h8d7c6s5h", "KhKd7s7cKs", "QcQdQhQs2d", "8d7d5d3d2c",
    "AhKh9h4c4d",
)  # fmt: skip
"""Flops, turns and rivers with each texture: dry, paired, suited, connected, the board's own."""


def checked(groups: HandGroups, rows: np.ndarray) -> None:
    board = groups.board
    best_straight = plain.best_straight(board, groups.cards.shape[1] > 2)
    for row in rows.tolist():
        hand = tuple(groups.cards[row].tolist())
        told, name = groups.of(row), hand_text(hand)
        made = plain.made(hand, board)
        if made == "flush" and plain.has_nut_flush(hand, board):
            made = "nut flush"
        if made == "straight" and plain.straight(hand, board) == best_straight:
            made = "nut straight"
        assert told.made == made, name
        assert told.blocker == plain.blocker(hand, board), name
        if len(board) == 5:
            assert (told.draw, told.outs) == ("no draw", 0), name
            continue
        straights, flushes = plain.outs(hand, board)
        counted = len(straights), len(flushes), len({*straights, *flushes})
        assert (groups.straight_outs[row], groups.flush_outs[row], told.outs) == counted, name
        draw = "flush draw" if told.draw == "nut flush draw" else told.draw
        assert draw == plain.draw(hand, board), name
        suit = [card % 4 for card in flushes[:1]]
        tops = [max(c for c in range(s, 52, 4) if c not in board) for s in suit]
        nuts = bool(groups.tagged("nut flush draw")[row])
        if len({card % 4 for card in flushes}) < 2:
            assert nuts == bool(tops and tops[0] in hand), name


@pytest.mark.parametrize("board", BOARDS)
def test_holdem_hands_are_named_as_by_the_rules(board: str) -> None:
    groups = hand_groups(board, hand_cards(2))
    rows = np.flatnonzero(groups.live)
    checked(groups, rows[hash_free(board) :: 3 if len(groups.board) == 5 else 13])


@pytest.mark.parametrize("hole_cards", [3, 4, 5])
@pytest.mark.parametrize("board", BOARDS)
def test_omaha_hands_are_named_as_by_the_rules(board: str, hole_cards: int) -> None:
    rng = np.random.default_rng(hash_free(board) + hole_cards)
    rows = np.argsort(rng.random((60, 52)), axis=1)[:, :hole_cards].astype(np.uint8)
    groups = hand_groups(board, rows)
    checked(groups, np.flatnonzero(groups.live)[: 12 // (hole_cards - 2)])


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_every_hand_is_named_as_by_the_rules(board: str) -> None:
    groups = hand_groups(board, hand_cards(2))
    checked(groups, np.flatnonzero(groups.live))
    rng = np.random.default_rng(hash_free(board))
    rows = np.argsort(rng.random((3000, 52)), axis=1)[:, :4].astype(np.uint8)
    omaha = hand_groups(board, rows)
    checked(omaha, np.flatnonzero(omaha.live))


def hash_free(board: str) -> int:
    """A small number of a board, the same in every process."""
    return sum(parse_cards(board)) % 5


@pytest.mark.parametrize(
    ("board", "hand", "made", "draw", "suits"),
    [
        ("Ts9s2d", "AsJs", "ace high", "nut flush draw", "suited"),
        ("Ts9s2d", "QsJs", "nothing", "combo draw", "suited"),
        ("Ts9s2d", "QdJc", "nothing", "open-ended", "offsuit"),
        ("Ts9s2d", "KdQc", "king high", "gutshot", "offsuit"),
        ("Ts9s2d", "TcTd", "set", "no draw", "pocket pair"),
        ("Ts9s2d", "JhJc", "overpair", "no draw", "pocket pair"),
        ("Ts9s2d", "AhKd", "ace high", "overcards", "offsuit"),
        ("Ts9s2d", "Tc9c", "top two pair", "no draw", "suited"),
        ("Ts9s2d", "Ad4d", "ace high", "backdoor flush draw", "suited"),
        ("KhKd7s", "AcKc", "trips", "no draw", "suited"),
        ("KhKd7s", "Ac7c", "second pair", "no draw", "suited"),
        # Hand and words as in books on Omaha: a wrap of 20 outs, one of 13, the nut straight.
        ("9c8d2h", "JsTh7d6c", "nothing", "big wrap", "rainbow"),
        ("Ts9s2d", "AsKsQhJh", "ace high", "combo draw", "double-suited"),
        ("Tc9d8h", "QsJhAdAc", "nut straight", "no draw", "rainbow"),
        ("KsQsJs", "AsAhTd9d", "nut straight", "no draw", "single-suited"),
    ],
)
def test_hands_that_every_player_can_name(
    board: str, hand: str, made: str, draw: str, suits: str
) -> None:
    cards = parse_hand(hand, len(hand) // 2)
    told = hand_groups(board, [cards]).of(0)
    assert (told.made, told.draw, told.suits) == (made, draw, suits)


def test_the_largest_wrap_has_twenty_outs() -> None:
    """JT76 on 98: four queens, three each of J, T, 7 and 6, four fives."""
    groups = hand_groups("9c8d2h", [parse_hand("JsTh7d6c")])
    assert groups.of(0).outs == groups.straight_outs[0] == 20


def test_every_hand_is_in_one_group_of_each_kind() -> None:
    groups = hand_groups("Ts9s2d", hand_cards(2))
    assert groups.live.sum() == 49 * 48 // 2
    for kind, names in KINDS.items():
        counts = sum(
            groups.tagged(name) & (groups.codes[kind] == i) for i, name in enumerate(names)
        )
        assert np.array_equal(counts, groups.live)
    with pytest.raises(ParameterError, match="a card of the board"):
        groups.of(hand_number(parse_hand("Ts2c", 2)))


def test_suits_renamed_change_nothing_but_names() -> None:
    cards = hand_cards(2)
    groups = hand_groups("Ts9s2d5h", cards)
    renamed = np.array([2, 0, 3, 1], np.uint8)

    def moved(old: np.ndarray) -> np.ndarray:
        return old // 4 * 4 + renamed[old % 4]

    board = moved(np.array(groups.board, np.uint8)).tolist()
    other = hand_groups(board, np.sort(moved(cards), axis=1))
    for kind in KINDS:
        assert np.array_equal(groups.codes[kind], other.codes[kind])
    assert np.array_equal(groups.outs, other.outs)


def texts(board: str, words: str) -> set[str]:
    groups = hand_groups(board, hand_cards(2))
    return {hand_text(groups.cards[row]) for row in np.flatnonzero(find_hands(words, groups))}


def test_filters_are_combined() -> None:
    board = "Ts9s2d"
    every = texts(board, "flush draws")
    assert len(every) == 11 * 10 // 2
    aces = {hand for hand in every if "A" in hand}
    assert len(aces) == 10
    assert texts(board, "flush draws without the ace") == every - aces
    assert texts(board, "Flush Draw & !A") == every - aces
    assert texts(board, "nut flush draw") == aces
    assert texts(board, "flush draw As") == aces
    assert texts(board, "AKs,QQ and spades") == {"AsKs", "QsQh", "QsQd", "QsQc"}
    assert texts(board, "AKs and not (hearts or clubs or diamonds)") == {"AsKs"}
    assert texts(board, "top two pair") == {f"T{a}9{b}" for a in "cdh" for b in "cdh"}
    assert texts(board, "two pairs") > texts(board, "top two pair or bottom two pair")
    assert texts(board, "15+ outs") == {"QsJs", "Js8s", "8s7s"}
    sets = {"TdTc", "ThTc", "ThTd", "9d9c", "9h9c", "9h9d", "2h2c", "2s2c", "2s2h"}
    assert texts(board, "sets") == sets
    assert texts(board, "not no pair and not one pair") == texts(board, "two pair or set")
    assert not texts(board, "set and flush draw")


def test_ranges_of_four_cards_are_found() -> None:
    every = [list(hand) for hand in hand_cards(4)[:: 1 + 270_725 // 20_000].tolist()]
    groups = hand_groups("Ts9s2d", every)

    def ranks(hand: list[int]) -> str:
        return "".join(sorted(RANKS[card // 4] for card in hand))

    def double_suited(hand: list[int]) -> bool:
        return sorted(Counter(card % 4 for card in hand).values()) == [2, 2]

    def two_spades(hand: list[int]) -> bool:
        return sum(card % 4 == 3 for card in hand) >= 2

    rules: dict[str, Callable[[list[int]], bool]] = {
        "AA": lambda hand: "AA" in ranks(hand),
        "AA$ds": lambda hand: "AA" in ranks(hand) and double_suited(hand),
        "AA,KK!Q": lambda hand: (
            ("AA" in ranks(hand) or "KK" in ranks(hand)) and "Q" not in ranks(hand)
        ),
        "flush draw and A$ds": lambda hand: (
            two_spades(hand) and "A" in ranks(hand) and double_suited(hand)
        ),
        "[Q-A][Q-A][Q-A][Q-A] or (7 $np)": lambda hand: (
            set(ranks(hand)) <= set("QKA") or ("7" in ranks(hand) and len(set(ranks(hand))) == 4)
        ),
        "As not AsKs": lambda hand: 51 in hand and 47 not in hand,
    }
    live = groups.live
    for words, fits in rules.items():
        wanted = np.array([fits(hand) for hand in every]) & live
        assert wanted.any()
        assert np.array_equal(find_hands(words, groups), wanted), words


@pytest.mark.parametrize("words", ["AA$xx", "monsters", "AAAAA", "[T-", "AsAs"])
def test_what_is_no_range_of_four_cards_is_refused(words: str) -> None:
    groups = hand_groups("Ts9s2d", [parse_hand("AsKsQhJh")])
    with pytest.raises(ParameterError, match=r"neither a group .* nor a range of 4 cards"):
        find_hands(words, groups)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "An empty filter"),
        ("(top pair", "not closed"),
        ("top pair)", "none opened"),
        ("top pair and", "lacks a term at its end"),
        ("or top pair", "lacks a term before"),
        ("tpo pair", "neither a group of hands"),
        ("not " * 60 + "set", "brackets and nots"),
        ("(" * 400 + "set", "brackets and nots"),
        ("s" * 2001, "2,000 characters"),
    ],
)
def test_a_filter_that_cannot_be_read_is_refused(words: str, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        texts("Ts9s2d", words)


def test_bad_boards_and_hands_are_refused() -> None:
    for board, hands, sentence in (
        ("Ts9s", hand_cards(2), "3 to 5 cards"),
        ("TsTs2d", hand_cards(2), "twice"),
        ("Ts9s2d", [[1]], "array"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            hand_groups(board, hands)
    with pytest.raises(UnknownNameError, match="group of hands"):
        hand_groups("Ts9s2d", hand_cards(2)).tagged("monster")


def test_hands_found_are_written_as_a_range() -> None:
    groups = hand_groups("Ts9s2d", hand_cards(2))
    found = find_hands("overpair", groups)
    assert range_text(groups, found.astype(float)) == "JJ+"
    assert Range.parse(range_text(groups, 0.5 * found)).num_combos == 12
    omaha = hand_groups("Ts9s2d", [parse_hand("AsKsQhJh"), parse_hand("AcAd7h6h")])
    assert range_text(omaha, np.array([0.25, 1.0])) == "AdAc7h6h,AsKsQhJh:0.25"
