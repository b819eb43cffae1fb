"""The abstract betting against the readable rules, and the payoff kernel against the showdown."""

import numpy as np
import pytest

from riverboat.errors import ParameterError, TooLargeError
from riverboat.games.base import TERMINAL
from riverboat.holdem.abstraction.deals import Deals, Lossless, Percentile
from riverboat.holdem.blueprints._mccfr_kernels import settle
from riverboat.holdem.blueprints.betting_tree import (
    ACTOR,
    END,
    LEAF,
    NODE_WIDTH,
    BetSizes,
    BettingTree,
    build_betting_tree,
)
from riverboat.holdem.rules.state import Holdem

GAMES = [
    (Holdem(stacks=(20,), odd_chips="split"), "0.5p,a", "full", 10),
    (Holdem(players=3, stacks=(30, 8, 17), odd_chips="split"), "1p,a", "full", 10),
    (
        Holdem(players=3, stacks=(9, 20, 20), ante=1, ante_from="big-blind", odd_chips="split"),
        "1p",
        "letters",
        10,
    ),
    (Holdem(players=6, stacks=(12, 20, 30, 7, 20, 20), odd_chips="split"), "a", "letters", 2),
]


@pytest.mark.parametrize(("game", "sizes", "history", "field"), GAMES)
def test_every_path_is_legal_and_pays_what_the_rules_pay(
    game: Holdem, sizes: str, history: str, field: int
) -> None:
    bets = BetSizes.parse({"preflop": sizes}, 4, cap=2)
    tree = build_betting_tree(game, bets, history=history, field=field)
    deals = Deals(game, Percentile(game), 3, 0, 300)
    _, ranks = deals.next(300)
    rng = np.random.default_rng(5)
    players = game.players
    for i, cards in enumerate(deals.cards.tolist()):
        state = game.with_hands([cards[2 * p : 2 * p + 2] for p in range(players)])
        board, node = cards[2 * players :], 0
        while True:
            while state.pending:
                state, board = state.deal(board[: state.pending]), board[state.pending :]
            actor = int(tree.nodes[NODE_WIDTH * node + ACTOR])
            if state.actor == TERMINAL:
                break
            assert actor == state.actor
            action = int(rng.integers(len(tree.actions(node))))
            amount = int(tree.actions(node)[action])
            text = {-1: "f", 0: "c"}.get(amount, f"r{amount}")
            assert text in state.actions()
            state, node = state.after(text), tree.child(node, action)
        assert actor == END
        leaf = np.uint64(tree.nodes[NODE_WIDTH * node + LEAF])
        for p in range(players):
            if state.betting.in_hand[p]:
                paid = settle(tree.leaves, tree.dead, leaf, ranks, np.uint64(i), np.uint64(p))
                assert paid == pytest.approx(state.returns()[p])


def test_sizes_of_a_tree_counted_by_hand() -> None:
    """One bet a street heads-up: with a check or call first, a street is cc, cbf, cbc, bf, bc (the
    first street: cc, crf, crc, f, rf, rc), three of which go on."""
    game = Holdem(stacks=(2000,))
    tree = build_betting_tree(game, BetSizes.parse({"preflop": "1p"}, 4, cap=1))
    decisions = [4 * 3**street for street in range(4)]
    assert len(tree.infosets) == sum(decisions)
    leaves = 3 + 3 * 2 + 9 * 2 + 27 * (2 + 3)
    assert len(tree.leaves) == leaves
    # Two numbers of four bytes for each action of each bucket.
    actions = len(tree.children)
    assert tree.num_bytes((1, 1, 1, 1)) == 8 * actions


def test_letters_remember_less() -> None:
    game, bets = Holdem(stacks=(40,)), BetSizes.parse({"preflop": "0.5p,1p"}, 4, cap=2)
    full = build_betting_tree(game, bets)
    letters = build_betting_tree(game, bets, history="letters")
    assert len(letters.infosets) < len(full.infosets) / 3
    assert letters.num_nodes < full.num_nodes


