"""Our games as PettingZoo environments, by PettingZoo's own tests."""

import warnings
from typing import Any

import numpy as np
import pytest

import riverboat as rb
from riverboat.errors import IllegalActionError, ParameterError, UsageError
from riverboat.games.registry import known_games, make_game
from riverboat.interop._holdem_encoding import MENU, HoldemCodes
from riverboat.interop.pettingzoo_table import TableEnv, table_env

with warnings.catch_warnings():  # its tests load an environment of an old kind
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, seed_test

# PettingZoo's own card games observe by dictionaries too, and are on its list of exceptions.
pytestmark = pytest.mark.filterwarnings("ignore:Observation")
SEVERAL = [name for name in known_games() if make_game(name).num_players >= 2]
QUICK = [name for name in SEVERAL if name != "liars_dice"]


@pytest.mark.parametrize("name", QUICK)
def test_pettingzoos_api_and_seed_tests_pass(name: str) -> None:
    api_test(TableEnv(name), num_cycles=60)
    seed_test(lambda: table_env(name), num_cycles=30)


@pytest.mark.slow
def test_pettingzoos_tests_pass_with_liars_dice() -> None:
    api_test(TableEnv("liars_dice"), num_cycles=500)
    seed_test(lambda: table_env("liars_dice"), num_cycles=100)


@pytest.mark.parametrize("players", [3, 6, 10])
def test_holdem_takes_two_to_ten_seats(players: int) -> None:
    api_test(TableEnv("holdem", players=players), num_cycles=60)
    with pytest.raises(ParameterError, match="2 to 10"):
        table_env("holdem", players=11)


def test_openspiels_games_are_environments_too() -> None:
    api_test(TableEnv("openspiel:leduc_poker"), num_cycles=60)


def play(env: TableEnv, rng: np.random.Generator) -> dict[str, float]:
    env.reset(seed=int(rng.integers(1 << 30)))
    while not all(env.terminations.values()):
        observation = env.observe(env.agent_selection)
        assert env.observation_space(env.agent_selection).contains(observation)
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return dict(env.rewards)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "holdem"])
def test_rewards_are_the_games_payoffs(name: str) -> None:
    env, rng = TableEnv(name), np.random.default_rng(3)
    for _ in range(20):
        rewards = play(env, rng)
        assert tuple(rewards.values()) == env.state_.returns()
        assert sum(rewards.values()) == 0


def test_two_infosets_never_look_the_same() -> None:
    env, rng, seen = TableEnv("leduc"), np.random.default_rng(1), {}
    for _ in range(300):
        env.reset(seed=int(rng.integers(1 << 30)))
        while not all(env.terminations.values()):
            agent = env.agent_selection
            vector = env.observe(agent)["observation"].tobytes()
            key = (agent, env.infos[agent]["infoset"])
            assert seen.setdefault(vector, key) == key
            env.step(int(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"]))))


def test_our_players_can_be_asked_and_hold_the_value() -> None:
    """Kuhn's equilibrium gives the second player 1/18 against whoever plays well."""
    result = rb.solve("kuhn")
    player = rb.player("kuhn", result)
    env, total, hands = TableEnv("kuhn"), 0.0, 4000
    env.reset(seed=0)
    for _ in range(hands):
        env.reset()
        while not all(env.terminations.values()):
            env.step(env.ask(player))
        total += env.rewards["player_1"]
    assert total / hands == pytest.approx(1 / 18, abs=4 * 1.4 / hands**0.5)


def test_illegal_actions_are_named() -> None:
    env = TableEnv("leduc")
    env.reset(seed=1)
    illegal = int(np.flatnonzero(env.observe("player_0")["action_mask"] == 0)[0])
    for action in (illegal, 99, -1):
        with pytest.raises(IllegalActionError, match="player_0 chose"):
            env.step(action)


def test_the_wrapped_table_ends_the_hand_of_who_acts_illegally(
    recwarn: pytest.WarningsRecorder, capfd: pytest.CaptureFixture[str]
) -> None:
    env = table_env("leduc")
    env.reset(seed=1)
    illegal = int(np.flatnonzero(env.observe("player_0")["action_mask"] == 0)[0])
    env.step(illegal)
    recwarn.clear()
    assert env.terminations["player_0"]
    assert env.rewards["player_0"] == -1


def test_games_for_one_player_are_sent_to_gymnasium() -> None:
    with pytest.raises(UsageError, match="Gymnasium"):
        table_env("blackjack")
    with pytest.raises(UsageError, match="render_mode"):
        table_env("kuhn", render_mode="human")


def test_ansi_shows_the_table() -> None:
    env = table_env("kuhn", render_mode="ansi")
    env.reset(seed=1)
    assert "player 1 [" in env.render()


def test_the_menu_of_holdem_is_in_pots() -> None:
    game: Any = make_game("holdem")  # blinds 1 and 2, stacks 200
    codes = HoldemCodes(game)
    state = game.resume([[0, 1], [2, 3]], [], "")
    assert [codes.action(state, int(n)) for n in np.flatnonzero(codes.mask(state))] == [
        "f",
        "c",
        "r4",
        "r6",
        "r200",
    ]  # half the pot is the least raise: 2 + 4/2
    assert MENU[3] == "raise half pot"
    assert codes.mask(state)[3] == 0
    assert codes.number(state, "r7") == MENU.index("raise pot")
    river = game.resume([[0, 1], [2, 3]], [8, 12, 16, 20, 24], "cc/cc/cc/")
    assert codes.mask(river)[0] == 0  # nothing to fold to
    fixed: Any = make_game("holdem", {"limit": "fixed-limit"})
    start = fixed.resume([[0, 1], [2, 3]], [], "")
    assert HoldemCodes(fixed).mask(start).tolist() == [1, 1, 1, 0, 0, 0]
