"""The searching player at the tables of the package."""

from pathlib import Path

import numpy as np
import pytest

from riverboat.arena.match import run_match
from riverboat.blackjack.search.mcts import Budget
from riverboat.blackjack.search.memory import Knowledge
from riverboat.blackjack.search.player import MctsPlayer, learn_by_playing, situation_of
from riverboat.blackjack.search.problem import TWENTYONE, Table
from riverboat.errors import UsageError
from riverboat.games.registry import make_game
from riverboat.players.player import View
from riverboat.players.roster import make_player

BLACKJACK = make_game("blackjack", {"rules": "combo-charlie"})
COMBO = Table(BLACKJACK.table)  # type: ignore[attr-defined]


def choose(game_name: str, spec: str, infoset: str, actions: str) -> str:
    game = make_game(game_name)
    player = make_player(game, spec)
    view = View(game, 0, infoset, tuple(actions))
    return player.choose(view, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("infoset", "actions", "best"),
    [
        (">56|6|", "SHD", "D"),
        (">TT|6|", "SHDP", "S"),
        (">A8|A|", "IN", "N"),
        ("8T >83|6|N", "SHD", "D"),
        ("8T+ >8T|6|", "SH", "S"),
    ],
)
def test_blackjack(infoset: str, actions: str, best: str) -> None:
    assert choose("blackjack", "mcts?simulations=2000", infoset, actions) == best


def test_twentyone() -> None:
    assert choose("twentyone", "mcts?simulations=500", "5T|T", "hs") == "h"
    assert choose("twentyone", "mcts?simulations=500", "TT|6", "hs") == "s"


def test_what_it_sees_of_a_split() -> None:
    situation = situation_of(COMBO, "8T+ >8|6|")
    assert (situation.hand, situation.up, situation.hands) == ("8", "6", 2)
    assert situation.shoe is not None
    # Three decks less the other hand.
    assert sum(situation.shoe) == 154
    assert situation_of(TWENTYONE, "A5|9").hand == "A5"


@pytest.mark.parametrize(
    ("game", "opponents"), [("blackjack", []), ("twentyone", []), ("kuhn", ["random"])]
)
def test_plays_matches(game: str, opponents: list[str]) -> None:
    table = make_game(game)
    players = [make_player(table, text) for text in ["mcts?simulations=200", *opponents]]
    log = run_match(table, players, 60, seed=3)
    assert log.hands == 60
    again = [make_player(table, text) for text in ["mcts?simulations=200", *opponents]]
    assert run_match(table, again, 60, seed=3) == log


def test_budgets_of_a_spec() -> None:
    def budget(spec: str) -> Budget:
        player = make_player(BLACKJACK, spec)
        assert isinstance(player, MctsPlayer)
        return player.budget

    assert budget("mcts") == Budget(100_000, 1_000.0)
    assert budget("mcts?simulations=50") == Budget(50)
    assert budget("mcts?ms=5") == Budget(ms=5.0)
    assert budget("mcts?ms=5&simulations=50") == Budget(50, 5.0)
    assert make_player(BLACKJACK, "mcts?selection=flat&simulations=5").name.startswith("mcts?")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("mcts?simulation=5", "no option"),
        ("mcts:file", "no argument"),
        ("mcts?simulations=many", "is a number"),
    ],
)
def test_wrong_specs(spec: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        make_player(BLACKJACK, spec)
    with pytest.raises(UsageError, match="no option"):
        make_player(make_game("kuhn"), "mcts?ms=5")


def test_learns_by_playing_and_plays_from_its_memory(tmp_path: Path) -> None:
    knowledge = Knowledge()
    searched = learn_by_playing(knowledge, COMBO, 60, Budget(300), seed=1)
    assert searched >= len(knowledge.table) > 30
    path = tmp_path / "bot.txt"
    knowledge.save(path)
    player = make_player(BLACKJACK, f"mcts?simulations=5&memory={path}")
    assert run_match(BLACKJACK, [player], 20).hands == 20