def test_a_betting_too_large_is_refused_with_the_figure() -> None:
    game = Holdem(players=6)
    with pytest.raises(TooLargeError, match=r"more than 5,000 points.*GB"):
        build_betting_tree(game, BetSizes.parse({"preflop": "1p,a"}, 4), max_nodes=5000)
    with pytest.raises(ParameterError, match="history is full or letters"):
        build_betting_tree(game, BetSizes.parse({"preflop": "a"}, 4), history="none")


def test_lossless_buckets_are_one_to_one() -> None:
    game = Holdem(ranks=3, suits=2, hole_cards=1, board_cards=(0, 1), ante=1)
    lossless = Lossless(game)
    deals = Deals(game, lossless, 1, 0, 4000)
    buckets, _ = deals.next(4000)
    for street, cards in ((0, 1), (1, 2)):
        seen: dict[int, set[tuple[int, ...]]] = {}
        for line, bucket in zip(deals.cards.tolist(), buckets[:, 0, street].tolist(), strict=True):
            known = (line[0], line[2])[:cards]
            seen.setdefault(bucket, set()).add(tuple(known))
        assert all(len(sets) == 1 for sets in seen.values())
        assert len(seen) == (6, 30)[street]


def test_percentiles_follow_strength_and_draws() -> None:
    game = Holdem()
    scheme = Percentile(game, {"flop": 10, "turn": 10, "river": 20})
    assert scheme.num_buckets == (169, 40, 40, 20)

    def buckets(hand: str, board: str) -> list[int]:
        from riverboat.cards.card import parse_cards

        cards = np.array([parse_cards(hand + board)], np.uint8)
        streets = {0: 1, 3: 2, 4: 3, 5: 4}[len(parse_cards(board))]
        out = np.empty((1, 1, streets), np.uint32)
        scheme.assign(cards, 1, out)
        return [int(bucket) for bucket in out[0, 0]]

    # The nuts lie in the last tenth, trey-deuce without a pair in the first.
    assert buckets("AsAd", "Ah 8c 3d 2s Jc") == [0, 9, 9, 19]
    assert buckets("3s2d", "Ah Kc Qd")[1] % 10 == 0
    # Four of a suit is the fourth kind of draw, an open straight the third, a gutshot the second.
    assert buckets("As4s", "Ks 9s 2d")[1] // 10 == 3
    assert buckets("9h8c", "7s 6d 2c")[1] // 10 == 2
    assert buckets("9h8c", "7s 5d 2c")[1] // 10 == 1
    assert buckets("AhKc", "7s 5d 2c")[1] // 10 == 0


def test_a_field_by_raises_and_lines_kept_apart_before_the_flop() -> None:
    game = Holdem(players=4, stacks=(200,))
    bets = BetSizes.parse({"preflop": ["2.5x", "1p", "a"], "flop": "1p"}, 4, cap=[3, 1, 1, 1])
    tree = build_betting_tree(game, bets, history="preflop", field=(1, 3, 2))
    row = {int(infoset[0]) for infoset in tree.infosets if infoset[0] % 4 == 0}
    assert row == {0, 4, 8, 12}
    before = [node for node in range(tree.num_nodes) if _street(tree, node) == 0]
    places = {tuple(tree.nodes[NODE_WIDTH * n + 3 : NODE_WIDTH * n + 5].tolist()) for n in before}
    assert len(places) == len(before)  # every line has numbers of its own
    assert tree.actions(0).tolist() == [-1, 5]  # no call of the big blind
    raised = tree.child(0, 1)
    assert tree.actions(raised).tolist()[:2] == [-1, 0]
    letters = build_betting_tree(game, bets, history="letters", field=(1, 3, 2))
    assert len(letters.infosets) < len(tree.infosets)
    with pytest.raises(ParameterError, match="At least 2 players"):
        build_betting_tree(game, bets, field=(3, 1))


def _street(tree: BettingTree, node: int) -> int:
    actor, row = (int(tree.nodes[NODE_WIDTH * node + place]) for place in (ACTOR, 3))
    return -1 if actor == END else row % tree.game.num_streets
