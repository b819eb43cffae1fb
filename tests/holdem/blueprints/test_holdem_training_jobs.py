"""Training by crews: the same table, bit for bit, whoever walks."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from commands import Command
from holdem_configs import KUHN_TOML, LEDUC, SMALL_HOLDEM
from riverboat.evaluation.exploitability import evaluate
from riverboat.holdem.blueprints._spread_trainer import SpreadTrainer
from riverboat.holdem.blueprints.game_config import AbstractGame, HoldemConfig
from riverboat.holdem.blueprints.lbr import local_best_response
from riverboat.holdem.blueprints.trainer import HoldemTrainer
from riverboat.holdem.blueprints.training_jobs import CrewTeam
from riverboat.jobs.crews import open_crew
from riverboat.jobs.job_list import Crew, Here
from riverboat.solvers.run import Limit
from riverboat.trees.game_tree import build_tree


def trained(crew: Crew, deals: int = 12_000, **options: int) -> SpreadTrainer:
    abstract = AbstractGame.build(HoldemConfig.from_table(LEDUC))
    run = SpreadTrainer(abstract, CrewTeam(crew, abstract, 7, **options), seed=7, parts=3)
    run.run(Limit(iterations=2 * deals))
    return run


def test_new_snapshots_change_nothing() -> None:
    whole = trained(Here())
    again = trained(Here(), most_steps=3, kept_steps=1)
    assert np.array_equal(whole.table, again.table)
    assert whole.rounds == again.rounds > 6


@pytest.mark.e2e
def test_two_processes_give_the_table_of_one() -> None:
    with open_crew(workers=2) as crew:
        spread = trained(crew)
    alone = trained(Here())
    assert np.array_equal(spread.table, alone.table)
    assert spread.iterations == alone.iterations


@pytest.mark.slow
def test_the_command_trains_saves_and_goes_on(tmp_path: Path, command: Command) -> None:
    config, point = tmp_path / "kuhn.toml", str(tmp_path / "point.rb")
    config.write_text(KUHN_TOML)

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
def test_local_best_response_wins_the_same_from_workers_and_from_one_machine() -> None:
    """At the same number of walks, within the interval of the difference of the two figures.

    It holds once both have come to rest. Before that the winnings of local best response, which
    plays the real cards, fall and rise again, and workers are a little behind
    (notes/scale.md).
    """
    abstract = AbstractGame.build(HoldemConfig.from_table(SMALL_HOLDEM))
    spread = SpreadTrainer(abstract, CrewTeam(Here(), abstract, 1), seed=1, parts=8)
    spread.run(Limit(iterations=20_000_000))
    alone = HoldemTrainer(abstract, seed=2)
    alone.run(Limit(iterations=spread.iterations))
    found = [local_best_response(run.blueprint(), 60, seed=1) for run in (alone, spread)]
    mine, theirs = (one.estimate for one in found)
    assert abs(theirs.mean - mine.mean) < np.hypot(mine.ci95, theirs.ci95)


@pytest.mark.slow
def test_parts_are_worth_between_their_share_of_the_walks_and_all_of_them() -> None:
    """Exact exploitability in Leduc, where every chunk meets every infoset: the worst case."""
    abstract = AbstractGame.build(HoldemConfig.from_table(LEDUC))
    tree, walks, parts = build_tree(abstract.config.game), 1_600_000, 8

    def exploitability(run: HoldemTrainer, walks: int) -> float:
        run.run(Limit(iterations=walks))
        return evaluate(tree, run.blueprint()).exploitability

    def mean(trainer: Callable[[int], HoldemTrainer], walks: int) -> float:
        return float(np.mean([exploitability(trainer(seed), walks) for seed in (1, 2, 3)]))

    def alone(seed: int) -> HoldemTrainer:
        return HoldemTrainer(abstract, seed=seed)

    def spread(seed: int) -> HoldemTrainer:
        team = CrewTeam(Here(), abstract, seed)
        return SpreadTrainer(abstract, team, seed=seed, parts=parts)

    assert mean(alone, walks) < mean(spread, walks) < mean(alone, walks // parts)
