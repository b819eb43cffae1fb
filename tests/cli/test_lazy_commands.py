"""`riverboat` imports only the command that is called, and its help fits every width."""

from __future__ import annotations

import subprocess
import sys

import pytest

from commands import Command
from examples import leaves
from riverboat.cli.groups import Group
from riverboat.cli.main import COMMANDS, command_tree

TREE = command_tree()
ENTRIES = [
    *((TREE, commands) for commands in COMMANDS.values()),
    *(
        (TREE.commands[name], entry.commands)
        for commands in COMMANDS.values()
        for name, entry in commands.items()
        if isinstance(entry, Group)
    ),
]


def test_the_table_has_the_first_paragraph_of_each_help() -> None:
    for group, commands in ENTRIES:
        for name, entry in commands.items():
            text = group.commands[name].help.partition("\n\n")[0]
            assert " ".join(text.split()) == entry.help, name


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("line", "absent"),
    [
        ("--help", ("numpy", "rich", "riverboat.cli.solve")),
        ("holdem --help", ("numpy", "riverboat.cli.holdem.spots")),
        ("games", ("numba", "riverboat.cli.solve")),
        ("solve kuhn", ("numba", "riverboat.cli.play")),
        ("solve leduc", ("numba", "riverboat.cli.play")),
        ("blackjack hand T,6 --up 10", ("numba", "riverboat.cli.solve")),
        ("rank As Kd Qh Jc Ts", ("numba", "riverboat.cli.solve")),
    ],
)
def test_a_command_imports_no_more_than_it_needs(line: str, absent: tuple[str, ...]) -> None:
    program = (
        "import sys\nfrom riverboat.cli.main import run\n"
        f"try:\n    run({line.split()!r})\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print([name for name in {absent!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_every_command_loads_without_numba_and_without_extras() -> None:
    program = """
import sys
for name in ("matplotlib", "fastapi", "ray", "cupy", "pyarrow", "duckdb", "pyspiel", "pokerkit"):
    sys.modules[name] = None
from riverboat.cli.main import command_tree
command_tree()
assert not {"numba", "scipy", "textual"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("width", [40, 80])
def test_help_fits_the_terminal(
    width: int, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for words in ((), *(path for path, _ in leaves())):
        text = command(*words, "--help").out
        # An example stays one line, to be copied.
        lines = (line for line in text.splitlines() if not line.startswith("  riverboat "))
        wide = [line for line in lines if len(line) > width and "Usage" not in line]
        assert words == ("duel",) or not wide, wide  # its table keeps its columns
        assert "<bool>" not in text
        usage = text.partition("\n\n")[0]
        assert "[[" not in usage, usage  # brackets and dots are added where they belong
        assert "…" not in usage, usage


def test_a_paragraph_of_help_is_wrapped_once(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = command("solve", "--help").out.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  Without a limit"))
    assert all(len(line) > 60 for line in lines[first : first + 4])


@pytest.mark.parametrize(
    ("line", "shown", "old"),
    [
        ("mcts explain", "--from-memory", "--memory"),
        ("mcts coverage", "--out", "--svg"),
        ("mcts explain", "--out", "--html"),
        ("casino", "--bot", "--bots"),
        ("casino", "--train", "--learn"),
        ("blackjack simulate", "--other-seats", "--others"),
        ("holdem view", "--out", "--svg"),
        ("duel", "--turn-limit", "--limit"),
        ("twentyone player", "--bot", "--player"),
        ("abstraction bucket", "--abstraction", "-a,"),
        ("solve", "--set", "--parameter"),
    ],
)
def test_old_names_of_options_are_taken_and_not_shown(
    line: str, shown: str, old: str, command: Command
) -> None:
    group = TREE
    for word in line.split():
        group = group.commands[word]
    names = next(parameter.opts for parameter in group.params if shown in parameter.opts)
    assert old.strip(",") in names
    text = command(*line.split(), "--help").out.partition("Options:")[2]
    assert shown in text
    assert f"{old} " not in text
