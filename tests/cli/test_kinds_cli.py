"""`show`, `evaluate`, `export`, `match` and `play` take every kind of file, or say what to do."""

import shutil
from pathlib import Path

import pytest

import riverboat
from commands import Command
from riverboat.cli.groups import walk
from riverboat.cli.main import command_tree
from riverboat.strategies.kinds import known_kinds

FILES = Path(__file__).parent.parent / "data" / "files_0.1.0"
GAMES = {
    "strategy-dcfr.rb": ("kuhn",),
    "public-strategy.rb": ("duel",),
    "q-table.rb": ("twentyone",),
    "memory.rb": ("blackjack", "-p", "rules=combo-charlie"),
}
every_strategy = pytest.mark.parametrize("name", [*GAMES, "blueprint.rb"])


@every_strategy
def test_show_and_export(command: Command, name: str, tmp_path: Path) -> None:
    assert command("show", FILES / name).code == 0
    assert command("show", FILES / name, "--json").json["game"]
    out = tmp_path / "x.csv"
    assert command("export", FILES / name, "--out", out).code == 0
    assert out.read_text().startswith("player,infoset,action,probability\n")


@pytest.mark.parametrize("name", GAMES)
def test_a_file_is_a_player(command: Command, name: str) -> None:
    game, *parameters = GAMES[name]
    others = ["random"] if game in ("kuhn", "duel") else []
    path = FILES / name
    spec = f"{path}?simulations=50" if name == "memory.rb" else path
    answer = command("match", game, spec, *others, *parameters, "--hands", 4, "--json")
    assert str(path) in answer.json["players"][0]


def test_evaluate(command: Command) -> None:
    kuhn = command("evaluate", FILES / "blueprint.rb", "--json").json
    assert kuhn["value"][0] == pytest.approx(-1 / 18, abs=2e-3)
    assert command("evaluate", FILES / "q-table.rb", "--json").json["regret"] < 0.01
    assert "regret" in command("evaluate", FILES / "q-table.rb").out
    assert "mcts coverage" in command.refused("evaluate", FILES / "memory.rb")
    for verb in ("evaluate", "show", "export"):
        refused = command.refused(verb, FILES / "blueprint-checkpoint.rb")
        assert "train holdem --resume" in refused


def test_options_of_the_other_kind_are_refused(command: Command) -> None:
    assert "--match" in command.refused("show", FILES / "strategy-lp.rb", "--path", "s")
    assert "--path" in command.refused("show", FILES / "public-strategy.rb", "--player", 1)


def test_a_game_of_another_kind_is_named_in_the_refusal(command: Command) -> None:
    refused = command.refused("match", "leduc", FILES / "strategy-lp.rb", "random", "--hands", 2)
    assert "for kuhn" in refused
    assert "not leduc" in command.refused("match", "leduc", FILES / "q-table.rb", "random")
    assert "cannot play" in command.refused("match", "kuhn", FILES / "blueprint-checkpoint.rb", "x")
    assert "no file" in command.refused("match", "kuhn", "absent.rb", "random")


SHIPPED = Path(riverboat.__file__).parent / "holdem" / "shipped"
RIVER = """
board = "Ks 7h 2d 9c 3h"
pot = 10
stack = 20
[ranges]
oop = "AA,QQ"
ip = "KK,JJ"
[sizes.river]
oop = { bet = "100%" }
"""


def test_a_file_with_a_command_of_its_own_is_shown_by_that(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("river.toml").write_text(RIVER, encoding="utf-8")
    command("holdem", "solve", "river.toml", "--out", "-river.rb")
    assert "check" in command("show", "--", "-river.rb").out
    Path("-river.rb").rename("river.rb")
    shutil.copy(SHIPPED / "sixmax_book.rb", "book.rb")
    for view, file in (("view", "river.rb"), ("book", "book.rb")):
        for flags in ([], ["--json"]):
            shown = command("show", file, *flags)
            assert shown.code == 0, shown.err
            assert shown.out == command("holdem", view, file, *flags).out
    for words in (["--match", "K"], ["--player", 1], ["--limit", 0], ["--path", "r:0"]):
        sentence = command.refused("show", "river.rb", *words)
        assert f"{words[0]} is for tables" in sentence
        assert "riverboat holdem view river.rb" in sentence


def test_show_takes_the_node_of_each_kind(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same as the kind's own command says of it."""
    monkeypatch.chdir(tmp_path)
    Path("river.toml").write_text(RIVER, encoding="utf-8")
    command("holdem", "solve", "river.toml", "--out", "river.rb")
    shutil.copy(SHIPPED / "sixmax_book.rb", "book.rb")
    for node, words in (
        (("river.rb", "r:0:c"), ("holdem", "view", "river.rb", "--node", "r:0:c")),
        (("book.rb", "btn"), ("holdem", "book", "book.rb", "btn")),
    ):
        shown = command("show", *node)
        assert shown.code == 0, shown.err
        assert shown.out == command(*words).out
    kuhn = command("show", FILES / "strategy-lp.rb", "K|", "--json").json
    assert [row["infoset"] for row in kuhn["infosets"]] == ["K|"]
    assert "no infoset 'Z|'" in command.refused("show", FILES / "strategy-lp.rb", "Z|")
    walked = command("show", FILES / "public-strategy.rb", "s", "--json").json
    assert walked == command("show", FILES / "public-strategy.rb", "--path", "s", "--json").json


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dealer", "twentyone dealer"),
        ("dealer-log", "twentyone dealer-log"),
        ("player", "twentyone player"),
        ("table", "twentyone table"),
        ("tournament host", "twentyone tournament host"),
        ("mcts learn", "mcts train"),
        ("blackjack trainer", "blackjack drill"),
    ],
)
def test_old_names_of_commands_are_taken_and_not_shown(
    command: Command, old: str, new: str
) -> None:
    shown, expected = command(*old.split(), "--help").out, command(*new.split(), "--help").out
    assert shown.partition("\n\n")[2] == expected.partition("\n\n")[2] != ""
    *group, name = old.split()[:1] if old.startswith("tournament") else old.split()
    listed = command(*group, "--help").out.split("Commands:" if group else "Start here:")[1]
    assert f"  {name} " not in listed


def test_every_view_of_a_kind_is_a_command() -> None:
    paths = {" ".join(path) for path, _ in walk(command_tree())}
    views = {kind.view for kind in known_kinds().values() if kind.view}
    assert views == {"holdem view", "holdem preflop", "abstraction show"}
    assert views <= paths


def test_a_file_of_another_kind_is_sent_to_show(command: Command) -> None:
    for words in (("holdem", "view"), ("holdem", "show"), ("holdem", "preflop")):
        sentence = command.refused(*words, FILES / "strategy-lp.rb")
        assert "holds a strategy" in sentence
        assert "riverboat show" in sentence
