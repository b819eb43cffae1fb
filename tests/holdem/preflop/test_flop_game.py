"""The game before the flop with a set of flops behind it: deals, tree, values, best responses."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from crafted_files import crafted, write_crafted
from riverboat.cards.card import card_text, parse_cards
from riverboat.cards.combos import CLASS_NAMES, COMBO_CARDS, class_of_combos
from riverboat.cards.equity import equity
from riverboat.cards.preflop import disjoint_combos
from riverboat.cards.ranges import Range
from riverboat.errors import ParameterError, RiverboatError, TooLargeError, UsageError
from riverboat.holdem.preflop.flop_game import FlopGame, FlopNodeKind, class_sums, hands_left
from riverboat.holdem.preflop.flop_solver import (
    PAIRS_BEHIND,
    FlopGameSolver,
    game_size,
    open_checkpoint,
)
from riverboat.holdem.preflop.solution import PreflopSolution
from riverboat.holdem.spots import flops
from riverboat.holdem.spots.bet_sizes import PlayerSizes, TreeOptions, parse_sizes
from riverboat.holdem.spots.flops import Flop, parse_flops
from riverboat.holdem.spots.solver import make_solver
from riverboat.solvers.algorithms import BEST
from riverboat.solvers.run import Limit

AA, AKS, DEUCES = (CLASS_NAMES.index(name) for name in ("AA", "AKs", "22"))


def flop(text, weight=1.0):
    first, second, third = parse_cards(text)
    return Flop((first, second, third), weight)


def sizes(text):
    return parse_sizes(text, "a test", raises=True)


def make_game(*given_flops, stack=3.0, **options):
    """All-in is the only bet, so that trees behind the flop are tiny."""
    all_in = PlayerSizes(sizes("a"), sizes("a"))
    given = {"raises": {"open": sizes("a"), "iso": sizes("a")}, **options}
    return FlopGame(
        given_flops or (flop("Ts6s3s"),),
        stacks=given.pop("stacks", (stack, stack)),
        sizes={"flop": (all_in, all_in)},
        tree=TreeOptions(raises=1),
        **given,
    )


@pytest.fixture(scope="module")
def equities():
    """A stand-in that has the symmetry of real ones: the stronger class wins more often."""
    order = np.linspace(0.7, 0.3, 169)
    return 0.5 + (order[:, None] - order[None, :]) / 2


@pytest.fixture(scope="module")
def solver(equities):
    made = FlopGameSolver(make_game(flop("Ts6s3s", 3.0), flop("KsQsJs")), equities, threads=2)
    made.run(Limit(iterations=12))
    return made


def test_the_tree_of_a_limped_and_a_raised_pot():
    game = make_game(
        stack=20.0,
        ante=0.1,
        raises={"open": sizes("2.5x"), "iso": sizes("3x,a"), "3bet": sizes("a")},
    )
    lines = {"-".join(node.line): node for node in game.nodes}
    assert lines[""].actions == ("f", "c", "r2.5")
    assert lines["c"].actions == ("c", "r3", "a")
    assert lines["r2.5"].actions == ("f", "c", "a")
    assert lines["c-c"].kind == FlopNodeKind.FLOP
    assert lines["c-c"].put == (1.1, 1.1)
    assert lines["r2.5-c"].put == (2.6, 2.6)
    assert lines["r2.5-a-c"].kind == FlopNodeKind.ALL_IN
    assert lines["r2.5-a-c"].put == (20.0, 20.0)
    assert lines["r2.5-f"].put == (2.6, 1.1)
    assert game.spot(lines["r2.5-c"], game.flops[0]).pot == 5.2
    assert game.spot(lines["r2.5-c"], game.flops[0]).stack == 17.4


def test_limps_can_be_left_out_and_the_shorter_stack_counts():
    game = make_game(
        limp=False, stacks=(30.0, 10.0), raises={"open": sizes("2x"), "3bet": sizes("a")}
    )
    assert game.nodes[0].actions == ("f", "r2")
    assert game.node(["r2"]).actions == ("f", "c", "a")


def test_a_straddle_makes_the_big_blind_act_first():
    game = make_game(straddle=2.0, stack=10.0, raises={"open": sizes("2x")})
    assert game.nodes[0].player == 1
    assert game.nodes[0].put == (2.0, 1.0)
    assert game.nodes[0].actions == ("f", "c", "r4")
    assert game.node(["c"]).player == 0


def test_a_raise_is_at_least_the_last_one():
    game = make_game(stack=50.0, raises={"open": sizes("5x"), "3bet": sizes("1.8x")})
    assert game.node(["r5"]).actions == ("f", "c", "r9")
    lower = make_game(stack=50.0, raises={"open": sizes("5x"), "3bet": sizes("1.7x")})
    with pytest.raises(ParameterError, match=r"'1.7x', a raise to 8.5 after r5, .* 9 at least"):
        lower.node(["r5"])
    # Who has less than a full raise may go all-in.
    short = make_game(stack=8.0, raises={"open": sizes("5x"), "3bet": sizes("1.7x")})
    assert short.node(["r5"]).actions == ("f", "c", "a")


def test_flops_that_differ_only_in_suits_are_the_same():
    with pytest.raises(ParameterError, match="Th6h3h stands twice in the set"):
        make_game(flop("Ts6s3s"), flop("Th6h3h"))


@pytest.mark.parametrize("stack", [-5.0, 0.0, float("nan")])
def test_a_stack_is_above_zero(stack):
    with pytest.raises(ParameterError, match="A stack is above 0"):
        make_game(stack=stack)


def test_pairs_of_classes_are_those_that_the_flops_leave():
    game = make_game(flop("Ts6s3s", 3.0), flop("AhAdKs"))
    assert game.meetings.sum() == pytest.approx(1)
    np.testing.assert_allclose(game.meetings, game.meetings.T)
    counted = np.zeros(3)
    for each, chance in zip(game.flops, (0.75, 0.25), strict=True):
        gone = set(each.cards)
        hands = [set(map(int, c)) for c in COMBO_CARDS if not gone & set(map(int, c))]
        aces = [h for h in hands if {card // 4 for card in h} == {12}]
        suited = [
            h for h in hands if {c // 4 for c in h} == {12, 11} and len({c % 4 for c in h}) == 1
        ]
        deuces = [h for h in hands if {card // 4 for card in h} == {0}]
        for place, (mine, theirs) in enumerate(((aces, aces), (aces, suited), (suited, deuces))):
            pairs = sum(not a & b for a in mine for b in theirs)
            counted[place] += chance * pairs / (1176 * 1081)
    found = [game.meetings[AA, AA], game.meetings[AA, AKS], game.meetings[AKS, DEUCES]]
    np.testing.assert_allclose(found, counted, atol=1e-12)


def test_values_from_a_flop_are_those_of_its_spot(solver):
    """A best response at the flop equals that of a spot whose ranges are the reaches."""
    node = solver.game.node(["c", "c"])
    reach = np.linspace(0.05, 1.0, 169)
    found = solver.flop_values(node, 1, BEST, reach, (0.0, 0.0, 0.0))
    expected = np.zeros(169)
    for number, (each, chance) in enumerate(zip(solver.game.flops, (0.75, 0.25), strict=True)):
        spot = solver.game.spot(node, each)
        ranged = make_solver(
            type(spot)(
                board=spot.board, pot=spot.pot, stack=spot.stack, sizes=spot.sizes, tree=spot.tree,
                ranges=(Range.full(), Range(reach[class_of_combos()])),
            )
        )  # fmt: skip
        ranged.passes.restore(*_learned(solver, node, number))
        values = ranged.pass_values(0, BEST)
        hands = hands_left(each.cards)
        expected += chance / PAIRS_BEHIND * class_sums(values[: len(hands)].astype(float), hands)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def _learned(solver, node, number):
    spot = solver._spots[node.index][number]
    return spot.regrets, spot.averages


def test_it_is_zero_sum_and_approaches_an_equilibrium(equities, solver):
    rough = FlopGameSolver(solver.game, equities)
    rough.run(Limit(iterations=2))
    before, after = rough.last_evaluation, solver.last_evaluation
    assert after.ev[0] + after.ev[1] == pytest.approx(0, abs=1e-5)
    assert after.exploitability < before.exploitability / 2
    assert all(best >= ev - 1e-6 for best, ev in zip(after.best, after.ev, strict=True))


def test_no_player_gains_by_leaving_the_mean_of_the_action_values(solver):
    """The value of the root is the mean over classes of what the strategy's actions are worth."""
    root = solver.game.nodes[0]
    met = solver.meetings.sum(axis=1)
    values = solver.values(0)[0]
    mean = (met * (solver.strategy(root) * values).sum(axis=0)).sum()
    assert mean == pytest.approx(solver.last_evaluation.ev[0], abs=1e-6)
    assert values[root.actions.index("f")] == pytest.approx(-0.5)


