"""Ends of a hand of three players against the enumeration of all triples of hands."""

import itertools

import numpy as np
import pytest

from exact_three_way import end_payoffs, legal, winnings
from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.combos import COMBO_CARDS
from riverboat.cards.ranges import Range
from riverboat.holdem.spots._contest_kernels import EndScratch, all_meetings, contest
from riverboat.holdem.spots._meetings import pair_meetings
from riverboat.holdem.spots._side_pots import side_pots
from riverboat.holdem.spots._three_way_passes import PartRunner, pair_sums
from riverboat.holdem.spots._three_way_plan import opponents
from riverboat.holdem.spots.bet_sizes import PlayerSizes, TreeOptions, parse_sizes
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.spot import Spot as ThreeWaySpot
from riverboat.holdem.spots.tree import NodeKind
from riverboat.holdem.spots.tree import build_tree as build_betting

BETS = PlayerSizes(parse_sizes("50%,a", "bets"), parse_sizes("a", "raises", raises=True))
ALL_IN = PlayerSizes(parse_sizes("a", "bets"), parse_sizes("a", "raises", raises=True))
BOARDS = ("Ks Th 7s 4d 2c", "As Ah Ad Ac Ks", "2c 3d 4h 5s 9c", "Qs Js Ts 9s 8s")
"""An ordinary one; one where all hands but kings tie; many ties; and a straight flush for all."""


def random_ranges(rng: np.random.Generator, board: str, hands: int) -> list[Range]:
    free = [c for c in range(1326) if not np.isin(COMBO_CARDS[c], parse_cards(board)).any()]
    found = []
    for _ in range(3):
        weights = np.zeros(1326)
        weights[rng.choice(free, hands, replace=False)] = rng.choice([1.0, 0.5, 0.25], hands)
        found.append(Range(weights))
    return found


