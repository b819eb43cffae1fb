"""The kernels do what the algorithm says: regrets, averages and values of small spots."""

import numpy as np
import pytest
from numpy.typing import NDArray

from exact_spots import lp_value
from exact_three_way import RIVER
from riverboat.holdem.spots.algorithm import PlainSolver
from riverboat.holdem.spots.schedule import discounts
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.holdem.spots.tree import NodeKind, TreeNode
from riverboat.solvers.algorithms import AVERAGE, BEST, LEARN
from small_omaha import small_spot

TWO = """board = "Qs Jh 8h 2c{river}"
pot = 20
stack = 40
[ranges]
oop = "AsKs,9s9d,7h6h:0.5,AhTc,QdJd"
ip = "KdKc,AhTh,8c8d:0.7,JsTs,5c5d"
[sizes.turn]
oop = {{ bet = "50%", raise = "a" }}
ip = {{ bet = "75%", raise = "a" }}
[tree]
raises = 2
[rake]
rate = 0.05
cap = 1.5
"""
TURN_OF_THREE = """board = "Ks Th 7s 4d"
pot = 30
stacks = { sb = 40, bb = 15, btn = 60 }
[ranges]
sb = "AcKc,9s9d"
bb = "KhQh:0.5,8s8h"
btn = "KdQd,AhAd,6s5s"
[sizes.river]
sb = { bet = "60%", raise = "a" }
bb = { bet = "a" }
btn = { bet = "a" }
"""


def learned(solver: SpotSolver) -> PlainSolver:
    """The plain solver with all that another one has learned."""
    tree, boards = solver.result().tree, solver.layout.boards
    plain = PlainSolver(solver.spot)
    plain.iterations = solver.iterations
    deals: list[tuple[int, ...]] = [()]
    for _ in range(5 - len(solver.spot.board)):
        deals += [(card,) for card in range(52) if card not in solver.spot.gone]
    for node in tree.nodes:
        if node.kind == NodeKind.DECISION:
            for dealt in deals:
                if len(dealt) == node.street - solver.spot.street:
                    board = boards.find(dealt)[0]
                    kept = numbers(solver, node, board)
                    plain.regrets[node.index, dealt], plain.averages[node.index, dealt] = kept
    return plain


def numbers(
    solver: SpotSolver, node: TreeNode, board: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Regrets and averages (actions, H) of a node on a board, as a solver keeps them."""
    seat, actions = node.player, len(node.actions)
    hands = len(solver.layout.hands[seat])
    found = []
    for storage in (solver.regrets[seat], solver.averages[seat]):
        start, width = solver.layout.start(node, board), solver.layout.widths[seat]
        rows = storage.values[start : start + actions * width].reshape(actions, width)
        found.append(rows[:, :hands].astype(np.float64))
    return found[0], found[1]


SPOTS = (*(TWO.format(river=river) for river in ("", " 9h", " 8s")), RIVER, TURN_OF_THREE)
OMAHA = [
    small_spot(board, hole_cards, hole_cards, share=share)
    for hole_cards in (2, 3, 4, 5)
    for board, share in (("Ks Kh 7s 4d 2c", 0.7), ("Ts 9s 8s 4d", 0.15))
]


@pytest.mark.parametrize("iterations", [0, 1, 2, 30])
@pytest.mark.parametrize("spot", [*map(Spot.from_toml, SPOTS), *OMAHA], ids=repr)
def test_the_kernels_do_what_the_algorithm_says(spot: Spot, iterations: int) -> None:
    """A pass of each player, and an evaluation, from the same numbers.

    Not several passes: where a regret is zero but for rounding, regret matching goes one way or the
    other, and the second iteration forgets all positive regrets.
    """
    solver = make_solver(spot, isomorphism=False)
    solver.step(iterations)
    # Sums of 32-bit numbers are exact to a millionth of what all hands weigh together.
    most = 1e-6 * max(map(sum, map(spot.weights, range(spot.num_players)))) * sum(spot.stacks)
    plain = learned(solver)
    evaluation = solver.evaluation()
    for player in range(spot.num_players):
        assert evaluation.best[player] == pytest.approx(plain.mean(player, BEST), abs=5e-4)
        assert evaluation.ev[player] == pytest.approx(plain.mean(player, AVERAGE), abs=5e-4)
    factors = np.array(discounts(iterations), np.float32)
    for learner in range(spot.num_players):
        plain = learned(solver)
        plain.values(plain.tree.nodes[0], (), plain.weights, learner, LEARN)
        solver.pass_values(learner, LEARN, factors)
        for (index, dealt), regrets in plain.regrets.items():
            node = plain.tree.nodes[index]
            if node.player == learner:
                possible = ~np.isin(plain.cards[learner], dealt).any(axis=1)
                kept = numbers(solver, node, solver.layout.boards.find(dealt)[0])
                expected = regrets, plain.averages[index, dealt]
                for found, wanted in zip(kept, expected, strict=True):
                    np.testing.assert_allclose(
                        found[:, possible], wanted[:, possible], rtol=1e-4, atol=max(most, 2e-3)
                    )


def test_the_algorithm_finds_the_value_of_the_exact_lp() -> None:
    """Its own source outside this code: a river's sequence-form linear program."""
    text = TWO.format(river=" 9h").replace("rate = 0.05\ncap = 1.5", "")
    solver = PlainSolver(Spot.from_toml(text.replace("[rake]\n", "")))
    for _ in range(1500):
        solver.iterate()
    value = lp_value(solver.spot)
    assert solver.mean(0, AVERAGE) == pytest.approx(value, abs=5e-3)
    assert solver.mean(0, BEST) >= value - 1e-9
    assert solver.mean(0, BEST) == pytest.approx(value, abs=2e-2)
