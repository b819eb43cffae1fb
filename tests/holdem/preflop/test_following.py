"""From a saved solution before the flop to ranges of spots and of real hands."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from commands import Command
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos
from riverboat.cards.ranges import Range
from riverboat.errors import RiverboatError
from riverboat.holdem.preflop.following import BookRanges, flop_start
from riverboat.holdem.preflop.node import PreflopNode
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.rules.state import Holdem
from riverboat.holdem.spots.spot import Spot

STRONG = np.array([name[0] == name[1] or "A" in name for name in CLASS_NAMES])


def mix(*rows: Any) -> np.ndarray:
    return np.array([np.broadcast_to(row, NUM_CLASSES) for row in rows], float)


def node(line: str, seat: str, actions: str, shares: np.ndarray, **put: float) -> PreflopNode:
    words = tuple(actions.split())
    values = np.zeros_like(shares)
    return PreflopNode(tuple(line.split()), seat, words, shares, values, np.ones(NUM_CLASSES), put)


def heads_up() -> PreflopSolution:
    """The small blind opens or folds; the big blind folds, calls or re-raises."""
    strong = STRONG.astype(float)
    nodes = [
        node("", "sb", "f c r2.5", mix(1 - strong, 0, strong), sb=0.5, bb=1),
        node("c", "bb", "c a", mix(1, 0), sb=1, bb=1),
        node("c a", "sb", "f c", mix(1, 0), sb=1, bb=20),
        node("r2.5", "bb", "f c a", mix(0.5, 0.25, 0.25), sb=2.5, bb=1),
        node("r2.5 a", "sb", "f c", mix(1 - strong, strong), sb=2.5, bb=20),
    ]
    spec = {"game": "flops", "stacks": 20, "blinds": [0.5, 1]}
    return PreflopSolution("a small one", spec, ("sb", "bb"), nodes, {})


def ring() -> PreflopSolution:
    """Three players: the button opens, both blinds answer."""
    nodes = [
        node("", "btn", "f r2", mix(0.4, 0.6), btn=0, sb=0.5, bb=1),
        node("r2", "sb", "f c", mix(0.7, 0.3), btn=2, sb=0.5, bb=1),
        node("r2 f", "bb", "f c", mix(0.5, 0.5), btn=2, sb=0.5, bb=1),
        node("r2 c", "bb", "f c", mix(0.2, 0.8), btn=2, sb=2, bb=1),
    ]
    spec = {"stacks": [20, 30, 40], "blinds": [0.5, 1]}
    return PreflopSolution("three", spec, ("btn", "sb", "bb"), nodes, {})


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    heads_up().save("headsup.rb")
    ring().save("ring.rb")
    return tmp_path


SPOT = """
board = "Qs Jh 2h"
pot = 5
stack = 17.5
[ranges]
oop = "preflop:headsup.rb r2.5 c"
ip = "preflop:headsup.rb r2.5-c"
[sizes.flop]
oop = { bet = "a" }
ip = { bet = "a" }
"""


def test_a_line_leaves_players_pot_and_stacks():
    start = flop_start(heads_up(), "r2.5 c")
    assert start.seats == ("bb", "sb")
    assert (start.pot, start.stacks) == (5.0, (17.5, 17.5))
    three = flop_start(ring(), "r2 c c")
    assert three.seats == ("sb", "bb", "btn")
    assert (three.pot, three.stacks) == (6.0, (28.0, 38.0, 18.0))
    two = flop_start(ring(), "r2 c f")
    assert (two.seats, two.folded, two.pot) == (("sb", "btn"), ("bb",), 5.0)


def test_a_spot_takes_its_ranges_from_a_line(folder):
    (folder / "spots").mkdir()
    heads_up().save("spots/headsup.rb")
    (folder / "headsup.rb").unlink()
    (folder / "spots" / "spot.toml").write_text(SPOT)
    spot = Spot.load("spots/spot.toml")
    # The big blind calls a quarter of everything; the small blind opens pairs and aces.
    assert spot.ranges[0].weights == pytest.approx(np.full(1326, 0.25))
    assert np.array_equal(spot.ranges[1].weights, Range.parse("22+,A2+").weights)
    # The text that is kept with a solution names hands, no file.
    assert "preflop" not in spot.to_toml()
    assert Spot.from_toml(spot.to_toml()) == spot


def rarely_with(weight: float) -> PreflopSolution:
    """The same, but the small blind opens 72o with this weight, too."""
    given = heads_up()
    shares = given.nodes[0].frequencies.copy()
    shares[:, CLASS_NAMES.index("72o")] = 1 - weight, 0, weight
    first = dataclasses.replace(given.nodes[0], frequencies=shares)
    return PreflopSolution(given.title, given.spec, given.seats, [first, *given.nodes[1:]], {})


def test_weights_under_half_a_percent_are_left_out_and_said(folder, capsys):
    """432 hands open with weight 1, and the twelve of 72o hardly ever."""
    opens = int((heads_up().range_of("sb", "r2.5 c").weights > 0).sum())
    small = class_of_combos() == CLASS_NAMES.index("72o")
    for weight, kept in ((0.0049, False), (0.0051, True), (0.0, False)):
        rarely_with(weight).save("headsup.rb")
        Path("spot.toml").write_text(SPOT)
        spot = Spot.load("spot.toml")
        assert bool(spot.ranges[1].weights[small].any()) == kept
        said = capsys.readouterr().err
        if weight == 0.0049:
            share = opens / (opens + 12 * weight)
            assert "The range of SB after r2.5-c leaves out weights under 0.5%" in said
            assert f"{opens} of {opens + 12} hands, {share:.2%} of the range, are kept" in said
            assert "BB" not in said
        else:
            assert said == ""


def test_small_weights_count_as_part_of_the_largest(folder):
    """A range that is played seldom with every hand is kept whole."""
    given = heads_up()
    shares = np.full_like(given.nodes[0].frequencies, 0.001)
    shares[0] = 0.998
    first = dataclasses.replace(given.nodes[0], frequencies=shares)
    rare = PreflopSolution(given.title, given.spec, given.seats, [first, *given.nodes[1:]], {})
    assert (rare.range_of("sb", "r2.5 c").weights > 0).all()


def test_chips_may_be_counted_in_another_unit(folder):
    text = SPOT.replace("pot = 5", "pot = 500").replace("stack = 17.5", "stack = 1700")
    assert rb.spot(text).ranges[0].weights[0] == 0.25


def test_spots_from_fields_read_lines_too(folder):
    spot = rb.spot(board="Qs Jh 2h", pot=5, stack=17.5, ranges=("preflop:headsup.rb r2.5 c", "AA"))
    assert spot.ranges[0].weights[0] == 0.25
    assert len(spot.hands(1)) == 6


def test_three_players_are_seats_of_the_file(folder):
    ranges = ["preflop:ring.rb r2 c c"] * 3
    given: dict[str, Any] = {"board": "Qs Jh 2h", "pot": 6, "stacks": (18, 28, 38)}
    spot = rb.spot(ranges=ranges, names=("btn", "sb", "bb"), **given)
    assert [range_.weights[0] for range_ in spot.ranges] == pytest.approx([0.6, 0.3, 0.8])
    by_order = rb.spot(ranges=ranges, names=("one", "two", "three"), **given)
    assert [range_.weights[0] for range_ in by_order.ranges] == pytest.approx([0.3, 0.8, 0.6])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("preflop:missing.rb r2.5 c", "no file missing.rb"),
        ("preflop:headsup.rb", "a file and a line"),
        ("preflop:", "a file and a line"),
        ("preflop:headsup.rb r3 c", "no action 'r3'"),
        ("preflop:headsup.rb r2.5 c c", "nobody acts"),
        ("preflop:headsup.rb r2.5", "BB still acts"),
        ("preflop:headsup.rb start", "SB still acts"),
        ("preflop:headsup.rb r2.5 f", "only SB is left"),
        ("preflop:headsup.rb r2.5 a c", "all chips are in"),
        ("preflop:headsup.rb c c", "pots"),
        ("preflop:ring.rb r2 c c", "3 players are left"),
        ("preflop:text.rb r2.5 c", "text.rb"),
        ("preflop:kuhn.rb r2.5 c", "kuhn.rb"),
        ("preflop:. r2.5 c", "no file"),
    ],
)
def test_bad_lines_are_one_sentence(folder, text, words):
    Path("text.rb").write_text("no solution")
    rb.solve("kuhn", iterations=10).save("kuhn.rb")
    Path("spot.toml").write_text(SPOT.replace("preflop:headsup.rb r2.5 c", text, 1))
    with pytest.raises(RiverboatError, match=words) as error:
        Spot.load("spot.toml")
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


def test_a_seat_that_has_folded_is_refused(folder):
    with pytest.raises(RiverboatError, match="BB has folded"):
        rb.spot(
            board="Qs Jh 2h", pot=5, stack=18, ranges=["preflop:ring.rb r2 c f"] * 3,
            names=("sb", "bb", "btn"),
        )  # fmt: skip


def test_a_text_from_elsewhere_opens_no_file(folder):
    with pytest.raises(RiverboatError, match="own file only"):
        Spot.from_toml(SPOT)


def test_the_command_solves_from_a_line(folder, command: Command):
    Path("spot.toml").write_text(SPOT.replace("Qs Jh 2h", "Qs Jh 2h 3c 4d"))
    found = command("holdem", "solve", "spot.toml", "--iterations", 20, "--json").json
    assert found["iterations"] == 20


def test_the_shipped_book_leads_to_a_flop():
    """The button opens, the big blind calls: 2.5 each and the small blind's half."""
    line = "preflop:shipped f f f r2.5 f c"
    spot = rb.spot(board="Qs Jh 2h", pot=5.5, stack=97.5, ranges=(line, line))
    button, blind = spot.ranges[1].weights, spot.ranges[0].weights
    assert button[class_of_combos() == CLASS_NAMES.index("AA")].min() > 0.99
    assert button[class_of_combos() == CLASS_NAMES.index("72o")].max() < 0.01
    assert 0.2 < blind.mean() < 0.5
    game = Holdem(players=6, stacks=(200,))
    book = BookRanges.load("shipped")
    assert book.unfit(game) == ""
    assert [place.node.seat for place in book.places(game, ["f", "f", "f", "r5", "f", "c"])] == [
        "utg", "hj", "co", "btn", "sb", "bb"
    ]  # fmt: skip


