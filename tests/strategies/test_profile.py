"""Which strategies fit a game."""

import dataclasses

import pytest

from riverboat.errors import UsageError
from riverboat.games.leduc import Leduc
from riverboat.solvers.solve import solve
from riverboat.strategies.strategy import check_same_game


def test_a_file_older_than_a_parameter_has_its_default() -> None:
    strategy = solve(Leduc(), iterations=1, algorithm="cfr").strategy
    older = dataclasses.replace(strategy, parameters={"ranks": 3})
    check_same_game(Leduc(), older)
    with pytest.raises(UsageError, match="ranks=3, not for leduc ranks=3 suits=3"):
        check_same_game(Leduc(suits=3), older)
    with pytest.raises(UsageError, match="is for leduc, not for chess"):
        check_same_game(type("Chess", (Leduc,), {"name": "chess"})(), older)
