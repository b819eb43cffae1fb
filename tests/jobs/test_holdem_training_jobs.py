"""Training by crews: the same table, bit for bit, whoever walks."""

import json
from pathlib import Path

import numpy as np
import pytest

from commands import Command
from holdem_configs import LEDUC, SMALL_HOLDEM
from riverboat.holdem.abstraction.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.mccfr.mccfr import HoldemTrainer
from riverboat.holdem.mccfr.spread_training import SpreadTrainer
from riverboat.holdem.strength.lbr import local_best_response
from riverboat.jobs import holdem_training_jobs
from riverboat.jobs.crews import open_crew
from riverboat.jobs.holdem_training_jobs import CrewTeam
from riverboat.jobs.job_list import Crew, Here
from riverboat.solvers.limits import Limit

CONFIG = """
[game]
small_blind = 0
big_blind = 0
ante = 1
ranks = 3
suits = 1
hole_cards = 1
board_cards = [0]
limit = "fixed-limit"
bet_sizes = [1]
max_raises = [1]
stacks = 2
[bets]
preflop = "m"
[cards]
scheme = "lossless"
[training]
period = 8192
"""


def trained(crew: Crew, deals: int = 12_000) -> SpreadTrainer:
    abstract = AbstractGame.build(HoldemConfig.from_table(LEDUC))
    run = SpreadTrainer(abstract, CrewTeam(crew, abstract, 7), seed=7, parts=3)
    run.run(Limit(iterations=2 * deals))
    return run


def test_new_snapshots_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = trained(Here())
    monkeypatch.setattr(holdem_training_jobs, "MOST_STEPS", 3)
    monkeypatch.setattr(holdem_training_jobs, "KEPT_STEPS", 1)
    again = trained(Here())
    assert np.array_equal(whole.table, again.table)
    assert whole.rounds == again.rounds > 6


def test_two_processes_give_the_table_of_one() -> None:
    with open_crew(workers=2) as crew:
        spread = trained(crew)
    alone = trained(Here())
    assert np.array_equal(spread.table, alone.table)
    assert spread.iterations == alone.iterations


@pytest.mark.slow
def test_the_command_trains_saves_and_goes_on(tmp_path: Path, command: Command) -> None:
    config, point = tmp_path / "kuhn.toml", str(tmp_path / "point.rb")
    config.write_text(CONFIG)

    def run(*words: str) -> dict[str, object]:
        out = str(tmp_path / "out.rb")
        common = ("train", "holdem", "--workers", "2", "--out", out, "--json")
        answer = command(*common, *words)
        assert answer.code == 0, answer.err
        facts: dict[str, object] = json.loads(answer.out)
        return facts

    begin = ("--config", str(config), "--parts", "3", "--seed", "5")
    whole = run(*begin, "--iterations", "60000", "--checkpoint", str(tmp_path / "whole.rb"))
    run(*begin, "--iterations", "20000", "--checkpoint", point)
    rest = run("--resume", point, "--iterations", "60000", "--checkpoint", point)
    for name in ("iterations", "rounds", "chunks", "sent_bytes_per_walk", "parts"):
        assert rest[name] == whole[name]
    tables = [SpreadTrainer.open(path, _nobody).table for path in (point, tmp_path / "whole.rb")]
    assert np.array_equal(tables[0], tables[1])
    answer = command("train", "holdem", "--resume", point, "--out", str(tmp_path / "x.rb"))
    assert answer.code == 2
    assert "--workers or --ray" in answer.err


def _nobody(abstract: AbstractGame, seed: int) -> CrewTeam:
    return CrewTeam(Here(), abstract, seed)


def test_parts_without_workers_are_refused(command: Command) -> None:
    answer = command("train", "holdem", "--parts", "3", "--dry-run")
    assert answer.code == 2
    assert "needs --workers or --ray" in answer.err


@pytest.mark.slow
def test_local_best_response_wins_no_more_from_workers_than_from_one_machine() -> None:
    """At the same number of walks, within the interval of the difference of the two figures.

    Early in training workers do better: what they average has less noise (docs/scale.md).
    """
    abstract = AbstractGame.build(HoldemConfig.from_table(SMALL_HOLDEM))
    spread = SpreadTrainer(abstract, CrewTeam(Here(), abstract, 3), seed=3, parts=8)
    spread.run(Limit(iterations=1_500_000))
    alone = HoldemTrainer(abstract, seed=4)
    alone.run(Limit(iterations=spread.iterations))
    found = [local_best_response(run.blueprint(), 60, seed=1) for run in (alone, spread)]
    mine, theirs = (one.estimate for one in found)
    assert theirs.mean - mine.mean < np.hypot(mine.ci95, theirs.ci95)
