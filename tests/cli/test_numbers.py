"""Every number that a command takes: nan, infinity and what nobody can mean are one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from commands import Command
from examples import leaves

OPTIONS = [
    (" ".join(path), parameter)
    for path, command in leaves()
    for parameter in command.params
    if parameter.opts[0].startswith("-") and parameter.type_descriptor.annotation in (int, float)
]
BELOW_ZERO = {("acpc dealer", "--start_timeout")}
"""Where -1 has a meaning: no limit."""


@pytest.mark.e2e
@pytest.mark.parametrize(("name", "parameter"), OPTIONS, ids=lambda x: getattr(x, "name", x))
def test_an_absurd_number_is_refused(name: str, parameter: Any, command: Command) -> None:
    option = parameter.opts[0]
    for text in ("nan", "inf", "-inf", "1e300", "-1e300", "", "0x1p4", "9" * 400):
        words = command.refused(*name.split(), f"{option}={text}")
        assert option in words or "too many" in words, words
    if (name, option) not in BELOW_ZERO:
        assert option in command.refused(*name.split(), f"{option}=-1")


@pytest.mark.parametrize(
    "line",
    [
        "tournament host basic --remote 1e12",
        "mcts explain --hand 8,8 --up 6 --simulations 1e15",
        "holdem strength --deals 1e12",
        "match kuhn random random --hands 1e12",
        "match kuhn random random --hands 1e10 --workers 2",
        "duel 6,6,2 nan",
        "duel 6,6,2 1e12",
        "duel 6,6,2 1 1e300",
        "tournament show 1e300",
        "tournament show -- -1",
        "solve kuhn --memory inf",
        "solve kuhn --memory nan",
        "solve kuhn --memory -1",
        "solve kuhn --target inf",
        "solve kuhn --target nan",
        "solve kuhn --target -1",
        "train twentyone --target nan",
        "train holdem --memory inf",
    ],
)
def test_counts_and_sizes_without_end_are_refused(line: str, command: Command) -> None:
    command.refused(*line.split())
