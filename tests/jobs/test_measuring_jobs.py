"""Measuring that is split gives what one process gives, bit for bit."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands import Command
from holdem_configs import LEDUC, SMALL_HOLDEM
from riverboat.arena.match import run_match
from riverboat.arena.meetings import split_match
from riverboat.blackjack.exact.analysis import analyse
from riverboat.blackjack.exact.rule_sweep import Sweep, parse_grid, sweep_rules
from riverboat.blackjack.rules import rules_from
from riverboat.blackjack.simulation.crew_simulation import split_simulation
from riverboat.blackjack.simulation.simulate import Simulation, simulate
from riverboat.errors import ParameterError, RiverboatError, TooLargeError, UsageError
from riverboat.games.registry import make_game
from riverboat.holdem.blueprints.blueprint import Blueprint
from riverboat.holdem.blueprints.duplicate_match import duplicate_match
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.lbr import local_best_response
from riverboat.holdem.blueprints.measure import measure
from riverboat.holdem.blueprints.players import STYLES
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.search.measure_jobs import CrewSplitter
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import Here
from riverboat.players.roster import make_player
from riverboat.solvers.run import Limit


def test_a_match_in_stretches_is_the_match() -> None:
    game, specs = make_game("kuhn"), ["uniform", "random"]
    whole = run_match(game, [make_player(game, text) for text in specs], 1234, seed=5)
    told: list[int] = []
    split = split_match(game, specs, 1234, Here(), seed=5, progress=told.append)
    assert split == whole
    assert told == [500, 1000, 1234]
    with pytest.raises(UsageError, match="takes 2 players"):
        split_match(game, ["uniform"], 10, Here())
    with pytest.raises(UsageError, match="A person plays"):
        split_match(game, ["human", "random"], 10, Here())


ROUNDS = 4_200_000
"""Four blocks and a part of one."""


def test_split_rounds_of_blackjack_count_the_same() -> None:
    simulation = Simulation(rules_from("vegas-6d-s17"))
    whole = simulate(simulation, ROUNDS, seed=9)
    split = split_simulation(simulation, ROUNDS, Here(), seed=9, blocks=3)
    assert np.array_equal(split.histogram, whole.histogram)
    assert (split.rounds, split.seed, split.wanted) == (whole.rounds, 9, ROUNDS)


class Counting(Here):
    """A crew that notes its jobs, and is stopped by Ctrl-C after some of them."""

    def __init__(self, most: int) -> None:
        self.most, self.jobs = most, []  # type: ignore[var-annotated]

    def run(self, work: Any, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        for place, result in super().run(work, jobs):
            if len(self.jobs) == self.most:
                raise KeyboardInterrupt
            self.jobs.append(jobs[place])
            yield place, result


def test_rounds_and_hands_that_were_played_are_kept(tmp_path: Path) -> None:
    simulation = Simulation(rules_from("vegas-6d-s17"))
    place, first, rest, more = tmp_path / "rounds", Counting(2), Counting(9), Counting(9)

    def play(crew: Here, rounds: int = ROUNDS, seed: int = 9) -> np.ndarray:
        run = split_simulation(simulation, rounds, crew, seed=seed, folder=place, blocks=1)
        return run.histogram

    play(first)
    whole = simulate(simulation, ROUNDS, seed=9)
    assert np.array_equal(play(rest), whole.histogram)
    assert (first.jobs, rest.jobs) == ([(0, 1), (1, 2)], [(2, 3), (3, 4), (4, 5)])
    longer = simulate(simulation, 6_000_000, seed=9)
    assert np.array_equal(play(more, 6_000_000), longer.histogram)
    assert more.jobs == [(4, 5), (5, 6)]
    with pytest.raises(UsageError, match="another seed"):
        play(rest, seed=8)
    good = (place / "1-2.npz").read_bytes()
    for damaged in (b"", good[:50], good[:-30] + b"x" * 30, b"PK\x03\x04" + bytes(90), good[9:]):
        again = Counting(9)
        (place / "1-2.npz").write_bytes(damaged)
        assert np.array_equal(play(again), whole.histogram)
        assert again.jobs == [(1, 2)]

    game, specs = make_game("kuhn"), ["uniform", "random"]
    hands, left = tmp_path / "hands", Counting(9)
    cut = split_match(game, specs, 1234, Counting(1), seed=5, folder=hands)
    assert (cut.hands, cut.stopped) == (500, True)
    split = split_match(game, specs, 1234, left, seed=5, folder=hands)
    assert split == run_match(game, [make_player(game, text) for text in specs], 1234, seed=5)
    assert left.jobs == [((0, 1), 1, 500), ((0, 1), 2, 234)]
    (hands / "work.json").write_text("[")
    with pytest.raises(RiverboatError, match="Cannot keep results"):
        split_match(game, specs, 1234, left, seed=5, folder=hands)


def test_split_deals_of_a_blueprint_give_the_same_figures() -> None:
    trainer = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(LEDUC)), seed=1)
    trainer.run(Limit(iterations=4096))
    blueprint = trainer.blueprint()
    told: list[int] = []
    whole = duplicate_match(blueprint, STYLES["call"], 120, seed=2)
    split = CrewSplitter(Here()).match(blueprint, "call", 120, 2, told.append)
    assert split == whole
    assert told == [50, 100, 120]


def test_split_boards_are_those_of_one_process() -> None:
    """Local best response itself is tested where it lives; here its boards are only passed on."""

    def value(board: np.ndarray) -> float:
        return float(board @ [1, 52, 52**2, 52**3, 52**4])

    class Noting(Here):
        def run(self, work: Any, jobs: Sequence[Any]) -> Iterator[tuple[int, Any]]:
            for place, boards in enumerate(jobs):
                yield place, [value(board) for board in boards]

    trainer = HoldemTrainer(AbstractGame.build(HoldemConfig.from_table(SMALL_HOLDEM)), seed=1)
    first = local_best_response(
        trainer.blueprint(), 5, seed=3, play=lambda drawn: [value(board) for board in drawn]
    )
    again = CrewSplitter(Noting()).exploit(trainer.blueprint(), 5, ("1p",), 3, lambda done: None)
    assert np.array_equal(again.boards, first.boards)
    assert len(set(first.boards)) == 5


@pytest.mark.slow
def test_processes_measure_the_same() -> None:
    blueprint = Blueprint.load("shipped")
    simulation = Simulation(rules_from("vegas-6d-s17"))
    options = {"against": "call", "deals": 60, "boards": 3}
    with open_crew(workers=2) as crew:
        split = measure(blueprint, splitter=CrewSplitter(crew), **options)  # type: ignore[arg-type]
        counts = split_simulation(simulation, 40_000_000, crew, seed=1)
    assert split.figures == measure(blueprint, **options).figures  # type: ignore[arg-type]
    whole = simulate(simulation, 40_000_000, seed=1)
    assert np.array_equal(counts.histogram, whole.histogram)


def test_a_sweep_has_the_exact_value_of_every_table() -> None:
    grid = parse_grid("infinite", ["h17=false,true", "das=true,false"], ["bj_pays=1.2"])
    found = sweep_rules(grid, Here())
    assert list(found.values) == [analyse(rules).ev for rules in grid.tables]
    assert [(r.h17, r.das, r.bj_pays) for r in grid.tables] == [
        (False, True, 1.2),
        (False, False, 1.2),
        (True, True, 1.2),
        (True, False, 1.2),
    ]
    # A dealer who hits soft 17 and no double after a split both cost the player.
    assert found.best == 0
    heading, lines = found.lines()
    assert heading == ["h17", "das=true", "das=false"]
    assert [line[0] for line in lines] == ["false", "true"]
    assert float(lines[1][2]) == pytest.approx(100 * found.values[3], abs=1e-4)
    drawn = found.svg("<rules>")
    assert "&lt;rules&gt;" in drawn
    shown = re.findall(r">([+-]\d+\.\d+) %<", drawn)
    assert [float(text) for text in shown] == pytest.approx(
        [100 * v for v in found.values], abs=1e-4
    )


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ([], UsageError, "Say what to vary"),
        (["decks"], UsageError, "written decks=1,2,6"),
        (["decks="], UsageError, "written decks=1,2,6"),
        (["=1"], UsageError, "written decks=1,2,6"),
        (["decks=1,1"], UsageError, "twice"),
        (["decks=1", "decks=2"], UsageError, "twice"),
        (["decks=1,9"], ParameterError, "decks=9: decks must be"),
        (["colour=red"], ParameterError, "no rule option"),
        (["max_split_hands=1"], ParameterError, "max_split_hands_aces must be 1"),
        (["decks=" + ",".join(map(str, range(100_001)))], TooLargeError, "at most"),
    ],
)
def test_a_grid_that_cannot_be_is_one_sentence(
    options: list[str], error: type[RiverboatError], words: str
) -> None:
    with pytest.raises(error, match=words):
        parse_grid("vegas-6d-s17", options)


def test_the_sweep_command_prints_draws_and_emits(tmp_path: Path, command: Command) -> None:
    words = ("blackjack", "sweep", "--rules", "infinite", "--over", "h17=false,true")
    answer = command(*words, "--svg", str(tmp_path / "a.svg"))
    assert answer.code == 0
    assert "h17=false" in answer.out.splitlines()[0]
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    facts = json.loads(command(*words, "--json").out)
    assert [table["h17"] for table in facts["tables"]] == ["false", "true"]
    assert facts["tables"][0]["ev"] > facts["tables"][1]["ev"]


def test_options_that_do_nothing_are_refused(command: Command) -> None:
    for words in (
        ("blackjack", "simulate", "--workers", "2", "--threads", "2"),
        ("blackjack", "simulate", "--workers", "2", "--device", "auto"),
        ("holdem", "strength", "--workers", "2", "--threads", "2"),
        ("match", "kuhn", "human", "random", "--workers", "2"),
        ("match", "kuhn", "human", "random", "--keep", "x"),
        ("blackjack", "simulate", "--keep", "x", "--device", "auto"),
    ):
        assert command(*words).code == 2


def test_one_table_is_a_sweep_too() -> None:
    grid = parse_grid("infinite", ["decks=infinite"])
    assert Sweep(grid, (0.1,)).lines() == (["decks=infinite"], [["+10.0000"]])
    assert "<svg" in Sweep(grid, (0.1,)).svg()