def test_any_number_of_threads_gives_the_same_bits(equities, solver):
    alone = FlopGameSolver(solver.game, equities, threads=1)
    alone.run(Limit(iterations=12))
    for index, averages in solver.averages.items():
        np.testing.assert_array_equal(averages, alone.averages[index])


@pytest.mark.e2e
def test_a_checkpoint_goes_on_exactly(equities, solver, tmp_path):
    spec = {"stacks": 3}
    first = FlopGameSolver(solver.game, equities)
    first.run(Limit(iterations=5))
    first.save_checkpoint(tmp_path / "run.rb", spec)
    second = FlopGameSolver(solver.game, equities)
    second.restore(open_checkpoint(tmp_path / "run.rb", spec))
    assert second.iterations == 5
    second.run(Limit(iterations=12))
    for index, averages in solver.averages.items():
        np.testing.assert_array_equal(averages, second.averages[index])
    with pytest.raises(UsageError, match="another game"):
        open_checkpoint(tmp_path / "run.rb", {"stacks": 4})


def test_a_solution_is_saved_and_read(solver, tmp_path):
    found = solver.solution({"stacks": [3, 3]})
    found.save(tmp_path / "found.rb")
    again = PreflopSolution.load(tmp_path / "found.rb")
    assert again.as_dict() == found.as_dict() | {
        "nodes": again.as_dict()["nodes"]
    }  # frequencies are kept with four bytes
    for one, other in zip(found.nodes, again.nodes, strict=True):
        np.testing.assert_allclose(one.frequencies, other.frequencies, atol=1e-6)
        np.testing.assert_allclose(one.values, other.values, rtol=1e-5)
    folded = found.node().actions.index("f")
    stays = 1 - found.node().frequencies[folded]
    limps, raises = (found.class_reach("sb", line) for line in ("c", "a"))
    np.testing.assert_allclose(limps + raises, stays)
    assert found.range_of("bb", "c").num_combos == 1326
    assert len(list(found.rows())) == 169 * sum(len(node.actions) for node in found.nodes)


