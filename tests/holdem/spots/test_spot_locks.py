"""Node locking: locked hands play their lock, and the rest is solved around it."""

import pytest

from riverboat.errors import RiverboatError
from riverboat.holdem.spots.locks import Lock, parse_lock
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.solvers.run import Limit

POLAR = """board = "{board}"
pot = 100
stack = 100
[ranges]
oop = "AA,QQ"
ip = "KK"
[tree]
lines = ["{line}"]
"""


def polar(*locks: Lock, int16: bool = False) -> SpotSolver:
    spot = Spot.from_toml(POLAR.format(board="2s 2h 2d 3c 3d", line="A100"))
    solver = make_solver(spot, locks=locks, int16=int16)
    solver.run(Limit(target=0.01, iterations=5000))
    return solver


@pytest.mark.parametrize("int16", [False, True])
@pytest.mark.parametrize(
    ("lock", "ev", "bets"),
    [
        # Whoever always calls is paid off by aces (200) and never bluffed (0).
        ("r:0:b100=call:1", 100.0, {"AsAh": 1.0, "QsQh": 0.0}),
        # Whoever always folds is bluffed with everything.
        ("r:0:b100=fold:1", 100.0, {"QsQh": 1.0}),
        # Aces that check win 100; a bet shows queens, is called and never made.
        ("r:0@AA=check:1", 50.0, {"AsAh": 0.0, "QsQh": 0.0}),
        # Called one time in four a bluff wins 100 · 3/4 − 100 / 4 = 50, aces 125.
        ("r:0:b100=call:0.25,fold:0.75", 87.5, {"AsAh": 1.0, "QsQh": 1.0}),
    ],
)
def test_the_rest_answers_a_lock(lock: str, ev: float, bets: dict[str, float], int16: bool) -> None:
    solver = polar(parse_lock(lock), int16=int16)
    found = solver.last_evaluation
    assert found is not None
    assert found.ev[0] == pytest.approx(ev, abs=0.1)
    # A best response of the locked player keeps to the lock.
    assert found.exploitability <= 0.01
    table = solver.result().at("r:0").table()
    for hand, share in bets.items():
        strategy = table[hand].strategy
        assert strategy is not None
        assert strategy["all-in 100"] == pytest.approx(share, abs=0.02)


def test_a_lock_is_given_as_its_text_too() -> None:
    spot = Spot.from_toml(POLAR.format(board="2s 2h 2d 3c 3d", line="A100"))
    text = "r:0:b100=call:0.25,fold:0.75"
    by_text = spot.solve(iterations=20, locks=[text])
    by_lock = spot.solve(iterations=20, locks=[parse_lock(text)])
    assert by_text.info["locks"] == by_lock.info["locks"] == [parse_lock(text).as_dict()]
    assert by_text.info["ev"] == by_lock.info["ev"]


def test_a_locked_node_plays_its_lock_on_one_runout_only() -> None:
    spot = Spot.from_toml(POLAR.format(board="2s 2h 2d 3c", line="X-X-A100"))
    solver = make_solver(spot, locks=[parse_lock("r:0:c:c:4c:b100=call:0.3,fold:0.7")])
    # A lock of one runout leaves no two runouts the same.
    assert solver.layout.boards.num_boards == (1, 48)
    solver.run(Limit(iterations=40))
    solved = solver.result()
    told = solved.at("r:0:c:c:4c:b100").strategies
    assert told[1] == pytest.approx([0.3] * told.shape[1], abs=1e-6)
    free = solved.at("r:0:c:c:4d:b100").summary().strategy
    assert free is not None
    assert free["call"] == pytest.approx(0.5, abs=0.1)


def test_alike_hands_locked_alike_keep_runouts_together() -> None:
    spot = Spot.from_toml(POLAR.format(board="2s 2h 2d 3c", line="A100"))
    together = make_solver(spot).layout.boards.num_boards
    assert make_solver(spot, locks=[Lock("r:0", {"check": 1})]).layout.boards.num_boards == together
    apart = make_solver(spot, locks=[Lock("r:0", {"check": 1}, "AsAh")])
    assert apart.layout.boards.num_boards == (1, 48)


def test_locks_go_with_a_file(tmp_path: object) -> None:
    path = f"{tmp_path}/spot.rb"
    whole = polar(parse_lock("r:0@QQ=check:0.2,all-in:0.8"))
    whole.save(path)
    again = SpotSolver.load(path)
    assert again.locks == whole.locks
    again.step(3)
    whole.step(3)
    assert (again.regrets[0].values == whole.regrets[0].values).all()
    figures = again.result().at("r:0").figures("QsQh")
    assert figures.strategy is not None
    assert figures.strategy["check"] == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(
    ("lock", "reason"),
    [
        ("r:0", "is no lock"),
        ("r:0=check", "no action with a probability"),
        ("r:0=check:0.5", "add up to 0.5"),
        ("r:0=check:2", "0 to 1"),
        ("r:0=raise:1", "no action 'raise'"),
        ("x:0=check:1", "is no node"),
        ("r:0:c:c=check:1", "Nobody acts"),
        ("r:0:c:c:c=check:1", "Nobody acts"),
        ("r:0@55=check:1", "names no hand"),
        ("r:0:Ah=check:1", "cannot be dealt"),
    ],
)
def test_bad_locks_are_refused(lock: str, reason: str) -> None:
    with pytest.raises(RiverboatError, match=reason):
        polar(parse_lock(lock))


def test_both_players_can_be_locked_at_once() -> None:
    """Everything is bet and called: aces win 200, as many queens lose 100."""
    solver = polar(parse_lock("r:0=all-in:1"), parse_lock("r:0:b100=call:1"))
    assert solver.last_evaluation is not None
    assert solver.last_evaluation.ev[0] == pytest.approx(50.0, abs=1e-3)
