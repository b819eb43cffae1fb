"""Spots of Omaha: values, files and questions, held against exact programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from emulated_device import EmulatedDevice
from exact_spots import best_response, lp_value, played_value
from riverboat.cards.card import card_text
from riverboat.cards.combos import suit_permutations
from riverboat.cards.hands import hand_cards, hand_numbers, num_hands, parse_hand
from riverboat.cards.omaha import omaha_strengths
from riverboat.cards.omaha_ranges import OmahaRange
from riverboat.cards.plain_omaha import omaha_strength_of
from riverboat.cards.strength import board_strengths
from riverboat.errors import ParameterError, RiverboatError, TooLargeError, UsageError
from riverboat.holdem.spots._subset_tables import ranked_hands, subset_hands
from riverboat.holdem.spots.bet_sizes import TreeOptions
from riverboat.holdem.spots.cuda.subset_passes import CudaSubsetPasses
from riverboat.holdem.spots.drill import Drill
from riverboat.holdem.spots.layout import open_layout
from riverboat.holdem.spots.locks import parse_lock
from riverboat.holdem.spots.node_groups import node_groups
from riverboat.holdem.spots.node_views import node_curves, node_grid
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.solved import SolvedSpot, load_spot
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot, make_spot
from riverboat.holdem.spots.tree import NodeKind
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from riverboat.solvers.run import Limit
from small_omaha import small_spot

TEXT = """game = "omaha"
board = "Ks Th 7s 4d{river}"
pot = 100
stack = 300
[ranges]
oop = "{oop}"
ip = "{ip}"
[sizes.turn]
oop = {{ bet = "100%", raise = "a" }}
ip = {{ bet = "100%", raise = "a" }}
"""
HOLDEM = """board = "Qs Jh 2h{river}"
pot = 60
stack = 120
[ranges]
oop = "22+,A2s+,KTs+,QTs+,AJo+"
ip = "66+,A9s+,KQs,JTs,T9s,98s:0.5,KQo"
[sizes.{street}]
oop = {{ bet = "50%", raise = "a" }}
ip = {{ bet = "75%", raise = "a" }}
"""


def question(river: str = " 2c", oop: str = "2%", ip: str = "2%") -> Spot:
    return Spot.from_toml(TEXT.format(river=river, oop=oop, ip=ip))


def few(spot: Spot, count: int, seed: int) -> Spot:
    """The spot without rake, with so many hands of each player."""
    rng = np.random.default_rng(seed)
    ranges = []
    for player in (0, 1):
        kept = np.zeros(num_hands(spot.hole_cards))
        kept[rng.choice(spot.hands(player), count, replace=False)] = 1.0
        ranges.append(OmahaRange(kept))
    return replace(spot, ranges=tuple(ranges), rake_rate=0.0, rake_cap=0.0)


@pytest.mark.parametrize(
    ("board", "count"),
    [("Ks Kh 7s 4d 2c", 40), pytest.param("Ts 9s 8s 4d", 6, marks=pytest.mark.slow)],
)
def test_a_small_deck_has_the_value_of_the_exact_lp(board: str, count: int) -> None:
    spot = few(small_spot(board, 4, 1), count, 5)
    solver = make_solver(spot)
    solver.passes.iterate(600)
    found = solver.evaluation()
    assert found.ev[0] == pytest.approx(lp_value(spot), abs=0.02)
    assert found.exploitability < 0.02


@pytest.mark.parametrize(
    "board", ["Ks Kh 7s 4d 2c", pytest.param("Ts 9s 8s 4d", marks=pytest.mark.slow)]
)
def test_best_responses_are_those_of_the_plainest_recursion(board: str) -> None:
    spot = small_spot(board, 4, 3, share=0.03)
    solver = make_solver(spot)
    solver.passes.iterate(20)
    found, root = solver.evaluation(), solver.result().at()
    for player in (0, 1):
        assert found.best[player] == pytest.approx(best_response(root, player), abs=1e-3)
        assert found.ev[player] == pytest.approx(played_value(root, player), abs=1e-3)


@pytest.mark.parametrize(("street", "river"), [("turn", " 9c"), ("river", " 9c 3d")])
def test_two_cards_are_holdem(street: str, river: str) -> None:
    """Tables for hands of k cards, with k = 2 and the strengths of hold'em."""
    spot = Spot.from_toml(HOLDEM.format(street=street, river=river))
    plain, other = open_layout(spot), open_layout(spot)
    every = [[*spot.board, *cards] for cards in plain.boards.levels[-1].cards.tolist()]

    def strengths(board: Sequence[int], cards: NDArray[np.uint8]) -> NDArray[np.uint16]:
        low, high = cards.astype(np.int64).T
        return np.asarray(board_strengths(list(board))[low * (101 - low) // 2 + high - 1])

    unranked = subset_hands(other.combos, other.weights, other.maps, 2)
    tables = ranked_hands(every, unranked, strengths)
    vars(other).update(subsets=tables, tables=tables)
    solvers = [make_solver(layout) for layout in (plain, other)]
    for solver in solvers:
        solver.passes.iterate(1)
    for learner in (0, 1):
        for mode in (BEST, AVERAGE):
            means = [plain.mean(learner, solver.passes.values(learner, mode)) for solver in solvers]
            assert means[0] == pytest.approx(means[1], abs=1e-6 * spot.pot)


@pytest.mark.parametrize(
    ("board", "cards"), [("Ks Kh 7s 4d 2c", 4), ("Ts 9s 8s 4d", 4), ("Ts 9s 8s", 2)]
)
def test_a_gpu_counts_what_the_cpu_counts(board: str, cards: int, tmp_path: Path) -> None:
    spot = small_spot(board, cards, 2, share=0.3)
    layout = open_layout(spot)
    cpu = make_solver(layout).passes
    gpu = CudaSubsetPasses(layout, gpu=EmulatedDevice(tmp_path, level="-O1"))
    for t in range(3):
        factors = np.array(discounts(t), np.float32)
        for learner in (0, 1):
            for mode in (LEARN, BEST, AVERAGE):
                found = gpu.values(learner, mode, factors)
                wanted = cpu.values(learner, mode, factors)
                means = [layout.mean(learner, values) for values in (found, wanted)]
                assert means[0] == pytest.approx(means[1], abs=1e-4)
            # Where a regret is zero but for rounding the two would part.
            gpu.restore(cpu.regrets, cpu.averages)


LOCKS = ("r:0@[T-A][T-A]=check:0.25,bet 20:0.75", "r:0:c:c:{card}=check:1", "r:0:c@AA,KK=check:1")


@pytest.mark.parametrize("board", ["Ks Kh 7s 4d 2c", "Ts 9s 8s 4d"])
def test_a_gpu_keeps_to_locks_as_the_cpu_does(board: str, tmp_path: Path) -> None:
    spot = small_spot(board, 4, 6, share=0.3)
    river = len(board.split()) == 4
    card = next(card_text(card) for card in range(52) if card not in spot.gone)
    locks = [parse_lock(text.format(card=card)) for text in LOCKS if river or "{" not in text]
    cpu = make_solver(spot, locks=locks)
    device = EmulatedDevice(tmp_path, level="-O1")
    gpu = make_solver(spot, device="cuda", gpu=device, locks=locks)
    for _ in range(3):
        for solver in (cpu, gpu):
            solver.passes.iterate(1)
        found, wanted = gpu.evaluation(), cpu.evaluation()
        assert found.best == pytest.approx(wanted.best, abs=1e-6 * spot.pot)
        assert found.ev == pytest.approx(wanted.ev, abs=1e-6 * spot.pot)
        # Where a regret is zero but for rounding the two would part.
        gpu.passes.restore(cpu.regrets, cpu.averages)
    for solver in (cpu, gpu):
        root = solver.result().at("r:0")
        locked = OmahaRange.parse("[T-A][T-A]").weights[root.combos(0)] > 0
        assert locked.any()
        assert root.strategies[1, locked] == pytest.approx(0.75, abs=1e-6)


@pytest.mark.parametrize("int16", [False, True])
def test_the_rest_answers_a_lock_as_all_pairs_of_hands_say(int16: bool) -> None:
    """One who calls all-in with everything is bet against by every hand that wins more than half.

    Checking wins a share e of 100, a bet of 100 that is called 300 e − 100.
    """
    small = few(small_spot("Ks Kh 7s 4d 2c", 4, 1), 60, 5)
    spot = replace(small, pot=100, stacks=(100, 100), sizes={}, tree=TreeOptions(lines=("A100",)))
    solver = make_solver(spot, locks=[parse_lock("r:0:b100=call:1")], int16=int16)
    solver.run(Limit(target=0.01, iterations=5000))
    mine, theirs = (hand_cards(4)[spot.hands(player)] for player in (0, 1))
    board = list(spot.board)
    strengths = [omaha_strengths(cards, [board]).astype(int) for cards in (mine, theirs)]
    apart = ~(mine[:, None, :, None] == theirs[None, :, None, :]).any(axis=(2, 3))
    shares = (1 + np.sign(strengths[0][:, None] - strengths[1])) / 2 * apart
    won, met = shares.sum(axis=1), apart.sum(axis=1)
    wanted = np.maximum(100 * won, 300 * won - 100 * met).sum() / met.sum()
    found = solver.evaluation()
    assert found.ev[0] == pytest.approx(wanted, abs=0.05)
    assert found.exploitability <= 0.01


def test_a_lock_of_some_hands_leaves_the_others_alone(tmp_path: Path) -> None:
    solver = make_solver(question(), locks=[parse_lock("r:0@AA$ds=check:0.5,bet 100:0.5")])
    solver.passes.iterate(20)
    solver.save(tmp_path / "locked.rb")
    again = SpotSolver.load(tmp_path / "locked.rb")
    assert again.locks == solver.locks
    assert np.array_equal(again.averages[0].values, solver.averages[0].values)
    root = again.result().at("r:0")
    locked = OmahaRange.parse("AA$ds").weights[root.combos(0)] > 0
    assert locked.any()
    assert root.strategies[0, locked] == pytest.approx(0.5, abs=1e-6)
    assert np.abs(root.strategies[0, ~locked] - 0.5).mean() > 0.1


@pytest.mark.parametrize(
    ("lock", "reason"),
    [
        ("r:0@AsKsQsJsTs=check:1", "5 cards"),
        ("r:0@7777=check:1", "names no hand"),
        ("r:0=check:0.5", "add up"),
    ],
)
def test_bad_locks_get_a_sentence(lock: str, reason: str) -> None:
    with pytest.raises(RiverboatError, match=reason):
        make_solver(question(), locks=[parse_lock(lock)])


def test_any_number_of_threads_gives_the_same_bits() -> None:
    found = []
    for threads in (1, 2):
        solver = make_solver(question(""), threads=threads)
        with solver.passes.pooled():
            solver.passes.iterate(2)
        found.append([storage.values.copy() for storage in solver.passes.averages])
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


def test_a_file_goes_on_where_it_stood(tmp_path: Path) -> None:
    whole, first = make_solver(question()), make_solver(question())
    whole.passes.iterate(12)
    first.passes.iterate(5)
    first.save(tmp_path / "half.rb")
    second = SpotSolver.load(tmp_path / "half.rb")
    second.passes.iterate(7)
    for one, two in zip(
        (*whole.regrets, *whole.averages), (*second.regrets, *second.averages), strict=True
    ):
        assert np.array_equal(one.values, two.values)


def test_suits_by_other_names_give_the_same_strategies_by_other_names() -> None:
    spot = few(question(), 300, 8)
    renaming = 9
    cards = suit_permutations()[0][renaming]
    moved = hand_numbers(cards[hand_cards(4)])
    ranges = []
    for own in spot.ranges:
        weights = np.zeros(num_hands(4))
        weights[moved] = own.weights
        ranges.append(OmahaRange(weights))
    other = replace(
        spot, board=tuple(int(cards[card]) for card in spot.board), ranges=tuple(ranges)
    )
    found, evs = [], []
    for each in (spot, other):
        solver = make_solver(each)
        solver.passes.iterate(100)
        evs.append(solver.evaluation().ev)
        table = np.zeros((2, num_hands(4)))
        table[:, each.hands(0)] = solver.result().at().strategies
        found.append(table)
    # Sums in another order are rounded otherwise: of hands that are indifferent, whose regrets are
    # zero but for rounding, one action or the other is played for a while.
    assert evs[0] == pytest.approx(evs[1], abs=5e-3)
    assert np.abs(found[1][:, moved] - found[0])[:, spot.hands(0)].mean() < 5e-3


def test_suits_that_are_alike_are_counted_once() -> None:
    """On a board of two suits two others are alike: fewer rivers, the same values."""
    spot = make_spot(
        game="omaha", board="Ks Ts 7h 4h", pot=100, stack=100, ranges=("1%", "1%"),
        sizes={"turn": {"oop": {"bet": "100%"}}},
    )  # fmt: skip
    found = []
    for isomorphism in (True, False):
        solver = make_solver(spot, isomorphism=isomorphism)
        solver.passes.iterate(30)
        found.append((solver.layout.boards.num_boards[-1], solver.evaluation()))
    assert (found[0][0], found[1][0]) == (35, 48)
    assert found[0][1].ev == pytest.approx(found[1][1].ev, abs=1e-2)


def test_a_spot_is_written_and_read_back() -> None:
    spot = question(oop="AA$ds,KK$np:0.5", ip="10%!AA")
    again = Spot.from_toml(spot.to_toml())
    assert again == spot
    assert all(one == two for one, two in zip(again.ranges, spot.ranges, strict=True))


@pytest.mark.parametrize("hole_cards", [2, 3, 5])
def test_hands_of_other_numbers_of_cards_are_written_and_read_back(
    hole_cards: int, tmp_path: Path
) -> None:
    ranges = ["AA,QQ,J9", "KK,T8"] if hole_cards < 5 else ["AAKQJ$ds", "QQJT9$ds"]
    spot = make_spot(
        game="omaha", hole_cards=hole_cards, board="Ks Th 7s 4d 2c", pot=100, stack=300,
        ranges=ranges, sizes={"river": {"oop": {"bet": "100%"}}},
    )  # fmt: skip
    assert f"hole_cards = {hole_cards}\n" in spot.to_toml()
    assert Spot.from_toml(spot.to_toml()) == spot
    solved = spot.solve(iterations=20)
    solved.save(tmp_path / "solved.rb")
    again = load_spot(tmp_path / "solved.rb").at()
    assert again.hole_cards(0).shape[1] == hole_cards
    assert np.array_equal(again.strategies, solved.at().strategies)


def test_a_number_of_hole_cards_belongs_to_the_ranges() -> None:
    for game, hole_cards, ranges, reason in (
        ("omaha", 6, ("AA", "KK"), "2 to 5 hole cards, not 6"),
        ("omaha", "4", ("AA", "KK"), "not '4'"),
        ("holdem", 4, ("AA", "KK"), "hold'em has 2 cards"),
        ("omaha", 5, (OmahaRange.parse("AA"), "KK"), "hands of 5 cards, not of 4"),
        ("omaha", 5, ("AsKsQsJs9s9h", "KK"), "has 6 cards"),
    ):
        with pytest.raises(ParameterError, match=reason):
            make_spot(
                game=game, hole_cards=hole_cards, board="Ks Th 7s 4d 2c", pot=100, stack=300,
                ranges=ranges,
            )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"100%"', '"150%"', "pot-limit"),
        ('"100%"', '"101c"', "exceeds the pot, which allows 100 chips on the river"),
        ('raise = "a"', 'raise = "120%"', r"sizes.turn.oop has 120%, which is above the pot"),
        ('oop = "2%"', 'oop = "AsKsQsJsTs"', "AsKsQsJsTs"),
        ('oop = "2%"', 'oop = "AsAsKdQd"', "As"),
        ('game = "omaha"', 'game = "stud"', "stud"),
        ("pot = 100\n", "pot = 100\npayouts = { places = [2, 1] }\n", "chips"),
        ('oop = "2%"', 'oop = "KsThAA"', "card of the board"),
    ],
)
def test_bad_questions_get_a_sentence(old: str, new: str, sentence: str) -> None:
    text = TEXT.format(river=" 2c", oop="2%", ip="2%").replace(old, new, 1)
    with pytest.raises(RiverboatError, match=sentence.replace("$", r"\$")):
        make_solver(Spot.from_toml(text))