def test_rake_makes_the_sum_negative(equities):
    game = make_game(rake_rate=0.05, rake_cap=1.0)
    solver = FlopGameSolver(game, equities)
    solver.run(Limit(iterations=4))
    assert sum(solver.last_evaluation.ev) < -0.001


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"stacks": (1.0, 20.0)}, "nothing to play for"),
        ({"straddle": 1.0}, "more than the big blind"),
        ({"raises": {"7bet": ()}}, "no decision '7bet'"),
        ({"ante": -1.0}, "ante"),
        ({"stacks": (20.005, 20.0)}, "two decimals"),
    ],
)
def test_bad_questions_are_refused(fields, words):
    with pytest.raises(ParameterError, match=words):
        make_game(**fields)


def test_a_flop_stands_once_in_the_set():
    with pytest.raises(ParameterError, match="stands twice"):
        make_game(flop("Ts6s3s"), flop("3sTs6s"))


def test_a_game_without_flops_is_refused():
    with pytest.raises(ParameterError, match="Nobody can see a flop"):
        make_game(limp=False, raises={"open": sizes("a")}).nodes  # noqa: B018


def test_memory_is_stated_before_anything_is_allocated(equities):
    game = make_game()
    size = game_size(game)
    assert size.spots == 1
    assert size.int16 < size.float32
    assert FlopGameSolver(game, equities, memory=size.int16).int16
    with pytest.raises(TooLargeError, match="fewer flops"):
        FlopGameSolver(game, equities, memory=size.int16 - 1)


