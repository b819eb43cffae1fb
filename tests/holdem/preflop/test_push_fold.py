"""All-in or fold: the question, its ends, and equilibria against an independent linear program."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import riverboat as rb
from riverboat.cards.combos import CLASS_NAMES, NUM_CLASSES, class_of_combos
from riverboat.cards.equity import equity
from riverboat.cards.preflop import disjoint_combos
from riverboat.cards.ranges import parse_range
from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.preflop import _sampled_play as sampled_play
from riverboat.holdem.preflop import allin_solver
from riverboat.holdem.preflop._exact_play import ExactPlay
from riverboat.holdem.preflop._finishing_orders import weak_orders
from riverboat.holdem.preflop._matchups import Matchups, two_way_table
from riverboat.holdem.preflop._sampled_play import SampledPlay, next_comparison
from riverboat.holdem.preflop.charts import range_text
from riverboat.holdem.preflop.push_fold import PushFold
from riverboat.holdem.preflop.questions import make_preflop
from riverboat.holdem.preflop.solution import PreflopSolution, rounded_up

STACKS = st.lists(st.integers(2, 60).map(float), min_size=2, max_size=5)


def number(name):
    return CLASS_NAMES.index(name)


def meetings():
    """(169, 169) deals of two hands that share no card, by class, counted hand by hand."""
    classes = np.eye(NUM_CLASSES)[class_of_combos()]
    return classes.T @ disjoint_combos().astype(np.float64) @ classes


def equities():
    """(169, 169) from the shipped counts."""
    deals = Matchups(2)
    won, tied = deals.tensors(np.array([[1.0, 0], [0, 1.0], [0, 0]]), (0, 0))
    return (won + tied / 2) / deals.weights


def test_the_shipped_counts_are_all_deals_of_two_hands():
    deals = Matchups(2)
    assert deals.weights * 1326 * 1225 == pytest.approx(meetings())
    assert int(two_way_table().astype(np.int64).sum()) < 1326 * 1225 * 1_712_304
    assert equities() + equities().T == pytest.approx(np.ones((NUM_CLASSES, NUM_CLASSES)))


@pytest.mark.parametrize(
    ("mine", "theirs"), [("AA", "KK"), ("AKs", "QQ"), ("AKo", "AKs"), ("72o", "32s"), ("22", "22")]
)
def test_shipped_equities_are_those_of_the_card_engine(mine, theirs):
    exact = equity([mine, theirs], method="exact").equity[0]
    assert equities()[number(mine), number(theirs)] == pytest.approx(exact, abs=1e-12)


def lp_value(stack, small=0.5):
    """The small blind's value of the game, its dual side left to HiGHS: x pushes, z_d per class."""
    deals = meetings()
    deals = deals / deals.sum()
    showdown = deals * (2 * equities() - 1) * stack
    # Maximise −small · Σ n (1 − x) + Σ z with z_d ≤ Σ_c x n (big blind folds) and ≤ Σ_c x showdown.
    mass = deals.sum(axis=1)
    cost = np.concatenate([-small * mass, -np.ones(NUM_CLASSES)])
    limits = np.block([[-deals.T, np.eye(NUM_CLASSES)], [-showdown.T, np.eye(NUM_CLASSES)]])
    bounds = [(0, 1)] * NUM_CLASSES + [(None, None)] * NUM_CLASSES
    found = linprog(cost, limits, np.zeros(2 * NUM_CLASSES), bounds=bounds, method="highs")
    return -found.fun - small, found.x[:NUM_CLASSES]


@pytest.mark.parametrize("stack", range(1, 21))
def test_heads_up_values_equal_the_linear_program(stack):
    value, pushes = lp_value(float(stack))
    found = PushFold((float(stack),) * 2).solve(target=2e-5)
    assert found.info["ev"][0] == pytest.approx(value, abs=1e-4)
    assert found.info["ev"][1] == pytest.approx(-value, abs=1e-4)
    play = ExactPlay(PushFold((float(stack),) * 2))
    values = play.measure(np.stack([pushes, found.node("a").frequencies[1]]))
    # The program's own strategy wins nothing more against ours.
    assert values.ev[0] == pytest.approx(value, abs=2e-4)


