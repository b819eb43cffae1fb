"""What a solve takes is said before it starts: memory, time, the file; too much is refused."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import riverboat as rb
from commands import Command
from exact_three_way import RIVER
from riverboat.errors import TooLargeError
from riverboat.holdem.spots import cost
from riverboat.holdem.spots.cost import bytes_text, default_memory, seconds_text, solve_cost
from riverboat.holdem.spots.solve import open_solver, run_solver, spot_limit
from riverboat.holdem.spots.solved import SolvedSpot, kept_bytes
from riverboat.holdem.spots.solver import SpotSolver, make_solver
from riverboat.holdem.spots.spot import Spot
from riverboat.solvers.run import Limit

FLOP = """board = "Qs Jh 8h"
pot = 20
stack = 30
[ranges]
oop = "AsKs,9s9d,7h6h:0.5,AhTc"
ip = "KdKc,AhTh,8c8d:0.7,JsTs"
[sizes.flop]
oop = { bet = "50%" }
ip = { bet = "50%", raise = "a" }
"""
TURN = FLOP.replace('"Qs Jh 8h"', '"Qs Jh 8h 2c"')
HEADER = 4096
"""Bytes that names, shapes, the spot as a text and how it was solved take at most."""


@pytest.mark.parametrize("int16", [False, True])
@pytest.mark.parametrize(
    ("text", "without"),
    [(TURN, None), (TURN, "rivers"), (FLOP, None), (FLOP, "rivers"), (FLOP, "turns")],
    ids=["turn", "turn without rivers", "flop", "flop without rivers", "flop without turns"],
)
def test_the_file_has_the_size_that_is_said(
    tmp_path: Path, text: str, without: str | None, int16: bool
) -> None:
    solver, path = make_solver(Spot.from_toml(text), int16=int16), tmp_path / "spot.rb"
    said = solve_cost(solver, Limit(iterations=1), without=without).file
    assert said == kept_bytes(solver.layout, int16=int16, without=without)
    run_solver(solver, Limit(iterations=1), checkpoint=path, without=without)
    assert 0 < path.stat().st_size - said < HEADER


def test_the_file_of_three_players_has_the_size_that_is_said(tmp_path: Path) -> None:
    solver, path = open_solver(Spot.from_toml(RIVER)), tmp_path / "spot.rb"
    assert isinstance(solver, SpotSolver)
    said = solve_cost(solver, Limit(iterations=1)).file
    run_solver(solver, Limit(iterations=1), checkpoint=path)
    assert 0 < path.stat().st_size - said < HEADER


@pytest.mark.parametrize("without", ["rivers", "turns"])
def test_a_checkpoint_on_the_way_is_no_larger_than_what_is_kept(
    tmp_path: Path, without: str
) -> None:
    solver, path = make_solver(Spot.from_toml(FLOP)), tmp_path / "spot.rb"
    written: dict[str, list[int]] = {}

    def look(_: Any) -> None:
        for found in tmp_path.iterdir():
            written.setdefault(found.name, []).append(found.stat().st_size)

    run_solver(
        solver, Limit(iterations=40), progress=look, checkpoint=path, every=0.0, without=without
    )
    assert list(written) == ["spot.rb"]
    # The header's figures may have a few digits more or less.
    assert max(written["spot.rb"]) <= path.stat().st_size + 200
    whole = kept_bytes(solver.layout, int16=False)
    assert max(written["spot.rb"]) < whole / 4
    solved = SolvedSpot.load(path)
    assert solved.streets_kept == {"turns": 1, "rivers": 2}[without]
    assert solved.info["iterations"] == 40


def test_a_solve_takes_half_of_the_memory_and_only_what_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for whole, free, most in ((16, 12, 8), (16, 3, 3), (16, None, 8), (None, 5, 5)):
        monkeypatch.setattr(cost, "machine_memory", lambda whole=whole: whole)
        monkeypatch.setattr(cost, "free_memory", lambda free=free: free)
        assert default_memory() == most
    monkeypatch.setattr(cost, "free_memory", lambda: None)
    assert default_memory() > 1 << 60


def test_more_than_that_is_refused_unless_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    spot = Spot.from_toml(TURN)
    size = make_solver(spot).size
    monkeypatch.setattr("riverboat.holdem.spots.solve.default_memory", lambda: size.int16 - 1)
    with pytest.raises(TooLargeError, match="at most half of the machine's memory") as refused:
        open_solver(spot)
    assert "--memory (memory= in Python)" in str(refused.value)
    assert str(refused.value).endswith(" only what is free.")
    assert "\n" not in str(refused.value)
    with pytest.raises(TooLargeError, match="at most half"):
        rb.solve(spot, iterations=1)
    allowed = open_solver(spot, memory=size.float32)
    assert isinstance(allowed, SpotSolver)
    assert not allowed.int16
    # Half of the memory that would suffice for 32-bit numbers is taken with 16-bit ones.
    monkeypatch.setattr("riverboat.holdem.spots.solve.default_memory", lambda: size.int16)
    smaller = open_solver(spot)
    assert isinstance(smaller, SpotSolver)
    assert smaller.int16


def test_a_file_that_exceeds_the_memory_is_not_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "spot.rb"
    run_solver(make_solver(Spot.from_toml(TURN)), Limit(iterations=1), checkpoint=path)
    monkeypatch.setattr("riverboat.holdem.spots.solve.default_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match=r"spot\.rb takes 0\.00 GiB of memory"):
        open_solver(None, resume=path)


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("turn.toml").write_text(TURN)
    return Path("turn.toml")


def test_the_command_says_memory_time_and_file_first(command: Command, turn: Path) -> None:
    given = ("holdem", "solve", turn, "--iterations", 2)
    assert "The solve takes" in command(*given).err
    said = command(*given, "--out", "turn.rb").err
    size = kept_bytes(make_solver(Spot.from_toml(TURN)).layout, int16=False)
    pattern = r"The solve takes [\d.]+ MiB of memory and roughly a second; turn\.rb will have (.+)"
    found = re.search(rf"{pattern}\.$", said, re.MULTILINE)
    assert found is not None
    assert found[1] == bytes_text(size)
    said = command(*given, "--out", "turn.rb", "--drop-streets", "rivers").err
    assert ", without rivers: it can be read, but not resumed." in said
    with pytest.raises(Exception, match="no solver to go on with"):
        SpotSolver.load("turn.rb")


@pytest.mark.parametrize(("answer", "code"), [(False, 1), (True, 0)])
def test_a_person_at_the_terminal_is_asked(
    command: Command, turn: Path, monkeypatch: pytest.MonkeyPatch, answer: bool, code: int
) -> None:
    asked = list[str]()

    def confirm(question: str, **_: Any) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr("riverboat.holdem.spots.solve.default_memory", lambda: 1000)
    monkeypatch.setattr("riverboat.cli.holdem.spots.can_ask", lambda: True)
    monkeypatch.setattr("typer.confirm", confirm)
    given = ("holdem", "solve", turn, "--iterations", 2, "--out", "turn.rb")
    found = command(*given)
    assert found.code == code
    assert "The solve takes" in found.err
    assert re.fullmatch(r"[\d.]+ MiB is more than half of this machine's .+ Solve it\?", asked[0])
    assert Path("turn.rb").exists() == answer
    # A program is not asked, and who sets the memory has answered.
    assert "at most half" in command.refused(*given, "--json")
    assert "more than the 1.0 KiB allowed" in command.refused(*given, "--memory", "1kB")
    assert len(asked) == 1


def test_without_a_terminal_the_command_refuses(
    command: Command, turn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riverboat.holdem.spots.solve.default_memory", lambda: 1000)
    monkeypatch.setattr("riverboat.cli.holdem.spots.can_ask", lambda: False)
    assert "allow more with --memory" in command.refused("holdem", "solve", turn)


def test_a_disk_without_room_is_said_before_the_solve(
    command: Command, turn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = dataclasses.make_dataclass("Usage", ["free"])
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(1000))
    answer = command("holdem", "solve", turn, "--out", "turn.rb", "--iterations", 2)
    assert answer.code != 0
    assert "its disk has 0.0 GiB free" in answer.err
    assert answer.out == ""
    assert not Path("turn.rb").exists()


def test_time_grows_with_what_is_asked_and_ends_at_a_limit() -> None:
    solver = make_solver(Spot.from_toml(TURN))
    stake = solver.spot.stake

    def seconds(target: str | None = None, **limits: Any) -> float:
        found = solve_cost(solver, spot_limit(stake, target, **limits)).seconds
        assert found is not None
        return found

    assert seconds() == seconds("0.3%")
    assert seconds("0.03%") == pytest.approx(10**0.6 * seconds("0.3%"))
    assert seconds(iterations=100) == pytest.approx(seconds() / 2)
    assert seconds("0.3%", iterations=100) == seconds(iterations=100)
    assert seconds(seconds=1e-9) == 1e-9
    two = make_solver(Spot.from_toml(TURN), threads=2)
    assert solve_cost(two, spot_limit(stake)).seconds == pytest.approx(seconds() / 2)
    solver.run(Limit(iterations=60))
    assert seconds(iterations=100) == pytest.approx(
        40 / 100 * 2 * (solve_cost(two, Limit(iterations=100)).seconds or 0)
    )


def test_amounts_are_said_in_words() -> None:
    amounts = {500: "0.5 KiB", 46_440: "45.4 KiB", 106_256_456: "101.3 MiB", 8 << 30: "8.00 GiB"}
    assert {number: bytes_text(number) for number in amounts} == amounts
    times = {0.1: "a second", 40: "40 seconds", 119: "119 seconds", 840: "14 minutes"}
    times |= {3 * 3600: "3 hours"}
    assert {number: seconds_text(number) for number in times} == times
