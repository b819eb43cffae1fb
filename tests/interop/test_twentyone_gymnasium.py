"""Twenty-one in Gymnasium, against the exact optimum and the readable rules."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import riverboat.interop.gymnasium_envs  # noqa: F401
from riverboat.errors import IllegalActionError, ParameterError
from riverboat.interop._gymnasium_twentyone import TwentyOneEnv, TwentyOneVectorEnv
from riverboat.twentyone.game import VALUES, points, result


def dealer_like(observation: Any) -> Any:
    return (np.atleast_2d(observation)[:, 0] < 17).astype(int)


def test_best_values_are_those_of_the_table_in_the_rules() -> None:
    """The rules' own table: proved by branch and bound."""
    assert TwentyOneEnv().best_ev == pytest.approx(-0.042806125, abs=1e-9)
    assert TwentyOneEnv(observe="cards").best_ev == pytest.approx(-0.042462276, abs=1e-9)


def test_many_games_earn_what_the_policy_is_worth() -> None:
    many = gymnasium.make_vec(
        "riverboat/TwentyOne-v0", num_envs=4096, vectorization_mode="vector_entry_point"
    )
    exact = TwentyOneEnv().policy_ev(lambda row, mask: float(dealer_like(row)[0]))
    observation, info = many.reset(seed=5)
    assert info["action_mask"].shape == (4096, 2)
    total = games = 0.0
    for _ in range(150):
        observation, rewards, ended, _, _ = many.step(dealer_like(observation))
        total, games = total + rewards.sum(), games + ended.sum()
    assert total / games == pytest.approx(exact, abs=4 / games**0.5)


def test_the_kernel_plays_by_the_readable_rules() -> None:
    env, rng = TwentyOneEnv(observe="cards"), np.random.default_rng(2)
    for seed in range(300):
        observation, _ = env.reset(seed=seed)
        done, reward, hits = False, 0.0, 0
        while not done:
            action = int(rng.random() < 0.4)
            hits += action
            observation, reward, done, _, _ = env.step(action)
        pack = [VALUES[value - 1] for value in env.play.games.cards[0]]
        hand = [pack[0], pack[2], *pack[4 : 4 + hits]]
        out = int(env.play.games.dealt[0])
        dealer = [pack[1], pack[3], *pack[4 + hits : out]]
        assert observation[0] == points(hand)
        assert observation[3:].tolist() == [hand.count(value) for value in VALUES]
        known = result(hand, dealer)
        assert reward == {"WIN": 1, "PUSH": 0, "LOSE": -1, "BUST": -1}[known.value]
        if known.value != "BUST":
            assert points(dealer) >= 17 > points(dealer[:-1]) or len(dealer) == 2


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="observe is one of"):
        TwentyOneEnv(observe="all")
    env = TwentyOneEnv(render_mode="ansi")
    env.reset(seed=1)
    assert "against" in env.render()
    with pytest.raises(IllegalActionError, match=r"0 \(stand\) and 1"):
        env.step(2)
    env.step(0)
    with pytest.raises(IllegalActionError, match="call reset"):
        env.step(0)
    with pytest.raises(ParameterError, match="num_envs"):
        TwentyOneVectorEnv(0)
