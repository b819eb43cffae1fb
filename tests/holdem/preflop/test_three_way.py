"""Three all-in hands by class: counts against an enumeration of every board."""

import hashlib
from itertools import chain, combinations, permutations
from typing import Any

import numpy as np
import pytest

from riverboat.cards._equity_counting import different_deals
from riverboat.cards.combos import (
    CLASS_NAMES,
    COMBO_CARDS,
    NUM_CLASSES,
    class_of_combos,
    combo_index,
)
from riverboat.cards.plain_strength import strength
from riverboat.cards.ranges import Range
from riverboat.cards.strength import strengths
from riverboat.holdem.preflop import _three_way as three_way
from riverboat.holdem.preflop._allin_tables import KIND
from riverboat.holdem.preflop._exact_play import ExactPlay
from riverboat.holdem.preflop._matchups import sorted_classes, two_way_table
from riverboat.holdem.preflop._sampled_play import SampledPlay
from riverboat.holdem.preflop._three_way import (
    NUM_TRIPLES,
    ORDERS,
    ThreeWayCounter,
    permuted_orders,
)
from riverboat.holdem.preflop._three_way_kernels import count_plain
from riverboat.holdem.preflop.push_fold import PushFold
from riverboat.strategies.files import write_arrays


@pytest.fixture(scope="module")
def counter():
    return ThreeWayCounter()


@pytest.fixture(scope="module")
def three_flushes(counter):
    out = np.zeros((NUM_TRIPLES, len(ORDERS)), np.uint32)
    counter.write_three(out)
    return out


def counted(counter, three_flushes, classes):
    """One row of the table: only pieces of work that its hands are part of are done."""
    out = three_flushes.copy()
    held = [p for p, kinds in enumerate(counter.pairs.classes) if set(kinds) & set(classes)]
    for place, p in enumerate(held):
        counter.add_one(p, held[place:], out)
        counter.add_two(p, out)
    ranks = np.unique(counter.pairs.ranks[held])
    patterns, weights, boards = counter.patterns(len(ranks))
    count_plain(ranks[None], patterns, weights, boards, counter.pairs, permuted_orders(), out)
    first, second, third = classes  # in rising order
    row = third * (third + 1) * (third + 2) // 6 + second * (second + 1) // 2 + first
    return out[row]


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


@pytest.mark.e2e
@pytest.mark.parametrize(
    "names", [("AKs", "QJs", "T9s"), ("AKs", "AQs", "KQs"), ("33", "33", "A2s")]
)
def test_counts_equal_an_enumeration_of_all_boards(counter, three_flushes, names):
    classes = sorted(CLASS_NAMES.index(name) for name in names)
    assert counted(counter, three_flushes, classes).tolist() == enumerated(classes).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_random_rows_equal_an_enumeration_of_all_boards(counter, three_flushes, seed):
    classes = np.sort(np.random.default_rng(seed).integers(169, size=3)).tolist()
    assert counted(counter, three_flushes, classes).tolist() == enumerated(classes).tolist()