def test_gains_are_those_of_a_response_written_out():
    game = PushFold((8.0, 8.0), ante=0.25)
    play = ExactPlay(game)
    rng = np.random.default_rng(1)
    push, call = rng.random(NUM_CLASSES), rng.random(NUM_CLASSES)
    deals = meetings() / meetings().sum()
    lead = (2 * equities() - 1) * 8
    win_blinds, fold = 1.25, -0.75
    ev = deals * (
        (1 - push[:, None]) * fold + push[:, None] * ((1 - call) * win_blinds + call * lead)
    )
    pushing = (deals * ((1 - call) * win_blinds + call * lead)).sum(axis=1)
    folding = deals.sum(axis=1) * fold
    measured = play.measure(np.stack([push, call]))
    assert measured.ev[0] == pytest.approx(ev.sum())
    best = np.maximum(pushing, folding).sum()
    assert measured.gains[0] == pytest.approx(best - ev.sum())
    calling, giving_up = -(push @ (deals * lead)), -(push @ deals) * 1.25
    rest = (deals * (1 - push[:, None])).sum() * 0.75
    assert measured.ev[1] == pytest.approx(-measured.ev[0])
    assert measured.gains[1] == pytest.approx(
        np.maximum(calling, giving_up).sum() + rest + measured.ev[0]
    )


@given(STACKS, st.floats(0, 0.5), st.integers(0, 10**6))
def test_no_chip_is_made_or_lost(stacks, ante, seed):
    game = PushFold(tuple(stacks), ante=ante)
    rng = np.random.default_rng(seed)
    num = len(stacks)
    allin = tuple(np.flatnonzero(rng.random(num) < 0.6).tolist())
    values = game.end_values(allin)
    assert len(values) == (len(weak_orders(len(allin))) if len(allin) > 1 else 1)
    assert np.abs(values.sum(axis=1)).max() < 1e-9
    assert (values + np.array(stacks) > -1e-9).all()


def test_side_pots_go_to_the_best_hand_that_paid_for_them():
    game = PushFold((5.0, 10.0, 20.0), ante=1.0)
    orders = weak_orders(3)
    values = dict(zip(orders, game.end_values((0, 1, 2)), strict=True))
    # The short stack wins the main pot of 15, the middle one the side pot of 10.
    assert values[0, 1, 2].tolist() == [10, 0, -10]
    # Level for the main pot, and the large stack takes the side pot.
    assert values[0, 2, 0].tolist() == [2.5, -10, 7.5]
    assert values[2, 0, 0].tolist() == [-5, 2.5, 2.5]
    assert game.end_values(()).tolist() == [[-1, -1.5, 2.5]]


def test_prizes_rank_who_goes_out_by_the_chips_before():
    game = PushFold((5.0, 10.0, 20.0), payouts=(50.0, 30.0, 20.0), bounties=(1.0, 2.0, 4.0))
    values = dict(zip(weak_orders(3), game.end_values((0, 1, 2)), strict=True))
    # The big blind wins everything: second is who had more, and both bounties are won.
    assert values[1, 1, 0].tolist() == [20, 30, 53]
    # The short stack wins the main pot of 15 and the big blind the side pot of 10 and its rest.
    found = values[0, 2, 1]
    assert found.sum() == pytest.approx(102)
    assert found[1] == 20
    assert found[2] > 30 + 2
    # The bounty of who is out in the side pot goes to its winner.
    assert found[0] == pytest.approx(20 + (50 - 20) * 15 / 35 + (30 - 20) * 20 / 35)


def test_prizes_of_two_at_the_end_are_worth_chips():
    """With two left, ICM is linear in chips: the same strategy as for chips."""
    chips = PushFold((8.0, 12.0)).solve()
    prizes = PushFold((8.0, 12.0), payouts=(100.0, 60.0)).solve(iterations=150)
    for line in ("", "a"):
        difference = chips.node(line).totals - prizes.node(line).totals
        assert np.abs(difference).max() < 0.01


def test_who_has_nothing_left_to_pay_never_folds():
    game = PushFold((1.0, 1.0))
    assert [game.forced(each) for each in game.decisions] == [False, True]
    found = game.solve()
    assert (found.node("a").frequencies[1] == 1).all()
    assert (found.node("").frequencies[1] == 1).all()


