"""Three all-in hands by class: counts against an enumeration of every board."""

from itertools import chain, combinations

import numpy as np
import pytest

from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS
from riverboat.cards.equity import different_deals
from riverboat.cards.ranges import Range
from riverboat.cards.strength import strengths
from riverboat.holdem.preflop.pushfold.exact_play import ExactPlay
from riverboat.holdem.preflop.pushfold.push_fold import PushFold
from riverboat.holdem.preflop.pushfold.sampled_play import SampledPlay
from riverboat.holdem.preflop.pushfold.three_way import (
    NUM_TRIPLES,
    ORDERS,
    ThreeWayCounter,
    permuted_orders,
    triple_row,
)
from riverboat.holdem.preflop.pushfold.three_way_kernels import (
    add_changes,
    add_rank_counts,
    count_flush_changes,
)


@pytest.fixture(scope="module")
def counter():
    return ThreeWayCounter()


def counted(counter, classes):
    """One row of the table: the views and ranks of its classes alone are visited."""
    out = np.zeros((NUM_TRIPLES, 13), np.int64)
    width = len(counter.lanes.marked)
    views = sorted(
        {
            int(v)
            for v, c in zip(counter.states.views, counter.states.classes, strict=True)
            if c in classes
        }
    )
    for a in views:
        for b in (view for view in views if view >= a):
            counts = np.zeros((1, 30 * width), np.int32)
            sums = np.zeros(30 * width, np.int16)
            parts = (counter.boards, counter.lanes, counter.plain, counter.flush)
            count_flush_changes(a, b, *parts, sums, counts)
            add_changes(a, b, counts[0], counter.starts, counter.states, permuted_orders(), out)
    pairs = {
        int(v)
        for v, c in zip(counter.by_ranks.views, counter.by_ranks.classes, strict=True)
        if c in classes
    }
    few = np.array(sorted(pairs))
    # The kernel takes a run of pairs of ranks: give it those of the classes alone.
    starts = counter.rank_starts
    by_ranks = counter.by_ranks
    keep = np.concatenate([np.arange(starts[p], starts[p + 1]) for p in few])
    lengths = [starts[p + 1] - starts[p] for p in few]
    chosen = type(by_ranks)(*(column[keep] for column in by_ranks))
    own = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    for a in range(len(few)):
        add_rank_counts(
            a, counter.pairs[few], counter.boards, counter.rank_strengths[:, few].copy(), own,
            chosen, permuted_orders(), out,
        )  # fmt: skip
    return out[triple_row(*classes)]


def enumerated(classes):
    """Every deal that no renaming of suits makes equal, on every board."""
    ranges = [Range.parse(CLASS_NAMES[number]) for number in classes]
    deals, weights = different_deals(ranges, [])
    found = np.zeros(13, np.int64)
    places = np.fromiter(chain.from_iterable(combinations(range(46), 5)), np.uint8)
    for deal, weight in zip(deals, weights, strict=True):
        hands = COMBO_CARDS[deal]
        rest = np.array([card for card in range(52) if card not in hands], np.uint8)
        boards = rest[places.reshape(-1, 5)]
        power = [
            strengths(np.hstack([boards, np.broadcast_to(hand, (len(boards), 2))]))
            for hand in hands
        ]
        for column, order in enumerate(ORDERS):
            fits = np.ones(len(boards), bool)
            for i, j in ((0, 1), (0, 2), (1, 2)):
                lead = np.sign(power[i].astype(int) - power[j].astype(int))
                fits &= lead == np.sign(order[j] - order[i])
            found[column] += int(weight) * int(fits.sum())
    return found


@pytest.mark.parametrize(
    "names", [("AKs", "QJs", "T9s"), ("AKs", "AQs", "KQs"), ("33", "33", "A2s")]
)
def test_counts_equal_an_enumeration_of_all_boards(counter, names):
    classes = sorted(CLASS_NAMES.index(name) for name in names)
    assert counted(counter, classes).tolist() == enumerated(classes).tolist()


def test_orders_change_places_with_the_hands():
    assert len(set(ORDERS)) == 13
    table = permuted_orders()
    assert table[0].tolist() == list(range(13))
    for row in table:
        assert sorted(row.tolist()) == list(range(13))


@pytest.mark.slow
@pytest.mark.timeout(3000)  # counting takes minutes of CPU time, whatever else the machine does
def test_three_players_are_solved_exactly(tmp_path, monkeypatch):
    """The whole table is counted; deals sampled at a table give the same values."""
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path))
    game = PushFold((6.0, 8.0, 7.0), ante=0.1)
    exact = ExactPlay(game)
    exact.advance(50)
    strategy = exact.average()
    found = exact.measure(strategy)
    assert found.gains.max() < 2e-3
    assert found.ev.sum() == pytest.approx(0, abs=1e-5)
    deals = 200_000
    seen = SampledPlay(game, measured=deals).measure(strategy)
    assert seen.ev == pytest.approx(found.ev, abs=5 * 8 / np.sqrt(2 * deals))
    assert seen.reach == pytest.approx(found.reach, abs=0.002)
    assert ExactPlay(game).measure(strategy).ev == pytest.approx(found.ev)  # from the cache