def test_all_in_means_the_pot_where_that_is_less() -> None:
    text = TEXT.format(river=" 2c", oop="2%", ip="2%").replace('"100%"', '"a"')
    actions = make_solver(Spot.from_toml(text)).result().at().actions
    assert actions == ["check", "bet 100"]


def test_what_does_not_fit_is_refused_before_it_is_built() -> None:
    spot = make_spot(
        game="omaha", board="Ks Th 7s", pot=100, stack=300, ranges=("random", "random"),
        sizes={"flop": {"oop": {"bet": "100%"}}},
    )  # fmt: skip
    with pytest.raises(TooLargeError, match="fewer sizes and smaller ranges"):
        make_solver(spot, memory=1 << 30)


def test_a_refusal_names_a_part_of_the_hands_that_fits() -> None:
    spot, allowed = question("", "5%", "5%"), 80 << 20
    with pytest.raises(TooLargeError, match=r"more than the 80\.0 MiB allowed") as error:
        make_solver(spot, memory=allowed)
    part = re.search(r"about (\d+) % of the hands would fit", str(error.value))
    assert part is not None
    hands = np.random.default_rng(3).permutation(spot.hands(0))

    def of_part(percent: float) -> Spot:
        kept = np.zeros(num_hands(4))
        kept[hands[: int(percent * len(hands) / 100)]] = 1.0
        return replace(spot, ranges=(OmahaRange(kept),) * 2)

    assert make_solver(of_part(int(part[1])), memory=allowed).memory_bytes <= allowed
    with pytest.raises(TooLargeError, match="of the hands would fit"):
        make_solver(of_part(1.15 * int(part[1])), memory=allowed)