def test_a_straddle_acts_last():
    game = PushFold((10.0,) * 4, straddle=2.0)
    assert game.names == ("BTN", "SB", "BB", "UTG")
    assert game.posts == (0.0, 0.5, 1.0, 2.0)
    assert PushFold((10.0,) * 6).names == ("UTG", "HJ", "CO", "BTN", "SB", "BB")


def test_rake_is_taken_from_called_pots_only():
    game = PushFold((10.0, 20.0), rake_rate=0.1, rake_cap=1.5)
    assert game.end_values((0,)).tolist() == [[1, -1]]
    assert game.end_values((0, 1)).sum(axis=1) == pytest.approx([-1.5] * 3)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"stacks": [0.5, 10]}, None),
        ({"stacks": [10, 0.9]}, "does not pay"),
        ({"stacks": [10, 10], "ante": 12}, "does not pay"),
        ({"stacks": [10]}, "2 to 6 stacks"),
        ({"stacks": [10] * 7}, "2 to 6 stacks"),
        ({"stacks": [10, "x"]}, "takes numbers"),
        ({"stacks": [10, True]}, "takes numbers"),
        ({"stacks": [10, float("nan")]}, "takes numbers from 0"),
        ({"stacks": [10, -1]}, "takes numbers from 0"),
        ({"stacks": 10, "players": 2.5}, "players is"),
        ({"stacks": [10, 10], "blinds": [1]}, "two numbers"),
        ({"stacks": [10, 10], "blinds": [1, 0.5]}, "small blind first"),
        ({"stacks": [10, 10], "blinds": [0, 0]}, "above 0"),
        ({"stacks": [10, 10], "straddle": 2}, "three players"),
        ({"stacks": [10, 10], "rake": {"rate": 0.05}}, "a rate and a cap"),
        ({"stacks": [10, 10], "rake": {"rate": 2, "cap": 1}}, "rate lies"),
        ({"stacks": [10, 10], "payouts": [20, 50]}, "never rise"),
        ({"stacks": [10, 10], "payouts": [3, 2, 1]}, "3 prizes for 2"),
        ({"stacks": [10, 10], "payouts": {"bounty": 3}}, "needs places"),
        ({"stacks": [10, 10], "payouts": {"places": [5], "others": [1] * 9}}, "up to 10"),
        ({"stacks": [10, 10], "payouts": {"places": [5], "others": [0]}}, "above 0"),
        ({"stacks": [10, 10], "payouts": {"places": [5], "bounty": [1, 2, 3]}}, "one a seat"),
        ({"stacks": [10, 10], "payouts": [50, 50]}, "All 2 places pay 50"),
        ({"stacks": [10, 10, 9], "payouts": {"places": [5] * 4, "others": [3]}}, "All 4 places"),
        ({"stacks": [10, 10], "payouts": {"places": [50, 50], "bounty": 0}}, "All 2 places"),
        ({"stacks": [10, 10], "blinds": [0, 1e-12]}, "at least 0.001"),
        ({"stacks": [10, 10], "payout": [5]}, "payouts"),
        ({"stacks": [10, 10], "game": "draw"}, "push-fold"),
        ({"stacks": [10**400, 10]}, "too large"),
        ({"stacks": 10, "players": 10**400}, "up to 6"),
        ({"stacks": [10, 10], "payouts": {"places": []}}, "not an empty list"),
        ({"stacks": [10, 10], "payouts": []}, "not an empty list"),
        ({"stacks": [10, 10], "blinds": []}, "not an empty list"),
        ({"stacks": [10, 10], "payouts": np.array([50.0, 30.0])}, "must be a table"),
        ({"stacks": [10, 10], "game": np.array([1.0, 2.0])}, "no game before the flop"),
    ],
)
def test_what_cannot_be_is_refused(keys, words):
    if words is None:
        make_preflop(**keys)
        return
    with pytest.raises(RiverboatError, match=words):
        make_preflop(**keys)


