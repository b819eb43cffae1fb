"""Names of players that no system could have as a file."""

import pytest

from riverboat.errors import RiverboatError
from riverboat.games.kuhn import Kuhn
from riverboat.players.roster import make_player, spec_of_file


@pytest.mark.parametrize("name", ["x" * 300, "ü" * 200, "a\0b", "x" * 100_000])
def test_a_name_too_long_for_a_file_is_an_unknown_player(name: str) -> None:
    assert spec_of_file(name) is None
    with pytest.raises(RiverboatError):
        make_player(Kuhn(), name)
