"""What holds for every command: an example, a panel, one spelling, no option that does nothing."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from typing import Any

import pytest

from commands import Command
from examples import help_examples, leaves
from riverboat.cli.ascii_text import plain
from riverboat.cli.demo import READY
from riverboat.cli.main import PANELS, command_tree

LEAVES = {" ".join(path): command for path, command in leaves()}
OTHER_SPELLINGS = {
    "--output": "--out",
    "--parameter": "--set",
    "--processes": "--workers",
    "--jobs": "--workers",
    "--random-seed": "--seed",
    "--as-json": "--json",
}
"""Spellings that may stand only beside the one that is used everywhere."""


def test_every_command_has_an_example() -> None:
    with_example = {example.source.removesuffix(" --help") for example in help_examples()}
    assert sorted(set(LEAVES) - with_example) == []


def test_every_command_stands_in_one_panel() -> None:
    placed = [name for names in PANELS.values() for name in names]
    assert sorted(placed) == sorted(command_tree().commands)


@pytest.mark.parametrize("name", LEAVES)
def test_help_can_be_read_in_any_encoding(name: str, command: Command) -> None:
    answer = command(*name.split(), "--help")
    assert answer.code == 0
    assert "?" not in "".join(plain(c) for c in answer.out if not c.isascii())


@pytest.mark.parametrize("name", LEAVES)
def test_options_have_one_spelling(name: str) -> None:
    for parameter in LEAVES[name].params:
        for option in parameter.opts:
            if option in OTHER_SPELLINGS:
                assert OTHER_SPELLINGS[option] in parameter.opts, f"{name} {option}"


@pytest.mark.parametrize("name", LEAVES)
def test_a_port_is_checked_before_anything_is_done(name: str, command: Command) -> None:
    for parameter in LEAVES[name].params:
        if parameter.name == "port" and "int" in str(getattr(parameter, "type_descriptor", "int")):
            assert parameter.max == 65535, name


@pytest.mark.parametrize("name", LEAVES)
def test_every_parameter_is_used(name: str) -> None:
    """The function behind a command reads each of its parameters."""
    function = inspect.unwrap(LEAVES[name].callback)
    module: Any = importlib.import_module(function.__module__)
    function = getattr(module, function.__name__, function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    read = {
        node.id for part in definition.body for node in ast.walk(part) if isinstance(node, ast.Name)
    }
    unused = [argument.arg for argument in definition.args.args if argument.arg not in read]
    assert unused == []


@pytest.mark.parametrize(
    "line",
    [
        "equity AsAh KdKc --samples 1000",
        "equity AsAh KdKc --seed 1",
        "casino --bots basic,random --rounds 2 --learn",
        "abstraction show features --limit 3",
        "play blackjack --against random",
        "play twentyone --against random",
        "play kuhn --players 3",
        "solve kuhn --threads 2",
        "solve kuhn --simultaneous",
        "play holdem --players 6 --hint",
        "tournament host basic b=random --rounds 2 --advance 9",
        "blackjack hand T,6 --up 10 --hands 99",
        "table --connect 127.0.0.1:99999",
    ],
)
def test_an_option_that_would_do_nothing_is_refused(line: str, command: Command) -> None:
    command.refused(*line.split())


@pytest.mark.parametrize("line", READY)
def test_what_the_demo_compiles_are_commands(line: str) -> None:
    words = line.split()
    name = " ".join(words[:2]) if " ".join(words[:2]) in LEAVES else words[0]
    LEAVES[name].make_context(name, words[len(name.split()) :])


def test_game_names_are_completed_in_the_shell() -> None:
    (argument,) = (p for p in LEAVES["play"].params if p.name == "game_name")
    context = LEAVES["play"].make_context("play", ["kuhn"])
    found = {item.value for item in argument.shell_complete(context, "k")}
    assert found == {"kuhn"}
