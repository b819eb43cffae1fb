"""A package of somebody else adds a game, a player and a kind of file, without an edit here."""

import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import riverboat as rb
from commands import Command
from riverboat.arena.match import run_match
from riverboat.errors import FileFormatError, UnknownNameError, UsageError
from riverboat.games.registry import GAMES, known_games, make_game
from riverboat.players.roster import known_players, make_player
from riverboat.runtime import plugins
from riverboat.solvers.solve import solve

PACKAGE = Path(__file__).parent.parent / "example_package"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example package, laid out as an installer lays it out."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    shutil.copytree(PACKAGE / "penny_package", tmp_path / "penny_package")
    info = tmp_path / f"penny_package-{project['version']}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(metadata)
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.named.cache_clear()
    yield
    plugins.named.cache_clear()


def test_without_the_package_its_game_is_unknown() -> None:
    with pytest.raises(UnknownNameError, match="penny"):
        make_game("penny")


@pytest.mark.usefixtures("installed")
def test_its_game_is_solved_by_the_formula() -> None:
    """Two by two: value (ad − bc)/(a + d − b − c) = 1/5, heads with probability 2/5."""
    assert "penny" in known_games()
    assert "penny" not in GAMES
    result = solve(make_game("penny"))
    assert result.value[0] == pytest.approx(1 / 5, abs=1e-6)
    assert result.strategy[0, "?"]["h"] == pytest.approx(2 / 5, abs=1e-3)


@pytest.mark.usefixtures("installed")
def test_its_player_sits_down() -> None:
    game = make_game("penny", {"heads": "3"})
    assert "heads" in known_players()
    log = run_match(game, [make_player(game, "heads"), make_player(game, "heads")], 10)
    assert log.mean_by_seat == ((3.0, -3.0), (3.0, -3.0))


@pytest.mark.usefixtures("installed")
def test_the_commands_know_both(command: Command, tmp_path: Path) -> None:
    names = [row["name"] for row in command("games", "--json").json["games"]]
    assert "penny" in names
    out = tmp_path / "penny.rb"
    assert command("solve", "penny", "--out", out).code == 0
    assert command("show", out).code == 0
    answer = command("match", "penny", out, "heads", "--hands", "50", "--json")
    assert answer.json["players"][1] == "heads"


@pytest.mark.usefixtures("installed")
def test_its_kind_of_file_is_read_measured_and_played(command: Command, tmp_path: Path) -> None:
    """From heads in half of all plays the first gains 1/4 by heads alone, the second by tails."""
    diary = tmp_path / "mine.diary"
    diary.write_text("h 0.4\nh 0.4\n")
    assert rb.load(diary)[0, "?"] == pytest.approx({"h": 0.4, "t": 0.6})
    assert rb.evaluate(diary).nash_conv == pytest.approx(0, abs=1e-9)
    answer = command("match", "penny", diary, "heads", "--hands", "50", "--json")
    assert answer.code == 0
    diary.write_text("h 0.5\nh 0.5\n")
    assert rb.evaluate(diary).nash_conv == pytest.approx(0.5)
    diary.write_text("no number\n")
    with pytest.raises(FileFormatError, match="a diary of matching pennies cannot be read"):
        rb.load(diary)


def test_a_place_that_does_not_exist_is_reported() -> None:
    with pytest.raises(UsageError, match=r"nowhere_at_all:x cannot be used"):
        plugins.find("nowhere_at_all:x")
    with pytest.raises(UsageError, match="cannot be used"):
        plugins.find("json:nothing")


def test_a_mistake_in_a_module_of_our_own_is_not_called_the_users(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ImportError):
        plugins.find("riverboat.no_such_module:x")
    with pytest.raises(AttributeError):
        plugins.find("riverboat.errors:no_such_name")
    # A library that is not installed is said in a sentence all the same.
    monkeypatch.setattr("riverboat.runtime.plugins.importlib.import_module", _without_a_library)
    with pytest.raises(UsageError, match="No module named 'more'"):
        plugins.find("riverboat.needs_more:x")


def _without_a_library(name: str) -> object:
    raise ModuleNotFoundError("No module named 'more'", name="more")