@pytest.mark.e2e
def test_crafted_files_are_refused_in_a_sentence_or_can_be_used(equities, tmp_path):
    """A sample of changes of a solution and of a checkpoint; their checksums are right."""
    solver = FlopGameSolver(make_game(), equities)
    solver.run(Limit(iterations=1))
    solver.solution({"stacks": 3}).save(tmp_path / "found.rb")
    refused = 0
    for what, header, arrays in random.Random(1).sample(list(crafted(tmp_path / "found.rb")), 80):
        write_crafted(tmp_path / "x.rb", header, arrays)
        refused += is_refused(lambda: use(PreflopSolution.load(tmp_path / "x.rb")), what)
    assert refused > 20
    solver.save_checkpoint(tmp_path / "run.rb", {"stacks": 3})
    changes = list(crafted(tmp_path / "run.rb"))
    refused = 0
    for what, header, arrays in random.Random(3).sample(changes, 20):
        write_crafted(tmp_path / "x.rb", header, arrays)
        refused += is_refused(lambda: go_on(solver, tmp_path / "x.rb"), what)
    assert refused > 5


def go_on(solver, path):
    solver.restore(open_checkpoint(path, {"stacks": 3}))


def use(found):
    assert repr(found)
    assert len(list(found.rows())) >= 169
    for node in found.nodes:
        assert node.grid.svg()
        found.range_of(node.seat, node.line)


def is_refused(work, what):
    try:
        work()
    except RiverboatError as error:
        return str(error).endswith(".")
    except Exception as error:
        raise AssertionError(what) from error
    return False


@pytest.mark.e2e
@pytest.mark.parametrize("num", [10, 25, 49])
def test_a_chosen_subset_deals_pairs_as_a_full_deck_does(num):
    """The error that the shipped subset states, counted again from the pairs that it leaves."""
    game = make_game(*parse_flops(f"subset:{num}"))
    by_class = np.zeros((1326, 169))
    by_class[np.arange(1326), class_of_combos()] = 1
    full = by_class.T @ (disjoint_combos() @ by_class)
    full /= full.sum()
    error = np.sqrt((full * (game.meetings / full - 1) ** 2).sum())
    path = Path(flops.__file__).with_name("flop_subsets.json")
    stated = json.loads(path.read_text(encoding="utf-8"))[str(num)]["errors"]
    assert error == pytest.approx(stated["deal_rms"], abs=2e-4)
    assert error < 0.03


def test_aces_keep_their_equity_on_a_chosen_subset():
    """Against one hand, over all turns and rivers of 49 flops: three ways to name the suits."""
    weighted = total = 0.0
    exact = equity(["AsAh", "KdKc"]).equity[0]
    for each in parse_flops("subset:49"):
        gone = {card_text(card) for card in each.cards}
        for mine, theirs in (("AsAh", "KdKc"), ("AdAc", "KhKs"), ("AsAd", "KhKc")):
            if not gone & {mine[:2], mine[2:], theirs[:2], theirs[2:]}:
                board = "".join(card_text(card) for card in each.cards)
                weighted += each.weight * equity([mine, theirs], board).equity[0]
                total += each.weight
    assert weighted / total == pytest.approx(exact, abs=0.03)