def make(board: str, ranges: list[Range], **options: object) -> ThreeWaySpot:
    fields = {"pot": 60, "stacks": (100, 40, 70), "sizes": {"river": (BETS, BETS, BETS)}}
    fields |= options
    return ThreeWaySpot(tuple(parse_cards(board)), ranges=tuple(ranges), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("rake", [(0.0, 0.0), (0.05, 4.0)])
@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", range(2))
def test_an_end_equals_all_triples(board: str, seed: int, rake: tuple[float, float]) -> None:
    rng = np.random.default_rng(seed)
    spot = make(board, random_ranges(rng, board, 13), rake_rate=rake[0], rake_cap=rake[1])
    layout = open_layout(spot, isomorphism=False)
    passes, scratch = PartRunner(layout, 1), EndScratch(pair_sums(), pair_sums())
    ends = [n for n in layout.tree.nodes if n.kind in (NodeKind.FOLD, NodeKind.SHOWDOWN)]
    some = [ends[i] for i in rng.choice(len(ends), min(4, len(ends)), replace=False)]
    for node in some:
        taken = end_payoffs(spot, node.put, node.folded, list(spot.board))
        reach = [rng.random(layout.widths[seat]).astype(np.float32) for seat in range(3)]
        for seat in range(3):
            reach[seat][len(layout.combos[seat]) :] = 0
        for learner in range(3):
            if learner in node.folded:
                continue
            one, two = opponents(learner)
            plan = layout.plans[learner][0]
            pots = plan.pots[int(np.flatnonzero(plan.node == node.index)[0])]
            out = np.zeros(layout.widths[learner], np.float32)
            sides = (passes.sides[learner], passes.sides[one], passes.sides[two])
            contest(*sides, 0, reach[one], reach[two], pots, scratch, out)
            moved = np.moveaxis(taken[learner], (learner, one, two), (0, 1, 2))
            first, second = (reach[s][: len(layout.combos[s])].astype(float) for s in (one, two))
            exact = np.einsum("hij,i,j->h", moved, first, second)
            weight = first.sum() * second.sum()
            assert np.abs(out[: len(exact)] - exact).max() <= 1e-5 * spot.pot * weight


@pytest.mark.parametrize("seed", range(4))
def test_meetings_equal_all_triples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = BOARDS[0]
    spot = make(board, random_ranges(rng, board, 25))
    layout = open_layout(spot, isomorphism=False)
    passes, scratch = PartRunner(layout, 1), EndScratch(pair_sums(), pair_sums())
    table, weights = legal(spot, list(spot.board)), [spot.weights(seat) for seat in range(3)]
    for learner in range(3):
        one, two = opponents(learner)
        moved = np.moveaxis(table, (learner, one, two), (0, 1, 2))
        exact = np.einsum("hij,i,j->h", moved, weights[one], weights[two])
        sides = (passes.sides[learner], passes.sides[one], passes.sides[two])
        out = np.zeros(layout.widths[learner], np.float32)
        all_meetings(*sides, sides[1].weights, sides[2].weights, scratch, out)
        np.testing.assert_allclose(out[: len(exact)], exact, atol=1e-5 * exact.max())
        whole = np.zeros((2, 1326))
        for row, seat in zip(whole, (one, two), strict=True):
            row[layout.combos[seat]] = weights[seat]
        np.testing.assert_allclose(
            pair_meetings(whole[0], whole[1], layout.combos[learner]),
            np.asarray(exact),
            atol=1e-9 * float(exact.max()),
        )


def test_side_pots_are_counted_chip_by_chip() -> None:
    spot = make(BOARDS[0], random_ranges(np.random.default_rng(1), BOARDS[0], 5))
    pots, back = side_pots(spot, (100, 40, 70), ())
    assert [(pot.chips, pot.contenders) for pot in pots] == [(60 + 120, (0, 1, 2)), (60, (0, 2))]
    assert back == [30, 0, 0]
    # The middle stack is best: it wins the main pot, the better of the others the side pot.
    assert winnings(spot, (100, 40, 70), (), (1, 3, 2)) == [30, 180, 60]
    assert winnings(spot, (100, 40, 70), (1,), (1, 3, 2)) == [30, 0, 240]
    assert winnings(spot, (30, 30, 30), (0, 1), (3, 2, 1)) == [0, 0, 150]


@pytest.mark.parametrize("seed", range(8))
def test_the_chips_of_every_end_add_up(seed: int) -> None:
    """No chip is lost or made: pots and what comes back are the pot and all that was put in."""
    rng = np.random.default_rng(seed)
    stacks = tuple(int(each) for each in rng.integers(0, 60, 3))
    if sum(stack > 0 for stack in stacks) < 2:
        stacks = (20, 0, 35)
    board = " ".join(card_text(int(c)) for c in rng.choice(52, int(rng.integers(3, 6)), False))
    ranges = random_ranges(rng, board, 9)
    sizes = dict.fromkeys(("flop", "turn", "river"), (ALL_IN, BETS, ALL_IN))
    spot = make(board, ranges, stacks=stacks, sizes=sizes, tree=TreeOptions(raises=2))
    tree = build_betting(spot)
    for node in tree.nodes:
        assert all(put <= stack for put, stack in zip(node.put, stacks, strict=True))
        if node.kind in (NodeKind.FOLD, NodeKind.SHOWDOWN):
            pots, back = side_pots(spot, node.put, node.folded)
            assert sum(pot.chips for pot in pots) + sum(back) == spot.pot + sum(node.put)
            live = [seat for seat in range(3) if seat not in node.folded]
            assert pots[0].contenders == tuple(live)
            assert all(set(b.contenders) < set(a.contenders) for a, b in itertools.pairwise(pots))
            for first, second, third in itertools.permutations((1, 2, 3)):
                ranks = (first, second, third)
                won = winnings(spot, node.put, node.folded, ranks)
                mine = list(back)
                for pot in pots:
                    mine[max(pot.contenders, key=lambda seat: ranks[seat])] += pot.chips
                assert won == pytest.approx(mine)
        if node.kind == NodeKind.DECISION:
            assert node.player not in node.folded
            assert node.put[node.player] < stacks[node.player]