GAME = Holdem(stacks=(2000,), small_blind=50, big_blind=100)


def test_a_real_hand_follows_the_book():
    book = BookRanges(heads_up())
    assert book.unfit(GAME) == ""
    # A raise to 2.4 big blinds is nearest to 2.5.
    first, second = book.places(GAME, ["r240", "c"])
    assert first.node.seat == "sb"
    assert first.chances[0] == 1.0
    assert first.chances.sum() == Range.parse("22+,A2+").weights.sum()
    assert second.chances == pytest.approx(np.full(1326, 0.25))
    assert [place.number for place in book.places(GAME, ["r250", "r2000", "c"])] == [2, 2, 1]


@pytest.mark.parametrize(
    ("old", "new"), [("r2.5", "raise"), ("r2.5", "r0"), ("r2.5", "r0.0"), ("r2.5", "r1e3")]
)
def test_a_strange_file_is_refused(old, new):
    given = heads_up()
    first = dataclasses.replace(given.nodes[0], actions=("f", "c", new))
    changed = PreflopSolution("strange", given.spec, given.seats, [first], {})
    assert old in given.nodes[0].actions
    with pytest.raises(RiverboatError, match="no raise"):
        BookRanges(changed)


@pytest.mark.parametrize(
    "spec", [{"stacks": [1, 2, 3]}, {"stacks": "many"}, {"stacks": [True, 2]}, {"stacks": -1}]
)
def test_stacks_that_fit_no_seats_are_refused(spec):
    given = heads_up()
    with pytest.raises(RiverboatError, match="do not fit"):
        BookRanges(PreflopSolution("strange", spec, given.seats, given.nodes, {}))
    with pytest.raises(RiverboatError, match="do not fit"):
        flop_start(PreflopSolution("strange", {}, ("x", "y"), given.nodes, {}), "r2.5 c")


def test_what_the_book_does_not_know_ends_it():
    book = BookRanges(heads_up())
    assert book.places(GAME, ["r800", "c"]) == []
    assert len(book.places(GAME, ["r250", "r750", "c"])) == 1
    deep = Holdem(stacks=(20_000,), small_blind=50, big_blind=100)
    assert "a stack of 200 big blinds, and 20 in the book" in book.unfit(deep)
    assert book.places(deep, ["r250", "c"]) == []
    three = Holdem(players=3, stacks=(2000,), small_blind=50, big_blind=100)
    assert "3 players, and the book is for 2" in book.unfit(three)
