"""Books: values against exact counts of two hands all-in, gains against exact best responses."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riverboat
import riverboat as rb
from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS, NUM_CLASSES, class_of_combos
from riverboat.errors import FileFormatError, ParameterError, RiverboatError, UsageError
from riverboat.holdem.blueprints.blueprint import FULL, Blueprint
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.preflop import make_book as books
from riverboat.holdem.preflop._matchups import Matchups
from riverboat.holdem.preflop._range_deal_kernels import deal_ranges
from riverboat.holdem.preflop.make_book import make_book
from riverboat.holdem.preflop.node import CLASS_COMBOS
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.solvers.run import Limit
from riverboat.strategies.files import read_arrays, write_arrays

SHIPPED_BOOK = Path(riverboat.__file__).parent / "holdem" / "shipped" / "sixmax_book.rb"
STACK = 10.0
ALL_IN_OR_FOLD = {
    "game": {"players": 2, "stacks": 20, "small_blind": 1, "big_blind": 2},
    "bets": {"preflop": "a", "cap": 1, "field": [1, 2], "history": "preflop"},
    "cards": {"scheme": "percentile", "flop": 1, "turn": 1, "river": 1},
}
"""Two players with ten big blinds who do not limp: values are known exactly."""
THREE = {
    "game": {"players": 3, "stacks": 40, "small_blind": 1, "big_blind": 2},
    "bets": {"preflop": ["2.5x", "a"], "flop": "1p", "cap": [2, 1, 1, 1], "field": [1, 3, 2]},
    "cards": {"scheme": "percentile", "flop": 2, "turn": 2, "river": 4},
}
"""Three players with twenty big blinds, with flops."""


def blueprint_of(table, seed):
    """A blueprint that does anything, differently with each hand."""
    abstract = AbstractGame.build(HoldemConfig.from_table(table))
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, FULL, abstract.num_bytes // 8).astype(np.uint16)
    return Blueprint(abstract, weights, {"iterations": 0})


@pytest.fixture(scope="module")
def two():
    return blueprint_of(ALL_IN_OR_FOLD, 3)


@pytest.fixture(scope="module")
def book(two):
    return make_book(two, deals=600_000)


@pytest.fixture(scope="module")
def three_book():
    return make_book(blueprint_of(THREE, 5), deals=100_000)


def exact_values(push, call):
    """(169,) what pushing is worth to the small blind, and calling to the big blind that faces it,
    from all deals of two hands.
    """
    deals = Matchups(2)
    won, tied = deals.tensors(np.array([[1.0, 0], [0, 1.0], [0, 0]]), (0, 0))
    share = won + tied / 2
    weights = deals.weights
    showdown = 2 * STACK * share - STACK * weights
    pushing = (showdown @ call + weights @ (1 - call)) / weights.sum(axis=1)
    calling = (showdown @ push) / (weights @ push)
    return pushing, calling


def test_values_are_those_of_an_exact_count(book):
    start, faced = book.node(), book.node("a")
    assert (start.seat, faced.seat) == ("sb", "bb")
    assert (start.actions, faced.actions) == (("f", "a"), ("f", "c"))
    pushing, calling = exact_values(start.frequencies[1], faced.frequencies[1])
    assert (start.values[0] == -0.5).all()
    assert (faced.values[0] == -1).all()
    for node, exact in ((start, pushing), (faced, calling)):
        scores = (node.values[1] - exact) / (node.errors[1] / 1.96)
        assert np.abs(scores).max() < 5  # of 169, in standard errors
        assert (scores**2).mean() == pytest.approx(1, abs=0.5)
    assert faced.reach == pytest.approx(np.ones(NUM_CLASSES))


def test_gains_are_those_of_an_exact_best_response(book):
    start, faced = book.node(), book.node("a")
    push, call = start.frequencies[1], faced.frequencies[1]
    pushing, calling = exact_values(push, call)
    deals = Matchups(2).weights
    met, reached = deals.sum(axis=1), deals @ push
    exact = [
        float(met @ (np.maximum(pushing, -0.5) - (push * pushing - (1 - push) * 0.5))),
        float(reached @ (np.maximum(calling, -1.0) - (call * calling - (1 - call)))),
    ]
    info = book.info
    for number in (0, 1):
        # One decision each, so the seat's gain is its decision's; nearly all of it is found.
        for gain, width in (
            (info["node_gains"][number], info["node_gains_ci95"][number]),
            (info["gains"][number], info["gains_ci95"][number]),
        ):
            assert abs(gain - exact[number]) < 2.5 * width + 0.01
    played = float(met @ (push * pushing - (1 - push) * 0.5))
    assert abs(info["ev"][0] - played) < 2.5 * info["ev_ci95"][0]
    assert sum(info["ev"]) == pytest.approx(0, abs=1e-9)


def test_hands_are_dealt_as_from_a_deck_given_the_ranges():
    """Aces against a range of aces and kings: one hand of aces is left, and six of kings."""
    opposing = np.isin(class_of_combos(), [CLASS_NAMES.index("AA"), CLASS_NAMES.index("KK")])
    cumulative = np.cumsum(np.stack([np.ones(1326), opposing]), axis=1)
    cumulative /= cumulative[:, -1:]
    wanted = np.full(40_000, CLASS_NAMES.index("AA"))
    cards, dealt = np.empty((len(wanted), 9), np.uint8), np.empty(len(wanted), np.int64)
    tries, generator = np.zeros(NUM_CLASSES, np.int64), np.array([7], np.uint64)
    sizes = CLASS_COMBOS.astype(np.int64)
    members = books._members()[0]
    ask = (generator, cumulative, 0, wanted, members, sizes, COMBO_CARDS)
    assert deal_ranges(*ask, 100, cards, dealt, tries) == len(wanted)
    assert all(len(set(line)) == 9 for line in cards[:1000].tolist())
    aces = (cards[:, 2] // 4 == 12).mean()
    assert aces == pytest.approx(1 / 7, abs=0.01)
    # Twelve hands are in the range; seven share no card with the hero's.
    assert len(wanted) / tries[0] == pytest.approx(7 / 12, abs=0.01)
    # Nobody can hold aces beside two players who do.
    only = np.cumsum(np.stack([np.ones(1326), *2 * [class_of_combos() == 0]]), axis=1)
    only /= only[:, -1:]
    few = (generator, only, 0, wanted[:5], members, sizes, COMBO_CARDS, 100)
    assert deal_ranges(*few, np.empty((5, 11), np.uint8), dealt, tries) == 0


def test_three_players_with_flops(three_book):
    assert three_book.seats == ("btn", "sb", "bb")
    start = three_book.node()
    assert start.actions == ("f", "r2.5")
    assert three_book.node("f").actions == ("f", "r2.5")  # nobody limps
    squeeze = three_book.node("r2.5 c")
    assert (squeeze.seat, squeeze.actions) == ("bb", ("f", "c", "a"))
    assert squeeze.put == {"btn": 2.5, "sb": 2.5, "bb": 1}
    assert "c" not in three_book.node("r2.5 c a c").actions  # two at most play for a re-raise
    assert (squeeze.values[0] == -1).all()
    assert (squeeze.errors[0] == 0).all()
    assert sum(three_book.info["ev"]) == pytest.approx(0, abs=1e-9)
    # Aces are worth more than trey-deuce, whatever the others do.
    assert start.values[1, CLASS_NAMES.index("AA")] > start.values[1, CLASS_NAMES.index("32o")]
    chances = books._lines(blueprint_of(THREE, 5), 1e-3)
    assert all(line.chance >= 1e-3 for line in chances)


def test_threads_and_seeds(two, book):
    small = make_book(two, deals=20_000)
    spread = make_book(two, deals=20_000, threads=3)
    other = make_book(two, deals=20_000, seed=2)
    assert small.info == spread.info
    assert all(
        np.array_equal(a.values, b.values) for a, b in zip(small.nodes, spread.nodes, strict=True)
    )
    assert small.info["ev"] != other.info["ev"]


def test_a_book_is_kept_in_a_small_file(three_book, tmp_path):
    path, large = tmp_path / "book.rb", tmp_path / "large.rb"
    three_book.save(path, small=True)
    three_book.save(large)
    assert path.stat().st_size < 0.7 * large.stat().st_size
    for kept, near in ((rb.load(path), 0.02), (rb.load(large), 1e-5)):
        assert isinstance(kept, PreflopSolution)
        assert kept.info == three_book.info
        assert kept.spec == json.loads(json.dumps(three_book.spec))
        for mine, theirs in zip(three_book.nodes, kept.nodes, strict=True):
            assert (mine.line, mine.actions, mine.put) == (theirs.line, theirs.actions, theirs.put)
            assert theirs.frequencies == pytest.approx(mine.frequencies, abs=1e-5)
            assert theirs.reach == pytest.approx(mine.reach, abs=1e-5)
            assert np.array_equal(np.isnan(mine.values), np.isnan(theirs.values))
            assert theirs.values == pytest.approx(mine.values, abs=near, nan_ok=True)
            assert theirs.errors == pytest.approx(mine.errors, abs=near, nan_ok=True)
    row = next(rb.load(path).rows())
    assert row["ev_ci95"] == 0


def change(arrays, name, numbers):
    arrays[name] = numbers


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda a: change(a, "errors", -a["errors"] - 1), "errors holds numbers out of range"),
        (lambda a: change(a, "errors", a["errors"][1:]), "errors"),
        (lambda a: change(a, "values", a["values"] * np.float16(np.inf)), "values holds no finite"),
        (lambda a: change(a, "frequencies", a["frequencies"] // 2), "do not add up to 1"),
        (lambda a: change(a, "reach", a["reach"].astype(np.float32)), "reach holds numbers out"),
        (lambda a: change(a, "known", a["known"] * 2), "known holds numbers out of range"),
    ],
)
def test_a_damaged_book_is_refused(book, tmp_path, spoil, said):
    path = tmp_path / "book.rb"
    book.save(path, small=True)
    arrays, header = read_arrays(path, "preflop")
    arrays = dict(arrays)
    spoil(arrays)
    write_arrays(path, "preflop", arrays, {k: v for k, v in header.items() if k != "kind"})
    with pytest.raises(FileFormatError, match=said):
        PreflopSolution.load(path)


@pytest.mark.parametrize(
    ("name", "given"),
    [("gains", [1.0]), ("node_gains", "much"), ("gains_ci95", [None, 1.0]), ("ev", [float("nan")])],
)
def test_figures_that_fit_no_seat_are_refused(book, tmp_path, name, given):
    path = tmp_path / "book.rb"
    book.info[name], kept = given, book.info[name]
    try:
        book.save(path, small=True)
    finally:
        book.info[name] = kept
    with pytest.raises(FileFormatError, match=name):
        PreflopSolution.load(path)


@settings(max_examples=40, deadline=None)
@given(place=st.floats(0, 1), byte=st.integers(0, 255), cut=st.booleans())
def test_no_bytes_break_the_reader(book, tmp_path_factory, place, byte, cut):
    path = tmp_path_factory.mktemp("fuzz") / "book.rb"
    book.save(path, small=True)
    data = bytearray(path.read_bytes())
    at = int(place * (len(data) - 1))
    if cut:
        del data[at:]
    else:
        data[at] = byte
    path.write_bytes(data)
    with suppress(RiverboatError):
        PreflopSolution.load(path)


def test_what_no_book_can_be_made_of(two):
    with pytest.raises(ParameterError, match="A book takes 1 to"):
        make_book(two, deals=0)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        make_book(two, min_chance=0.0)
    kuhn = {
        "game": {
            "small_blind": 0, "big_blind": 0, "ante": 1, "ranks": 3, "suits": 1, "hole_cards": 1,
            "board_cards": (0,), "stacks": 2,
        },
        "bets": {"preflop": "m"},
        "cards": {"scheme": "lossless"},
    }  # fmt: skip
    with pytest.raises(UsageError, match="52 cards"):
        make_book(blueprint_of(kuhn, 1))


def test_the_shipped_book():
    book = PreflopSolution.load("shipped")
    assert book.seats == ("utg", "hj", "co", "btn", "sb", "bb")
    assert book.spec["stacks"] == 100
    assert SHIPPED_BOOK.stat().st_size <= 4_000_000
    opens = [book.node("f " * folds).totals[-1] for folds in range(5)]
    assert opens == sorted(opens)  # the fewer players are left, the more hands are opened
    for folds in range(5):
        node = book.node("f " * folds)
        assert node.actions == ("f", "r2.5")
        assert node.frequencies[1, CLASS_NAMES.index("AA")] > 0.99
    first = book.node()
    assert first.frequencies[1, CLASS_NAMES.index("72o")] < 0.01
    assert (first.values[0] == 0).all()
    info = book.info
    assert sum(info["ev"]) == pytest.approx(0, abs=1e-9)
    assert len(info["node_gains"]) == len(book.nodes)
    # Hands that open are worth more by opening than by folding, as far as can be measured.
    played = first.frequencies[1] > 0.9
    assert (first.values[1, played] + first.errors[1, played] > 0).mean() > 0.95


def test_training_of_a_book_goes_on_after_a_stop(tmp_path):
    bets: Any = THREE["bets"]
    table = {**THREE, "bets": {**bets, "history": "preflop"}}
    config = HoldemConfig.from_table(table)
    assert HoldemConfig.from_table(json.loads(json.dumps(config.as_table()))) == config
    whole, parted = (HoldemTrainer(AbstractGame.build(config), seed=4) for _ in range(2))
    whole.run(Limit(iterations=6 * 1024))
    parted.run(Limit(iterations=3 * 1024))
    parted.save(tmp_path / "run.rb")
    resumed = HoldemTrainer.load(tmp_path / "run.rb")
    resumed.run(Limit(iterations=6 * 1024))
    assert resumed.abstract.config.field == (1, 3, 2)
    assert np.array_equal(resumed.table, whole.table)
    resumed.blueprint().save(tmp_path / "three.rb")
    kept = Blueprint.load(tmp_path / "three.rb")
    assert kept.abstract.config.history == "preflop"
    assert make_book(kept, deals=2000).node("r2.5 c").seat == "bb"
