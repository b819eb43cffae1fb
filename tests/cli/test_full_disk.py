"""A disk that is full when a long command writes: it goes on, and the result is not lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import Command
from holdem_configs import KUHN_TOML
from riverboat.strategies.files import file_kind
from spot_texts import TURN

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")


def test_training_writes_its_blueprint_although_the_checkpoint_has_no_room(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kuhn.toml").write_text(KUHN_TOML)
    run = ("train", "holdem", "--config", "kuhn.toml", "--iterations", 4096, "--json")
    answer = command(*run, "--checkpoint", FULL, "--out", "mine.rb")
    assert answer.code == 0, answer.err
    assert file_kind("mine.rb") == "blueprint"
    assert "no space left on device" in answer.err
    assert answer.json["checkpoint"] == "full"
    assert file_kind("full") == "holdem-checkpoint"


def test_a_result_without_room_is_written_elsewhere(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kuhn.toml").write_text(KUHN_TOML)
    run = ("train", "holdem", "--config", "kuhn.toml", "--iterations", 4096, "--json")
    answer = command(*run, "--out", FULL)
    assert (answer.code, answer.json["out"]) == (0, "full")
    assert file_kind("full") == "blueprint"
    assert "The result is in full instead." in answer.err
    solved = command("solve", "kuhn", "--algorithm", "cfr", "--iterations", 50, "--out", FULL)
    assert solved.code == 0, solved.err
    assert file_kind("full-1") == "strategy"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("train twentyone --games 100 --json --out", "q-table"),
        ("duel 6,6,2 1 10 --json --out", "public-strategy"),
        ("solve kuhn --json --out", "strategy"),
        ("holdem preflop push-fold.toml --iterations 5 --out", "preflop"),
        ("holdem solve spot.toml --iterations 5 --drop-streets rivers --json --out", "spot"),
    ],
)
def test_every_command_writes_its_result_elsewhere(
    line: str, kind: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("push-fold.toml").write_text('game = "push-fold"\nstacks = [10, 10]\n')
    Path("spot.toml").write_text(TURN)
    answer = command(*line.split(), FULL)
    assert answer.code == 0, answer.err
    assert file_kind("full") == kind
    assert "The result is in full instead." in answer.err
    if "--json" in line:
        assert "full" in (answer.json.get("out"), answer.json.get("file"))
