"""A book shows what its training determines, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

import riverboat as rb
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES
from riverboat.errors import IllegalActionError
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.quiz import PreflopDrill
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.preflop.trained import trained_part

ACES, KINGS, NINE_DEUCE = (CLASS_NAMES.index(name) for name in ("AA", "KK", "92s"))
SUITED = [number for number, name in enumerate(CLASS_NAMES) if name.endswith("s")]
OFFSUIT = [CLASS_NAMES.index(CLASS_NAMES[number][:2] + "o") for number in SUITED]


@pytest.fixture(scope="module")
def shipped():
    return PreflopSolution.load("shipped")


def test_aces_and_kings_are_never_folded(shipped):
    for node in shipped.nodes:
        for hand in (ACES, KINGS):
            if "f" in node.actions and node.knows(hand):
                assert node.frequencies[node.actions.index("f"), hand] == 0, node.name


def test_suited_hands_are_never_worse_than_offsuit_ones(shipped):
    """A suited hand wins whatever the offsuit one of the same ranks wins, and flushes."""
    for node in shipped.nodes:
        for values, errors in zip(node.values, node.errors, strict=True):
            gaps = values[SUITED] - values[OFFSUIT]
            joint = np.hypot(errors[SUITED], errors[OFFSUIT])
            assert not (gaps < -joint).any(), node.name
        evs = node.mixture_values
        widest = np.nan_to_num(node.errors).max(axis=0)
        worse = evs[SUITED] - evs[OFFSUIT] < -np.hypot(widest[SUITED], widest[OFFSUIT])
        assert not worse.any(), node.name


def test_what_is_shown_does_not_contradict_its_own_values(shipped):
    for node in shipped.nodes:
        assert len(node.actions) > 1, node.name
        best = np.where(np.isnan(node.values), -np.inf, node.values).max(axis=0)
        losses = best - node.mixture_values
        # The half widths of both values compared are at most the widest one.
        chance = 2 * np.nan_to_num(node.errors).max(axis=0)
        assert not (losses > 0.5 + chance).any(), node.name


def test_values_have_intervals_and_are_those_of_actions_that_were_trained(shipped):
    for node in shipped.nodes:
        assert np.array_equal(np.isnan(node.values), np.isnan(node.errors))
        assert node.trained is not None
        unknown = np.isnan(node.values[[action != "f" for action in node.actions]])
        assert unknown[:, ~node.trained].all(), node.name
    start = shipped.node()
    assert np.isnan(start.values[1, NINE_DEUCE])  # 92s is never raised there
    assert start.values[0, NINE_DEUCE] == 0  # what a fold costs is certain


def test_every_view_agrees(shipped):
    node = shipped.node("f-f-r2.5-f-f-r8-r20.5")
    missing = [c for c in range(NUM_CLASSES) if not node.knows(c)]
    assert missing
    name = CLASS_NAMES[missing[0]]
    cell = node.grid.cell(name)
    assert (cell.fill, cell.weight) == (0, 0)
    assert not any(cell.shares.values())
    rows = [row for row in shipped.rows() if (row["line"], row["hand"]) == (node.name, name)]
    assert [row["frequency"] for row in rows] == [None] * len(node.actions)
    (kept,) = [each for each in shipped.as_dict()["nodes"] if each["line"] == list(node.line)]
    assert kept["frequencies"][name] == [None] * len(node.actions)


def test_lines_that_hardly_occur_are_left_out(shipped):
    lines = {node.line for node in shipped.nodes}
    assert len(shipped.untrained) > 100
    assert not lines & shipped.untrained
    assert all(line[:depth] in lines for line in lines for depth in range(len(line)))
    for line in ("r2.5-r9-c", "r2.5-r9-c-f"):
        with pytest.raises(IllegalActionError, match=r"r2\.5-r9-c: the line came up too seldom"):
            shipped.node(line)
    assert len(shipped.info["node_gains"]) == len(shipped.nodes)


def test_a_seat_stands_for_its_opening(shipped):
    assert shipped.node("btn") is shipped.node("f-f-f")
    assert shipped.node("UTG") is shipped.node()
    with pytest.raises(IllegalActionError, match="BB has nothing to decide"):
        shipped.node("bb")
    with pytest.raises(IllegalActionError, match="seats: utg, hj, co, btn, sb, bb"):
        shipped.node("mp")


def test_the_trained_part_is_kept_in_a_file(shipped, tmp_path):
    path = tmp_path / "trained.rb"
    shipped.save(path)
    again = rb.load(path)
    assert again.untrained == shipped.untrained
    for mine, theirs in zip(shipped.nodes, again.nodes, strict=True):
        assert mine.line == theirs.line
        assert np.array_equal(mine.trained, theirs.trained)
        assert np.array_equal(np.isnan(mine.values), np.isnan(theirs.values))
        assert theirs.frequencies == pytest.approx(mine.frequencies, abs=1e-6)


def test_a_drill_asks_nothing_that_was_not_trained(shipped):
    drill = PreflopDrill(shipped, seed=3)
    for _ in range(60):
        hand = drill.deal_to_decide()
        while hand.your_turn:
            strategy, _ = hand.hint()
            assert hand.node.knows(hand._class(hand.seat))
            verdict = hand.act(max(strategy, key=lambda action: strategy[action]))
            assert verdict.right


def small_book(fold, call, iterations):
    """A book of one decision of two hands' worth: fold loses 0.5, all-in wins 3 with any hand."""
    shares = np.stack([np.full(NUM_CLASSES, fold), np.full(NUM_CLASSES, 1 - fold)])
    values = np.stack([np.full(NUM_CLASSES, -0.5), np.full(NUM_CLASSES, 3.0)])
    errors, put = np.full_like(values, 0.1), {"sb": 0.5, "bb": 1.0}
    start = PreflopNode((), "sb", ("f", "a"), shares, values, np.ones(NUM_CLASSES), put, errors)
    called = np.stack([np.full(NUM_CLASSES, 1 - call), np.full(NUM_CLASSES, call)])
    faced = replace(start, line=("a",), seat="bb", actions=("f", "c"), frequencies=called)
    info = {"iterations": iterations, "node_gains": [0.0, 0.0]}
    return PreflopSolution("book", {"game": "book"}, ("sb", "bb"), (start, faced), info)


def test_a_rare_action_that_is_clearly_worse_is_noise():
    book = trained_part(small_book(fold=0.05, call=0.95, iterations=10**9))
    assert (book.node().frequencies[0] == 0).all()
    assert (book.node().frequencies[1] == 1).all()


def test_a_strategy_that_loses_by_its_own_values_is_not_shown():
    book = trained_part(small_book(fold=0.5, call=1.0, iterations=10**9))
    assert not any(book.node().knows(hand) for hand in range(NUM_CLASSES))
    assert book.node("a").knows(ACES)


def test_visits_count_the_others_play_towards_a_decision():
    """All-in once in a million hands: it has not been trained what answers it."""
    book = trained_part(small_book(fold=1 - 1e-6, call=1.0, iterations=10**9))
    assert ("a",) in book.untrained
    assert book.info["node_gains"] == [0.0]
    unsaid = small_book(fold=1 - 1e-6, call=1.0, iterations=0)
    assert trained_part(unsaid) is unsaid
