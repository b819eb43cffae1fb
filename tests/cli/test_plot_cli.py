"""`riverboat plot`: every picture by its name, from a file and from a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import Command
from riverboat import pictures
from riverboat.cli.main import command_tree
from riverboat.games.registry import GAMES

COMMANDS = command_tree().commands["plot"].commands


def test_plot_alone_lists_every_picture_with_an_example(command: Command) -> None:
    text = " ".join(command("plot").out.split())
    for name in COMMANDS:
        assert f"riverboat plot {name}" in text


def test_every_picture_of_the_package_is_a_command() -> None:
    tools = {"THEMES", "Picture", "SolverPath", "check_format", "curves", "picture_bytes", "save"}
    drawn = {*pictures.__all__} - tools - {"solver_path"}
    assert {name.replace("-", "_") for name in COMMANDS} == drawn


def test_a_file_gives_what_the_function_gives(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("solve", "kuhn", "-a", "cfr+", "--iterations", 50, "--out", "kuhn.rb").code == 0
    answer = command("plot", "kuhn-family", "kuhn.rb", "--theme", "dark", "--out", "family.svg")
    assert answer.out == "family.svg written\n"
    import riverboat as rb

    figure = pictures.kuhn_family(rb.load("kuhn.rb"), theme="dark")
    assert Path("family.svg").read_bytes() == pictures.picture_bytes(figure)


WRONG = {
    "kuhn-family": "--out",
    "kuhn-family --out x.doc": ".svg, .png or .pdf",
    "kuhn-family --out x.svg --theme pink": "light",
    "kuhn-family --out nowhere/x.svg": "nowhere",
    "simplex --out x.svg --start r=1,p": "r=0.8,p=0.1,s=0.1",
    "simplex kuhn --out x.svg": "three actions",
    "convergence kuhn leduc --out x.svg": "one game",
    "convergence gone.rb --out x.svg": "gone.rb",
    "convergence gone.rb -a cfr --out x.svg": "for a game",
    "game-tree leduc --out x.svg": "up to 240",
    "regret-path kuhn Z --out x.svg": "J|",
    "range-grid AA --at r:0 --out x.svg": "for files",
    "range-grid gone.rb --out x.svg": "gone.rb",
    "value-surface gone.rb --games 5 --out x.svg": "leave the file out",
    "bankroll-fan --ramp 1 --out x.svg": "--count",
    "chart --rules mars --out x.svg": "mars",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(
    line: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert WRONG[line] in command.refused("plot", *line.split())
    assert list(tmp_path.iterdir()) == []


GAME_LINES = (
    "game-tree pennies",
    "convergence pennies --iterations 20",
    "regret-path pennies --iterations 20",
)


@pytest.fixture
def games() -> Iterator[None]:
    """Games as they were, after a test that registers one."""
    before = dict(GAMES)
    yield
    GAMES.clear()
    GAMES.update(before)


def own_game(command: Command, file: str, payoffs: str = "(gain, -gain)") -> None:
    """The example of a game with these payoffs, in a file of this name: modules have one each."""
    command("example", "my_game.py")
    text = Path("my_game.py").read_text(encoding="utf-8")
    Path(file).write_text(
        text.replace("return (gain, -gain)", f"return {payoffs}"), encoding="utf-8"
    )


@pytest.mark.usefixtures("games")
@pytest.mark.parametrize("line", GAME_LINES)
def test_a_game_of_one_s_own_is_drawn(
    line: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *rest = line.split()
    file = f"own_{name.replace('-', '_')}.py"
    own_game(command, file)
    for words in ([name, *rest, "--import", file], ["--import", file, name, *rest]):
        answer = command("plot", *words, "--out", "own.svg")
        assert (answer.code, answer.out) == (0, "own.svg written\n"), answer.err


@pytest.mark.usefixtures("games")
@pytest.mark.parametrize("line", GAME_LINES)
def test_a_game_that_lies_is_not_drawn(
    line: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *rest = line.split()
    file = f"nan_{name.replace('-', '_')}.py"
    own_game(command, file, '(float("nan"), -gain)')
    sentence = command.refused("plot", name, *rest, "--import", file, "--out", "own.svg")
    assert "the payoffs are nan" in sentence
    assert not Path("own.svg").exists()
