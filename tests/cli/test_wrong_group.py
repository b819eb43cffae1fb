"""A command typed in the wrong group is answered with the right line, for every command."""

from __future__ import annotations

from typing import Any

import pytest

from commands import Command
from riverboat.cli.groups import DefaultGroup, HintingGroup, meant_by, walk
from riverboat.cli.main import command_tree

TREE = command_tree()
ALL = dict(walk(TREE))
COMMANDS = {path: command for path, command in ALL.items() if path}
GROUPS: dict[tuple[str, ...], Any] = {
    path: command for path, command in ALL.items() if hasattr(command, "commands")
}


def test_every_group_gives_hints() -> None:
    """But `report 3bet.toml`, where the first command may go unnamed."""
    assert [path for path, group in GROUPS.items() if not isinstance(group, HintingGroup)] == [
        ("holdem", "report")
    ]
    assert isinstance(GROUPS["holdem", "report"], DefaultGroup)


@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_every_command_of_every_other_group_is_named(group: tuple[str, ...]) -> None:
    for path in COMMANDS:
        word = path[-1]
        if word in GROUPS[group].commands:
            continue
        meant = meant_by(TREE, group, word)
        if (word, *group) in COMMANDS:  # `holdem train` is `train holdem`
            assert meant[0] == (word, *group)
        else:
            assert any(words[: len(path)] == path for words in meant), (group, path, meant)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_a_command_with_two_letters_exchanged_is_named(path: tuple[str, ...]) -> None:
    *group, word = path
    typed = word[0] + word[2] + word[1] + word[3:] if len(word) > 3 else word + word[-1]
    if typed not in (word, *GROUPS[tuple(group)].commands):
        assert path in meant_by(TREE, tuple(group), typed)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("hand", "riverboat blackjack hand"),
        ("chart --rules european", "riverboat blackjack chart or riverboat plot chart"),
        ("holdem equity AsAh KdKc", "riverboat equity"),
        ("holdem train --minutes 1", "riverboat train holdem"),
        ("blackjack play", "riverboat play blackjack"),
        ("view 3bet.rb", "riverboat holdem view or riverboat review"),
        ("holdem sovle", "riverboat holdem solve"),
        ("explian", "riverboat exploit or riverboat mcts explain"),
        ("kuhn", "riverboat play kuhn or riverboat solve kuhn"),
    ],
)
def test_lines_as_they_are_typed(line: str, meant: str, command: Command) -> None:
    sentence = command.refused(*line.split())
    assert sentence.endswith(f". Did you mean {meant}?"), sentence


def test_what_resembles_nothing_is_said_without_a_hint(command: Command) -> None:
    assert command.refused("qqq") == "riverboat: No such command 'qqq'."
    assert "No such option" in command.refused("holdem", "--nonsense")
