"""Twenty-one for Gymnasium: `riverboat/TwentyOne-v0`, one game or thousands in step.

    import gymnasium, riverboat.interop.gymnasium_envs

    env = gymnasium.make("riverboat/TwentyOne-v0", observe="cards")
    many = gymnasium.make_vec("riverboat/TwentyOne-v0", num_envs=4096)

Actions are 0 stand and 1 hit, both always open. The reward is 1, 0 or −1 at the end. An observation
is the hand's points, 1 where an ace counts 11, and the dealer's open card (1 for an ace); with
observe="cards" ten more numbers tell how many A, 2, …, 9, T the hand holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import IllegalActionError, ParameterError
from riverboat.interop.libraries import library
from riverboat.interop.twentyone_vector_kernels import (
    Games,
    deal_games,
    observe_games,
    step_games,
)
from riverboat.random_kernels import stream
from riverboat.twentyone.game import VALUES, is_soft, points
from riverboat.twentyone.information import hands
from riverboat.twentyone.optimum import evaluate, optimum

__all__ = ["TwentyOneEnv", "TwentyOneGames", "TwentyOneVectorEnv"]

library("gymnasium", "Gymnasium")
import gymnasium  # noqa: E402
from gymnasium import spaces  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

OBSERVED = {"points": "soft", "cards": "composition"}
"""What is observed → the kind of information, as the exact optimum names it."""
Policy: TypeAlias = Callable[[NDArray[np.float32]], float]
"""Observation → 1 to hit, 0 to stand, or a probability between them."""
Flags: TypeAlias = NDArray[np.bool_]


class TwentyOneGames:
    """Games side by side, whatever steps them."""

    def __init__(self, num: int, observed: str) -> None:
        if observed not in OBSERVED:
            raise ParameterError(f"observe is one of {', '.join(OBSERVED)}, not {observed!r}.")
        self.observed = observed
        pack = np.array([min(rank, 10) for rank in range(1, 14)] * 4, np.uint8)
        self.games = Games(
            np.tile(np.sort(pack), (num, 1)),
            np.zeros(num, np.int64),
            np.zeros((num, 10), np.int64),
            np.zeros(num, np.uint64),
        )
        self.rewards, self.ended = np.zeros(num), np.zeros(num, np.bool_)
        high = [31.0, 1.0, 10.0, *([21.0] * 10 if observed == "cards" else [])]
        self.observations = np.zeros((num, len(high)), np.float32)
        self.space = spaces.Box(np.zeros(len(high), np.float32), np.array(high, np.float32))

    def shuffle(self, seed: int) -> None:
        """The same seed gives the same games."""
        self.games.cards[:] = np.sort(self.games.cards[0])
        for t in range(len(self.games.words)):
            self.games.words[t] = stream(seed, t)

    def deal(self) -> None:
        deal_games(self.games)
        self.ended[:] = False
        observe_games(self.games, self.observations)

    def step(self, actions: NDArray[np.int64], *, again: bool) -> None:
        if actions.shape != self.ended.shape:
            raise ParameterError(f"{len(self.ended)} actions are wanted, not {actions.shape}.")
        if actions.min() < 0 or actions.max() > 1:
            raise IllegalActionError("Twenty-one: actions are 0 (stand) and 1 (hit).")
        step_games(self.games, actions, self.rewards, self.ended, again)
        observe_games(self.games, self.observations)

    def policy_ev(self, policy: Policy) -> float:
        """The exact expected reward of a policy, over every hand of the pack."""
        chances = np.zeros((len(hands()), len(VALUES)))
        for h, hand in enumerate(hands()):
            row = np.zeros(self.observations.shape[1], np.float32)
            row[:2] = points(hand), is_soft(hand)
            row[3:] = [hand.count(value) for value in VALUES][: len(row) - 3]
            for up in range(len(VALUES)):
                row[2] = up + 1
                chances[h, up] = float(policy(row.copy()))
        if chances.min() < 0 or chances.max() > 1:
            raise IllegalActionError("Twenty-one: a policy gives 0 to stand and 1 to hit.")
        return evaluate(chances).reward

    @property
    def best_ev(self) -> float:
        """The exact reward of the best policy for what is observed."""
        return optimum(OBSERVED[self.observed], "reward")[0].reward


class TwentyOneEnv(gymnasium.Env):
    """One game; see above."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(self, *, observe: str = "points", render_mode: str | None = None) -> None:
        if render_mode not in (None, "ansi"):
            raise ParameterError(f"render_mode is 'ansi' or None, not {render_mode!r}.")
        self.render_mode = render_mode
        self.play = TwentyOneGames(1, observe)
        self.observation_space = self.play.space
        self.action_space = spaces.Discrete(2)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        fresh = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or fresh:
            self.play.shuffle(int(self.np_random.integers(2**62)))
        self.play.deal()
        return self.play.observations[0].copy(), _info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        if self.play.ended[0]:
            raise IllegalActionError("Twenty-one: the game is over; call reset().")
        self.play.step(np.array([action], np.int64), again=False)
        ended = bool(self.play.ended[0])
        return self.play.observations[0].copy(), float(self.play.rewards[0]), ended, False, _info()

    def policy_ev(self, policy: Policy) -> float:
        """The exact expected reward of a policy."""
        return self.play.policy_ev(policy)

    @property
    def best_ev(self) -> float:
        """The exact reward of the best policy for what is observed."""
        return self.play.best_ev

    def render(self) -> str | None:
        if self.render_mode != "ansi":
            return None
        total, soft, up = self.play.observations[0, :3].astype(int).tolist()
        return f"{'soft ' * soft}{total} against {'A' if up == 1 else up}"


class TwentyOneVectorEnv(VectorEnv):
    """Many games in step on compiled kernels; after a game's end the next begins at once."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self, num_envs: int = 1, *, observe: str = "points", render_mode: str | None = None
    ) -> None:
        if num_envs < 1:
            raise ParameterError(f"num_envs must be 1 or more, not {num_envs}.")
        self.num_envs, self.render_mode = num_envs, render_mode
        self.play = TwentyOneGames(num_envs, observe)
        self.single_observation_space = self.play.space
        self.single_action_space = spaces.Discrete(2)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        fresh = self._np_random is None
        super().reset(seed=seed)
        if seed is not None or fresh:
            self.play.shuffle(int(self.np_random.integers(2**62)))
        self.play.deal()
        return self.play.observations.copy(), _info(self.num_envs)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        last = self.play.observations.copy()
        self.play.step(np.ascontiguousarray(actions, np.int64), again=True)
        ended, never = self.play.ended.copy(), np.zeros(self.num_envs, np.bool_)
        info = {**_info(self.num_envs), "final_obs": last, "_final_obs": ended}
        return self.play.observations.copy(), self.play.rewards.copy(), ended, never, info


def _info(*shape: int) -> dict[str, Any]:
    """Both actions are always open."""
    return {"action_mask": np.ones((*shape, 2), np.int8)}
