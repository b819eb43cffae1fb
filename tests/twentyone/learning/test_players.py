"""Players of twenty-one by name."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.errors import RiverboatError, UsageError
from riverboat.games.registry import make_game
from riverboat.players.player import View
from riverboat.players.roster import make_player
from riverboat.twentyone.game import HIT, STAND
from riverboat.twentyone.learning.q_table import QTable

RNG = np.random.default_rng(0)


def choice(spec: str, infoset: str) -> str:
    game = make_game("twentyone")
    return make_player(game, spec).choose(View(game, 0, infoset, (HIT, STAND)), RNG)


def test_basic_plays_the_exact_optimum() -> None:
    assert choice("basic", "6T|T") == HIT
    assert choice("basic", "6T|6") == STAND
    assert choice("basic?state=soft", "A7|9") == HIT
    assert choice("basic?state=soft", "8T|9") == STAND
    # 17 against an ace is hit by a player who counts wins and sees only points.
    assert choice("basic?state=points&objective=wins", "7T|A") == HIT
    assert choice("basic?state=points", "7T|A") == STAND


def test_a_table_plays_and_falls_back_to_the_dealers_rule(tmp_path: Path) -> None:
    table = QTable.empty("points")
    table.record("6T|6", HIT, 1.0)
    table.record("6T|6", STAND, 0.0)
    path = tmp_path / "q.rb"
    table.save(path)
    assert choice(f"q:{path}", "79|6") == HIT
    assert choice(f"q:{path}", "7T|6") == STAND
    assert choice(f"q:{path}", "5T|6") == HIT


@pytest.mark.parametrize(
    "spec", ["q", "q:none.rb", "basic?style=x", "basic?state=x", "basic?objective=x", "q:a?b=c"]
)
def test_bad_specs_are_refused(spec: str) -> None:
    with pytest.raises(RiverboatError):
        choice(spec, "6T|6")


def test_other_games_are_refused() -> None:
    with pytest.raises(UsageError, match="twentyone"):
        make_player(make_game("kuhn"), "basic")