@pytest.mark.slow
def test_the_values_of_the_prototypes_river() -> None:
    """All 178,365 hands of both players: 46.70 and 53.30 at 0.078 % of the pot."""
    solver = make_solver(question(oop="random", ip="random"))
    solver.passes.iterate(80)
    found = solver.evaluation()
    assert found.percent < 0.1
    assert found.ev == pytest.approx((46.70, 53.30), abs=0.05)


def test_omaha_has_no_three_players() -> None:
    full = OmahaRange.full()
    with pytest.raises(ParameterError, match="two players"):
        Spot(question().board, 10.0, 20.0, (full, full, full), game="omaha")


def test_what_is_drawn_for_two_cards_says_so() -> None:
    solver = make_solver(question(oop="AAKK$ds", ip="QQJJ"))
    solver.passes.iterate(1)
    solved = solver.result()
    for drawn in (node_grid, node_curves):
        with pytest.raises(UsageError, match="two cards"):
            drawn(solved.at())
    with pytest.raises(UsageError, match="Omaha"):
        solved.spot.of_two()
    assert node_groups(solved.at()).total.players[0].share == pytest.approx(1.0)


@pytest.fixture(scope="module")
def turn() -> SolvedSpot:
    spot = question("", "AA$ds,JT98$ss", "KK,QJT9$ds")
    return spot.solve(iterations=40)