def test_orders_change_places_with_the_hands():
    assert len(set(ORDERS)) == 13
    table = permuted_orders()
    assert table[0].tolist() == list(range(13))
    for row in table:
        assert sorted(row.tolist()) == list(range(13))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_third_hands_together_give_the_counts_of_two_hands(counter):
    """Whatever two hands and a board are, 43 cards are left for the third hand."""
    table = counter.count(2).astype(np.int64)
    classes = sorted_classes(3)
    found = np.zeros((NUM_CLASSES, NUM_CLASSES, 3), np.int64)
    for first, second, third in permutations(range(3)):
        for order, places in enumerate(ORDERS):
            result = 1 + np.sign(places[first] - places[second])
            # Hands of the same class in other seats are the same row: it counts once.
            cells = (classes[first], classes[second], np.full(NUM_TRIPLES, result))
            fresh = np.ones(NUM_TRIPLES, bool)
            for i, j in combinations(range(3), 2):
                swapped = [{i: j, j: i}.get(seat, seat) for seat in (first, second, third)]
                fresh &= (classes[i] != classes[j]) | ((first, second, third) <= tuple(swapped))
            np.add.at(found, cells, np.where(fresh, table[:, order], 0))
    low, high = sorted_classes(2)
    assert np.array_equal(found[low, high], two_way_table().astype(np.int64) * 903)


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """A game of three, its values and strategy, from a table counted and then kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RIVERBOAT_CACHE", str(tmp_path_factory.mktemp("cache")))
        game = PushFold((6.0, 8.0, 7.0), ante=0.1)
        exact = ExactPlay(game)
        exact.advance(50)
        strategy = exact.average()
        found = exact.measure(strategy)
        assert ExactPlay(game).measure(strategy).ev == pytest.approx(found.ev)  # from the cache
        return game, strategy, found


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_three_players_are_solved_exactly(solved):
    """The whole table is counted; deals sampled at a table give the same values."""
    game, strategy, found = solved
    assert found.gains.max() < 2e-3
    assert found.ev.sum() == pytest.approx(0, abs=1e-5)
    deals = 200_000
    seen = SampledPlay(game, measured=deals).measure(strategy)
    assert seen.ev == pytest.approx(found.ev, abs=5 * 8 / np.sqrt(2 * deals))
    assert seen.reach == pytest.approx(found.reach, abs=0.002)


def pay(ante, bets, scores):
    """Chips won by each seat; `scores` has the seats that did not fold."""
    won = [-bet - ante for bet in bets]
    best = max(scores.values())
    winners = [seat for seat in scores if scores[seat] == best]
    for seat in winners:
        won[seat] += ante * len(bets) / len(winners)
    while any(bets):
        # The lowest bet of a player who did not fold closes a pot.
        level = min(bets[seat] for seat in scores if bets[seat] > 0)
        pot = sum(min(bet, level) for bet in bets)
        rivals = [seat for seat in scores if bets[seat] > 0]
        best = max(scores[seat] for seat in rivals)
        winners = [seat for seat in rivals if scores[seat] == best]
        for seat in winners:
            won[seat] += pot / len(winners)
        bets = [bet - min(bet, level) for bet in bets]
    return won


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_values_of_three_players_are_those_of_played_hands(solved):
    """Cards are dealt, hands ranked by the plain evaluator and pots paid out, all written here."""
    game, strategy, found = solved
    numbers = {(each.player, each.before): row for row, each in enumerate(game.decisions)}
    rng = np.random.default_rng(7)
    hands, results = 150_000, []
    for _ in range(hands):
        cards = rng.choice(52, 11, replace=False).tolist()
        allin: tuple[int, ...] = ()
        for seat in range(3):
            hole = cards[2 * seat : 2 * seat + 2]
            number = class_of_combos()[combo_index(*hole)]
            row = numbers.get((seat, allin))
            if row is not None and rng.random() < strategy[row, number]:
                allin = (*allin, seat)
        left = allin or (2,)
        bets = [0.0, *game.blinds]
        for seat in allin:
            bets[seat] = game.stacks[seat] - game.ante
        if len(left) == 1:  # What nobody called goes back
            scores: dict[int, Any] = {left[0]: 1}
        else:
            board = cards[6:]
            scores = {seat: strength(board + cards[2 * seat : 2 * seat + 2]) for seat in left}
        results.append(pay(game.ante, bets, scores))
    mean, error = np.mean(results, axis=0), np.std(results, axis=0) / np.sqrt(hands)
    assert np.all(np.abs(mean - found.ev) < 4 * error)


def test_a_kept_table_with_other_numbers_is_counted_again(tmp_path, monkeypatch):
    """Right in shape and checksum, wrong in what it counts."""
    monkeypatch.setenv("RIVERBOAT_CACHE", str(tmp_path))
    path = three_way.table_path()
    assert path.is_relative_to(tmp_path)
    wrong = np.zeros((NUM_TRIPLES, len(ORDERS)), np.uint32)
    write_arrays(path, KIND, {"counts": wrong}, {})
    counted_anew = np.ones_like(wrong)
    monkeypatch.setattr(ThreeWayCounter, "__init__", lambda self: None)
    monkeypatch.setattr(ThreeWayCounter, "count", lambda self, threads, progress: counted_anew)
    assert three_way.three_way_table() is counted_anew


@pytest.mark.slow
def test_the_whole_table_has_the_published_digest():
    counts = three_way.three_way_table()
    digest = hashlib.sha256(counts.astype("<u4").tobytes()).hexdigest()
    assert digest == three_way.TABLE_SHA256
