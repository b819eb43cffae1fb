"""`show`, `evaluate`, `export`, `match` and `play` take every kind of file, or say what to do."""

from pathlib import Path

import pytest

from commands import Command

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


def test_a_game_of_another_kind_is_told(command: Command) -> None:
    refused = command.refused("match", "leduc", FILES / "strategy-lp.rb", "random", "--hands", 2)
    assert "for kuhn" in refused
    assert "not leduc" in command.refused("match", "leduc", FILES / "q-table.rb", "random")
    assert "cannot play" in command.refused("match", "kuhn", FILES / "blueprint-checkpoint.rb", "x")
    assert "no file" in command.refused("match", "kuhn", "absent.rb", "random")