@pytest.mark.parametrize("side", [0, 1])
def test_a_drill_deals_four_cards_and_pays_what_they_win(turn: SolvedSpot, side: int) -> None:
    drill = Drill(turn, side=side, seed=5)
    rng = np.random.default_rng(side)
    ends = set()
    for _ in range(30):
        hand = drill.deal()
        while hand.your_turn:
            strategy, evs = hand.hint()
            assert sum(strategy.values()) == pytest.approx(1)
            action = hand.actions[rng.integers(len(hand.actions))]
            verdict = hand.act(action)
            assert verdict.cost == pytest.approx(max(evs.values()) - evs[action])
        at, held = hand.cursor, [parse_hand(hand.cards), parse_hand(hand.their_cards)]
        assert len({*held[0], *held[1], *at.board}) == 8 + len(at.board)
        share = 0.5
        if at.kind == NodeKind.FOLD:
            share = float(at.node.player != side)
        else:
            mine, theirs = (omaha_strength_of(cards, at.board) for cards in held)
            share = 0.5 if mine == theirs else float(mine > theirs)
        ends.add((at.kind, share))
        assert hand.won == pytest.approx(share * at.pot - at.node.put[side])
    assert len(ends) == 4
    again = Drill.resume(turn, drill.as_dict())
    assert again.deal().cards == drill.deal().cards


