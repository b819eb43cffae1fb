"""Every kind of strategy is looked up, listed, described, saved, loaded and seated alike."""

from pathlib import Path

import pytest

from riverboat.errors import FileFormatError, UsageError
from riverboat.games.registry import make_game
from riverboat.players.roster import make_player, spec_of_file
from riverboat.players.simple import seat
from riverboat.strategies.any_strategy import AnyStrategy
from riverboat.strategies.export import to_csv, to_json
from riverboat.strategies.files import write_arrays
from riverboat.strategies.kinds import KINDS, FileKind, kind_of, load, register_kind, save

FILES = Path(__file__).parent.parent / "data" / "files_0.1.0"
STRATEGIES = {
    "strategy": "strategy-dcfr.rb",
    "public-strategy": "public-strategy.rb",
    "q-table": "q-table.rb",
    "blueprint": "blueprint.rb",
    "mcts-memory": "memory.rb",
}
every_kind = pytest.mark.parametrize(
    "kind", [k.name for k in KINDS.values() if k.loader and k.table]
)


@every_kind
def test_what_is_listed_can_be_looked_up(kind: str) -> None:
    strategy = load(FILES / STRATEGIES[kind])
    assert strategy.kind == kind
    entries = list(strategy.entries())
    assert len(entries) == len(strategy)
    assert [(player, key) for player, key, _ in entries] == list(strategy)
    for player, key, chances in entries:
        assert sum(chances.values()) == pytest.approx(1, abs=1e-6)
        assert strategy[player, key] == chances == strategy.lookup(player, key)
        assert (player, key) in strategy
    assert (0, "nothing like it") not in strategy
    with pytest.raises(KeyError, match="not an infoset"):
        strategy["no such key"]


@every_kind
def test_it_shows_itself_in_a_line_and_in_a_table(kind: str) -> None:
    strategy = load(FILES / STRATEGIES[kind])
    assert "\n" not in repr(strategy)
    assert len(repr(strategy)) < 250
    assert f"{len(strategy):,} infosets" in strategy.describe()
    html = strategy._repr_html_()
    assert html.startswith("<div>")
    assert html.count("<table>") == html.count("</table>") == 1
    assert "<script" not in html
    assert strategy.as_dict()["infosets"] == len(strategy)


@every_kind
def test_it_is_saved_and_loaded(kind: str, tmp_path: Path) -> None:
    strategy = load(FILES / STRATEGIES[kind])
    save(strategy, tmp_path / "x.rb")
    assert kind_of(tmp_path / "x.rb").name == kind
    assert list(load(tmp_path / "x.rb").entries()) == list(strategy.entries())


@every_kind
def test_it_is_exported(kind: str) -> None:
    strategy = load(FILES / STRATEGIES[kind])
    assert len(to_csv(strategy).splitlines()) > len(strategy)
    assert to_json(strategy).startswith("{")


def test_memories_and_q_tables_in_texts_are_loaded_by_their_ending(tmp_path: Path) -> None:
    table = load(FILES / "q-table.rb")
    table.to_csv(tmp_path / "q.csv")  # type: ignore[attr-defined]
    assert list(load(tmp_path / "q.csv")) == list(table)
    assert len(load(FILES / "memory.txt")) == 62


@every_kind
def test_a_file_and_a_strategy_sit_down(kind: str) -> None:
    path = FILES / STRATEGIES[kind]
    strategy = load(path)
    game = make_game(strategy.game, strategy.parameters)
    if kind == "mcts-memory":
        game = make_game("blackjack", {"rules": "combo-charlie"})
    player = make_player(game, str(path))
    assert str(path) in player.name
    assert seat(game, strategy).choose
    assert seat(game, player) is player


def test_what_is_no_strategy_says_what_to_do_with_it(tmp_path: Path) -> None:
    path = FILES / "blueprint-checkpoint.rb"
    with pytest.raises(FileFormatError, match="riverboat train holdem --resume"):
        load(path)
    with pytest.raises(UsageError, match="cannot play: go on with"):
        spec_of_file(str(path))
    write_arrays(tmp_path / "x.rb", "diary", {}, {})
    with pytest.raises(FileFormatError, match="'diary', which this version"):
        load(tmp_path / "x.rb")


def test_a_kind_is_registered_once() -> None:
    assert register_kind(KINDS["strategy"]) is KINDS["strategy"]
    with pytest.raises(UsageError, match="already"):
        register_kind(FileKind("strategy", "another"))


def test_a_text_that_two_players_have_asks_which() -> None:
    strategy: AnyStrategy = load(FILES / "strategy-lp.rb")
    assert strategy["J|"] == strategy[0, "J|"]
    with pytest.raises(UsageError, match="cannot sit down"):
        seat(make_game("kuhn"), 5)  # type: ignore[arg-type]
