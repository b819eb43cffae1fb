"""train twentyone: facts, files, going on, stopping, and bad input."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Command
from riverboat.twentyone.learning.learner import Trainer
from riverboat.twentyone.learning.q_table import QTable

TRAIN = ("train", "twentyone")


def test_facts_and_files(command: Command, tmp_path: Path) -> None:
    out, csv = tmp_path / "q.rb", tmp_path / "q.csv"
    setup = ("--state", "soft", "--games", 300_000, "--seed", 3)
    facts = command(*TRAIN, *setup, "--out", out, "--csv", csv, "--json").json
    assert facts["game"] == "twentyone"
    assert (facts["method"], facts["state"], facts["objective"]) == ("on-policy", "soft", "reward")
    assert (facts["games"], facts["seed"], facts["out"]) == (300_000, 3, str(out))
    assert facts["optimum"] == pytest.approx(-0.042806125313, abs=1e-11)
    assert facts["regret"] == pytest.approx(facts["optimum"] - facts["value"], abs=1e-12)
    assert facts["win"] + facts["push"] + facts["lose"] == pytest.approx(1)
    assert [games for games, _ in facts["curve"]][:4] == [1000, 2000, 5000, 10_000]
    assert (QTable.load(out).values == QTable.load(csv).values).all()


def test_going_on_from_a_file_equals_one_run(command: Command, tmp_path: Path) -> None:
    part, whole = tmp_path / "part.rb", tmp_path / "whole.rb"
    setup = ("--method", "sarsa", "--objective", "wins", "--seed", 9)
    command(*TRAIN, *setup, "--games", 12_345, "--out", part)
    facts = command(*TRAIN, "--q", part, "--games", 40_000, "--out", part, "--json").json
    command(*TRAIN, *setup, "--games", 52_345, "--out", whole)
    assert facts["games"] == 52_345
    assert part.read_bytes() == whole.read_bytes()


def test_a_csv_is_a_start(command: Command, tmp_path: Path) -> None:
    csv = tmp_path / "team.csv"
    command(*TRAIN, "--method", "literal", "--games", 5000, "--csv", csv)
    facts = command(*TRAIN, "--q", csv, "--method", "q-learning", "--games", 10, "--json").json
    assert (facts["method"], facts["games"]) == ("q-learning", 10)


def test_the_summary_shows_the_play(command: Command) -> None:
    out = command(*TRAIN, "--method", "literal", "--games", 200_000).out
    assert "random play's averages end at -0.0819566" in out
    assert "17 to 21  s  s  s  s  s  s  s  s  s  s" in out


def stop_after(games: int, run: Callable[..., None]) -> Callable[..., None]:
    def stopped(self: Trainer, more: int, progress: Callable[[int], None] | None = None) -> None:
        run(self, more, progress)
        if self.games >= games:
            signal.raise_signal(signal.SIGINT)

    return stopped


def test_an_interrupt_saves_what_was_learned(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "run", stop_after(2000, Trainer.run))
        answer = command(*TRAIN, "--games", 100_000)
    assert answer.code == 130
    assert "Stopped early" in answer.out
    assert QTable.load("twentyone-stopped-0.rb").info["games"] == 2000


def test_a_plot(command: Command, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.svg"
    assert command(*TRAIN, "--games", 5000, "--plot", path).code == 0
    assert "on-policy" in path.read_text()


def test_bad_input_is_refused(command: Command, tmp_path: Path) -> None:
    assert "on-policy" in command.refused(*TRAIN, "--method", "on-polcy")
    assert "soft" in command.refused(*TRAIN, "--state", "sof")
    assert "wins" in command.refused(*TRAIN, "--objective", "win")
    assert "no file" in command.refused(*TRAIN, "--q", tmp_path / "none.rb")
    assert "directory" in command.refused(*TRAIN, "--out", tmp_path)
    assert "svg" in command.refused(*TRAIN, "--plot", tmp_path / "curve.txt")
    path = tmp_path / "q.rb"
    command(*TRAIN, "--games", 10, "--out", path)
    assert "state points" in command.refused(*TRAIN, "--q", path, "--state", "soft")
    assert "seed 0" in command.refused(*TRAIN, "--q", path, "--seed", 1)
    command.refused(*TRAIN, "--games", -1)