def test_bounties_decide_where_all_places_pay_the_same():
    """With equal prizes chips count nothing: only who is knocked out does."""
    found = PushFold((8.0, 8.0), payouts=(50.0, 50.0), bounties=(10.0, 10.0)).solve(iterations=50)
    # All-in risks nothing and may win a bounty: every hand calls, and half of them win it.
    assert (found.node("a").frequencies[1, : number("AKs")] > 0.99).all()
    assert sum(found.info["ev"]) <= 110 + 1e-9
    satellite = PushFold((8.0, 8.0, 8.0), payouts=(50.0, 50.0))
    assert satellite.end_values(()).sum() == pytest.approx(100)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("stacks = [" + "9" * 5000 + ", 10]\n", "a whole number in it is too long"),
        ("stacks = " + "[" * 100_000 + "\n", "is no TOML"),
        ("stacks = [10, 10]\nday = 2026-02-30\n", "The game"),
        ("stacks = \n", "is no TOML"),
    ],
)
def test_a_text_that_is_no_game_is_refused_in_a_sentence(text, words):
    with pytest.raises(RiverboatError, match=words):
        make_preflop(text)


def test_a_game_is_read_back_from_its_keys():
    game = PushFold(
        (9.0, 7.5, 20.0), (0.5, 1.0), 0.1, 1.0, payouts=(50.0, 30.0), others=(4.0,),
        bounties=(1.0, 1.0, 1.0),
    )  # fmt: skip
    assert PushFold.from_fields(game.as_dict()) == game
    text = "stacks = [9, 7.5, 20]\nante = 0.1\nbig_blind_ante = 1\n[payouts]\nplaces = [50, 30]\n"
    assert make_preflop(text + "others = [4]\nbounty = 1\n") == game


def test_sampled_play_agrees_with_exact_play():
    """The same strategies for two players, measured on random deals."""
    game = PushFold((6.0, 9.0), ante=0.1)
    exact = ExactPlay(game)
    exact.advance(60)
    strategy = exact.average()
    true, seen = exact.measure(strategy), SampledPlay(game, measured=100_000).measure(strategy)
    # A hand wins or loses up to six big blinds: five standard errors of 200,000 deals.
    assert seen.ev == pytest.approx(true.ev, abs=5 * 6 / np.sqrt(200_000))
    assert seen.reach == pytest.approx(true.reach, abs=0.002)
    assert seen.sampled is not None
    assert (seen.gains < 2 * seen.sampled.gains + 0.01).all()
    assert (true.gains < seen.sampled.bounds).all()


def test_four_players_are_learned_from_samples():
    game = PushFold((5.0,) * 4)
    play = SampledPlay(game, measured=50_000)
    play.advance(15)
    found = play.measure(play.average())
    assert found.ev.sum() == pytest.approx(0, abs=1e-9)
    start = SampledPlay(game, measured=50_000)
    untrained = start.measure(np.full((len(game.decisions), NUM_CLASSES), 0.5))
    assert found.gains.sum() < untrained.gains.sum() / 5
    assert (play.average()[0, [number("AA"), number("AKs")]] == 1).all()
    again = SampledPlay(game, measured=50_000)
    again.advance(15)
    assert (again.average() == play.average()).all()


def test_two_players_are_decided_as_the_linear_program_decides_them_without_a_limit():
    """84s, worth 0.006 big blinds more all-in than folded, is the last hand to be decided."""
    pushes = lp_value(10.0)[1]
    found = PushFold((10.0, 10.0)).solve()
    assert found.info["exploitability"] <= 1e-9
    assert found.node("").frequencies[1] == pytest.approx(pushes, abs=0.005)
    assert found.node("").frequencies[1, number("84s")] > 0.995


