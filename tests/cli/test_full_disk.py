"""A disk that is full when a command writes: it says so in a sentence and does not exit with 0.

Long work goes on, and its result is written where there is room.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    assert answer.code == 1, answer.err
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
    assert (answer.code, answer.json["out"]) == (1, "full")
    assert file_kind("full") == "blueprint"
    assert "The result is in full instead." in answer.err
    solved = command("solve", "kuhn", "--algorithm", "cfr", "--iterations", 50, "--out", FULL)
    assert solved.code == 1, solved.err
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
    assert answer.code == 1, answer.err
    assert file_kind("full") == kind
    assert "The result is in full instead." in answer.err
    if "--json" in line:
        assert "full" in (answer.json.get("out"), answer.json.get("file"))


SOLVED = Path(__file__).parents[1] / "data" / "files_0.1.0" / "strategy-lp.rb"
WRITING = (
    "solve kuhn --out k.rb",
    "solve kuhn -a cfr --iterations 10 --trace t.csv",
    "solve kuhn -a cfr --iterations 10 --plot t.svg",
    f"export {SOLVED} --out k.json",
    f"export {SOLVED} --out k.csv",
    "example my_bot.py",
    "check assignment1 --starter",
    "learn 1 --out l.ipynb",
    "plot game-tree kuhn --out p.svg",
    "tournament host basic random --rounds 2",
)


@pytest.fixture
def no_room() -> Iterator[None]:
    """Let no file grow, on any disk: what a full one does, with another reason."""
    resource = pytest.importorskip("resource", reason="no limit on the size of files here")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("line", WRITING)
def test_no_command_exits_with_0_where_nothing_can_be_written(
    line: str,
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RIVERBOAT_DATA", str(tmp_path))
    command("solve", "kuhn", "-a", "cfr", "--iterations", 10)  # compiled kernels are kept before
    request.getfixturevalue("no_room")
    answer = command(*line.split())
    assert answer.code == 2, answer
    assert answer.err.startswith("riverboat: Cannot "), answer.err
    assert answer.err.count("\n") == 1, answer.err
    assert not [path for path in tmp_path.iterdir() if path.stat().st_size]
