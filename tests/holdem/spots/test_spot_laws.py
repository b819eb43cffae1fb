"""Laws that hold for any spot, Leduc poker through the same kernels, and two long proofs."""

from functools import cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riverboat.cards.card import CARDS
from riverboat.games.registry import make_game
from riverboat.holdem.spots._boards import BoardClasses, BoardLevel, classify_boards
from riverboat.holdem.spots._hand_tables import HandTables, hand_tables
from riverboat.holdem.spots.layout import Layout
from riverboat.holdem.spots.plan import SpotPlan, build_plan
from riverboat.holdem.spots.solver import make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import build_tree
from riverboat.solvers.run import Limit
from riverboat.solvers.solve import solve
from spot_references import reference, spot_from_lines

BETS = ("33%", "75%", "a", "e", "20c")


@st.composite
def random_spots(draw: st.DrawFn) -> Spot:
    cards = draw(st.permutations(range(52)))
    board, rest = cards[:5], cards[5:]
    hands = [
        ",".join(
            CARDS[rest[i]] + CARDS[rest[i + 1]] + f":{draw(st.sampled_from((1, 0.5, 0.03)))}"
            for i in range(start, start + 16, 2)
        )
        for start in (0, 10)
    ]
    sizes = [draw(st.lists(st.sampled_from(BETS), min_size=1, max_size=3)) for _ in range(2)]
    return Spot.from_toml(
        f'board = "{" ".join(CARDS[card] for card in board)}"\n'
        f"pot = {draw(st.integers(1, 500))}\nstack = {draw(st.integers(1, 900))}\n"
        f'[ranges]\noop = "{hands[0]}"\nip = "{hands[1]}"\n[sizes.river]\n'
        f'oop = {{ bet = "{",".join(sizes[0])}", raise = "a" }}\n'
        f'ip = {{ bet = "{",".join(sizes[1])}", raise = "50%" }}\n[tree]\nraises = 3\n'
    )


@settings(max_examples=15)
@given(random_spots(), st.booleans())
def test_values_add_up_to_the_pot_and_best_responses_never_lose(spot: Spot, int16: bool) -> None:
    solver = make_solver(spot, int16=int16)
    solver.step(30)
    found = solver.evaluation()
    assert sum(found.ev) == pytest.approx(spot.pot, rel=1e-4)
    for best, ev in zip(found.best, found.ev, strict=True):
        assert best >= ev - 1e-4 * (spot.pot + spot.stack)


def leduc() -> Layout:
    """Leduc poker in the clothes of a turn: six private cards are six hands without a card in
    common, the board card is one of six rivers, each of which blocks one hand."""
    private = ["2c2d", "3c3d", "4c4d", "5c5d", "6c6d", "7c7d"]  # J J Q Q K K
    lines = ["B2-R4", "X-B2-R4"]
    after = ["X-X", "B2-C", "X-B2-C", "B2-R4-C", "X-B2-R4-C"]
    lines += [f"{start}-{more}" for start in after for more in ("B4-R8", "X-B4-R8")]
    spot = Spot.from_toml(
        'board = "As Ah Ks Kh"\npot = 2\nstack = 100\n[ranges]\n'
        f'oop = "{",".join(private)}"\nip = "{",".join(private)}"\n[tree]\nlines = {lines!r}\n'
    )
    return LeducLayout(spot, build_tree(spot), _leduc_boards(spot))


class LeducLayout(Layout):
    """A turn whose boards, hands by strength and share of cards are Leduc's."""

    @cached_property
    def plan(self) -> SpotPlan:
        plan = build_plan(self.tree)
        # Four cards of six are left for the board, where hold'em has 44.
        for street in plan.streets:
            for each in street:
                each.child_factors[each.child_factors == np.float32(1 / 44)] = 1 / 4
        return plan

    @cached_property
    def tables(self) -> tuple[HandTables, HandTables]:
        # Strengths and boards of the hold'em spot are of no use here.
        boards = classify_boards(self.spot, isomorphism=False)
        usual = hand_tables(Layout(self.spot, self.tree, boards))
        first, second = (_leduc_table(table) for table in usual)
        return first, second


def _leduc_table(table: HandTables) -> HandTables:
    order, groups = [], []
    for public in range(6):
        left = [card for card in range(6) if card != public]
        # A pair with the board beats all; else the higher rank.
        worth = {card: 10 if card // 2 == public // 2 else card // 2 for card in left}
        ranked = sorted(left, key=worth.__getitem__)
        order.append([*ranked, public])
        levels = sorted(set(worth.values()))
        below = [sum(value < level for value in worth.values()) for level in levels]
        upto = [sum(value <= level for value in worth.values()) for level in levels]
        groups.append(np.array([upto, below, upto], np.int16).T)
    first = np.cumsum([0, *(len(group) for group in groups)]).astype(np.int64)
    return table._replace(
        order=np.array(order, np.int16),
        num_valid=np.full(6, 5, np.int64),
        first_group=first,
        groups=np.ascontiguousarray(np.concatenate(groups)),
    )


def _leduc_boards(spot: Spot) -> BoardClasses:
    none, ones = np.zeros(6, np.int64), np.arange(7, dtype=np.int64)  # one card in each class
    first_street = BoardLevel(
        np.zeros((1, 0), np.int64),
        np.array([0, 6], np.int64),
        np.array([0, 1], np.int64),
        np.zeros(1, np.int64),
        np.array([-1], np.int64),
        np.zeros(1, np.int64),
    )
    rivers = BoardLevel(
        np.arange(6, dtype=np.int64).reshape(6, 1),
        np.zeros(1, np.int64),
        ones,
        none,
        ones[:6],
        none,
    )
    return BoardClasses(
        board=spot.board, levels=(first_street, rivers), renamings=(0,), stabilisers=((0,),)
    )


def test_leduc_poker_through_the_same_kernels() -> None:
    solver = make_solver(leduc())
    solver.run(Limit(target=2e-4, iterations=20_000))
    exact = solve(make_game("leduc"), algorithm="lp").value[0]
    assert solver.last_evaluation is not None
    # Half of the two antes belongs to each player.
    assert solver.last_evaluation.ev[0] - 1 == pytest.approx(exact, abs=5e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target"), [("turn_full", "0.05%"), ("3betpotfast", "0.1%")])
def test_spots_of_another_solver_hand_by_hand(name: str, target: str) -> None:
    data = reference(name)
    spot = spot_from_lines(data)
    found = spot.solve(target=target, threads=2)
    root, result = found.at("r:0"), data["result"]
    summary, table = root.summary(), root.table()
    assert summary.ev == pytest.approx(result["ev_oop"], abs=0.03)
    assert summary.equity == pytest.approx(result["equity_oop"], abs=1e-5)
    assert summary.strategy is not None
    assert list(summary.strategy.values()) == pytest.approx(result["frequency"], abs=0.005)
    gaps = np.array([table[hand].ev - each["ev"] for hand, each in data["hands"].items()])
    assert np.abs(gaps).max() < 0.002 * spot.pot
    assert (np.abs(gaps) < 0.001 * spot.pot).mean() > 0.95