@pytest.fixture(scope="module")
def four():
    """Four players, stable at the first comparison that there can be."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampled_play, "MAX_CHANGE", 0.5)
        return PushFold((10.0,) * 4).solve()


def test_sampled_play_goes_on_until_its_ranges_are_stable(monkeypatch, four):
    assert [next_comparison(done) for done in (0, 99, 100, 150)] == [100, 100, 150, 225]
    assert (four.info["iterations"], four.info["stable"]) == (150, True)
    assert 0 < four.info["range_change"] < 0.5
    monkeypatch.setattr(allin_solver, "MAX_SAMPLED_ITERATIONS", 160)
    monkeypatch.setattr(sampled_play, "MIN_MEASURED", 1000)
    unstable = PushFold((10.0,) * 4).solve()
    assert (unstable.info["iterations"], unstable.info["stable"]) == (160, False)
    assert unstable.info["range_change"] > sampled_play.MAX_CHANGE
    given = PushFold((10.0,) * 4).solve(iterations=3)
    assert given.info["iterations"] == 3
    assert "stable" not in given.info


def test_a_line_that_hardly_occurs_recommends_nothing(four, tmp_path):
    four.save(tmp_path / "four.rb")
    for found in (four, PreflopSolution.load(tmp_path / "four.rb")):
        rare = found.node("a-a-a")
        assert rare.rare
        assert 0 < rare.chance < 1 / 200
        assert not any(rare.knows(hand) for hand in range(NUM_CLASSES))
        assert np.isnan(rare.values).all()
        assert "nothing is recommended" in rare.grid.title
        with pytest.raises(UsageError, match="a-a-a hardly occurs"):
            range_text(found, "a-a-a", "plain")
        assert not found.node("").rare
        assert found.node("").knows(number("AA"))
    told = {each["line"][-1]: each for each in four.as_dict()["nodes"] if len(each["line"]) == 3}
    assert set(told["a"]["totals"].values()) == {None}


def test_a_hand_whose_better_action_is_not_known_is_left_out_of_ranges(four):
    node = four.node("a-a")
    left_out = np.flatnonzero(~node.trained)
    assert 0 < len(left_out) < NUM_CLASSES
    written = parse_range(range_text(four, "a-a", "plain")).weights
    assert not written[np.isin(class_of_combos(), left_out)].any()
    assert written[class_of_combos() == number("AA")].all()


def test_gains_are_said_as_a_bound_and_evs_with_their_intervals(four):
    for _, ev, gain in four.seat_figures():
        assert re.fullmatch(r"-?0\.\d{4} ± 0\.00\d\d", ev)
        assert re.fullmatch(r"below 0\.0\d+", gain)
    assert four.info["exploitability"] == pytest.approx(np.mean(four.info["gains_below"]))
    assert four.info["exploitability"] > 0
    assert (np.array(four.info["gains"]) <= four.info["gains_below"]).all()


@pytest.mark.parametrize(
    ("bound", "said"),
    [(0.0, "0"), (0.0039, "0.0039"), (0.00391, "0.0040"), (0.0101, "0.011"), (1.23, "1.3")],
)
def test_a_bound_is_never_rounded_down(bound, said):
    assert rounded_up(bound) == said
    assert float(said) >= bound


def test_the_intervals_of_sampled_values_hold_the_true_ones():
    """95 of 100 do, of the values of going all-in at both decisions, with all hands."""
    game = PushFold((6.0, 9.0), ante=0.1)
    exact = ExactPlay(game)
    exact.advance(30)
    strategy = exact.average()
    true = exact.measure(strategy)
    seen = SampledPlay(game, measured=100_000).measure(strategy)
    errors = seen.sampled.values
    near = np.abs(seen.values / seen.reach[:, None] - true.values / true.reach[:, None]) <= errors
    varying = errors > 0  # A fold has one value; nan: too few deals
    assert varying.sum() == 2 * NUM_CLASSES
    assert 0.9 < near[varying].mean() < 0.99
    assert (np.abs(seen.ev - true.ev) <= 1.5 * seen.sampled.ev).all()


def test_grids_are_titled_in_words_and_a_call_of_an_all_in_is_a_call():
    """Only who has more than the bet, with a player behind, raises by going all-in."""
    solution = rb.solve(rb.preflop(stacks=[5, 10, 10]), iterations=1)
    shown = {node.name: (node.grid.title, node.labels[-1]) for node in solution.nodes}
    assert shown == {
        "start": ("BTN to open", "all-in"),
        "f": ("SB to open", "all-in"),
        "a": ("SB after BTN goes all-in", "all-in"),
        "a-f": ("BB after BTN goes all-in, SB folds", "call"),
        "f-a": ("BB after SB goes all-in", "call"),
        "a-a": ("BB after BTN goes all-in, SB goes all-in", "call"),
    }
    even = rb.solve(rb.preflop(stacks=[10, 10, 10]), iterations=1)
    assert even.node("a").labels == ("fold", "call")
    assert even.node("a-a").grid.title == "BB after BTN goes all-in, SB calls"


def test_a_saved_solution_has_the_same_words(tmp_path):
    solution = rb.solve(rb.preflop(stacks=[5, 10, 10]), iterations=1)
    solution.save(tmp_path / "three.rb")
    again = rb.load(tmp_path / "three.rb")
    assert [node.labels for node in again.nodes] == [node.labels for node in solution.nodes]
    assert [node.grid.title for node in again.nodes] == [n.grid.title for n in solution.nodes]