def test_rivers_left_out_of_a_file_are_solved_again(turn: SolvedSpot, tmp_path: Path) -> None:
    turn.save(tmp_path / "turn.rb", without="rivers")
    part = load_spot(tmp_path / "turn.rb").at("r:0:c:c:9h")
    whole = turn.at("r:0:c:c:9h")
    assert part.solved is not whole.solved
    assert part.solved.info["exploitability_pct"] <= 0.3
    assert part.hands(0) == [hand for hand in whole.hands(0) if hand in set(part.hands(0))]
    for player in (0, 1):
        assert part.summary(player).equity == pytest.approx(whole.summary(player).equity, abs=1e-6)
    assert sum(part.summary(player).ev for player in (0, 1)) == pytest.approx(part.pot, abs=1e-3)


def test_no_hand_that_meets_none_spoils_a_mean(turn: SolvedSpot) -> None:
    """Of IP's range few hands check behind, and some of OOP's share a card with each of them."""
    at = turn.at("r:0:c:c:9h")
    theirs = dict(zip(at.hands(1), at.weights(1), strict=True))
    for place, hand in enumerate(at.hands(0)):
        cards = set(parse_hand(hand))
        met = sum(w for other, w in theirs.items() if not cards & set(parse_hand(other)))
        met *= not cards & set(at.board)
        assert at.meetings(0)[place] == pytest.approx(met, abs=1e-9)
        assert (at.meetings(0)[place] == 0) == (met < 1e-12 * max(1, max(at.meetings(0))))
    assert (at.meetings(0) == 0).any()
    for player in (0, 1):
        live = at.weights(player) * at.meetings(player) > 0
        assert np.isfinite(at.evs(player)[live]).all()
        assert np.isfinite(at.equities(player)[live]).all()
        assert np.isfinite(at.summary(player).ev)
