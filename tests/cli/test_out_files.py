"""`--out` and kindred options: the ending decides what is written, in every command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import Command
from riverboat.cli.main import command_tree

pytest.importorskip("matplotlib")

BEGINNINGS = {
    ".svg": (b"<svg", b"<?xml"),
    ".html": (b"<!doctype html>",),
    ".pdf": (b"%PDF-",),
    ".png": (b"\x89PNG\r\n",),
    ".csv": (b"table,hand,", b"decks,ev"),
    ".txt": (b"6 decks",),
}
PICTURES = (".svg", ".html", ".pdf", ".png")
EXPLAIN = ("mcts", "explain", "--hand", "8,8", "--up", "10", "--simulations", 200)
DRAWN = {
    ("blackjack", "chart"): (*PICTURES, ".csv", ".txt"),
    ("blackjack", "sweep", "--over", "decks=1,2"): (*PICTURES, ".csv"),
    EXPLAIN: PICTURES,
    ("holdem", "show", "--path", "r6"): PICTURES,
    ("plot", "kuhn-family"): (".svg", ".pdf", ".png"),
}


@pytest.mark.parametrize(
    ("words", "ending"),
    [
        pytest.param(words, ending, id=f"{words[0]}-{words[1]}{ending}")
        for words, endings in DRAWN.items()
        for ending in endings
    ],
)
def test_a_file_is_what_its_ending_says(
    command: Command, tmp_path: Path, words: tuple[Any, ...], ending: str
) -> None:
    out = tmp_path / f"x{ending}"
    assert command(*words, "--out", out).code == 0
    assert out.read_bytes().startswith(BEGINNINGS[ending])


def _with_out(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that has --out."""
    for name, child in getattr(tree, "commands", {}).items():
        yield from _with_out(child, (*path, name))
    if any("--out" in parameter.opts for parameter in tree.params):
        yield path, tree


REQUIRED = {
    "learn": ("2",),
    "check": ("assignment1", "--starter"),
    "solve": ("kuhn",),
    "duel": ("6, 6, 2", "1", "10"),
    "mcts explain": ("--hand", "8,8", "--up", "10"),
    "mcts memory": ("none.txt",),
    "mcts coverage": ("none.txt",),
    "holdem solve": ("none.toml",),
    "holdem view": ("none.rb",),
    "holdem preflop": ("none.toml",),
    "holdem book": ("--from", "none.rb"),
    "holdem report solve": ("none.toml",),
    "holdem report node": ("none.rb", "r:0:c:c"),
    "holdem report query": ("none", "select 1"),
    "holdem report page": ("none",),
    "holdem from-hand": ("none.phhs", "--decision", "1"),
    "training": ("Ada",),
    "export": ("none.rb",),
    "show": ("none.rb", "--groups"),
    "blackjack sweep": ("--over", "decks=1,2"),
    "plot convergence": ("kuhn",),
    "plot game-tree": ("kuhn",),
    "plot regret-path": ("kuhn",),
    "plot range-grid": ("AA",),
    "abstraction build": ("features",),
}
"""What a command needs besides --out; files that do not exist, so that nothing can be computed."""


@pytest.mark.parametrize("name", [" ".join(path) for path, _ in _with_out(command_tree())])
def test_an_unknown_ending_is_refused_before_the_work(
    command: Command, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "x.doc"
    words = command.refused(*name.split(), *REQUIRED.get(name, ()), "--out", out)
    assert "--out writes ." in words
    assert "'x.doc'" in words
    assert not out.exists()


def test_a_format_that_contradicts_the_ending_is_refused(command: Command, tmp_path: Path) -> None:
    chart = ("blackjack", "chart", "--format", "svg", "--out", tmp_path / "x.png")
    assert "--out writes .svg" in command.refused(*chart)
    kuhn = tmp_path / "kuhn.rb"
    assert command("solve", "kuhn", "--out", kuhn).code == 0
    export = ("export", kuhn, "--format", "csv", "--out", tmp_path / "x.json")
    assert "--out writes .csv" in command.refused(*export)
