"""What our Gymnasium environments share: one table, or many that step together.

A game brings its `VectorTables`: arrays with a row for each table and kernels that fill them. The
frames here put Gymnasium's spaces, seeds, infos and endings around them.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import IllegalActionError, ParameterError
from riverboat.interop._libraries import library

library("gymnasium", "Gymnasium")
import gymnasium  # noqa: E402
from gymnasium import spaces  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

Flags: TypeAlias = NDArray[np.bool_]
Infos: TypeAlias = dict[str, Any]
Seen: TypeAlias = NDArray[np.float32]


class VectorTables(Protocol):
    """T tables side by side, each with one seat."""

    space: spaces.Box[np.float32]
    observations: Seen  # (T, …) what each seat sees
    masks: NDArray[np.int8]  # (T, A) 1 for each action that is open
    rewards: NDArray[np.float64]
    ended: Flags

    def shuffle(self, seed: int) -> None:
        """Begin anew; the same seed gives the same cards."""

    def deal(self) -> None:
        """Begin a round at every table."""

    def step(self, actions: NDArray[np.int64], *, again: bool) -> None:
        """One action at every table; with `again` the next round follows one that ended."""

    def policy_ev(self, policy: Any) -> float:
        """The exact value of a policy."""

    @property
    def best_ev(self) -> float:
        """The exact value of the best policy."""


class OneTableEnv(gymnasium.Env):
    """One table that is reset by hand after each round."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012
    over: ClassVar[str]  # The error of a step after the end

    def __init__(self, play: VectorTables, render_mode: str | None) -> None:
        if render_mode not in (None, "ansi"):
            raise ParameterError(f"render_mode is 'ansi' or None, not {render_mode!r}.")
        self.render_mode, self.play = render_mode, play
        self.observation_space = play.space
        self.action_space = spaces.Discrete(play.masks.shape[1])

    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[Seen, Infos]:
        """Deal a new round; a seed makes it and those after it repeatable."""
        fresh = self._np_random is None
        super().reset(seed=seed)
        _deal(self, fresh or seed is not None)
        return self.play.observations[0].copy(), self._info()

    def step(self, action: int) -> tuple[Seen, float, bool, bool, Infos]:
        """Play one action; the reward comes with the end of the round."""
        play = self.play
        if play.ended[0]:
            raise IllegalActionError(self.over)
        play.step(np.array([action], np.int64), again=False)
        reward, ended = float(play.rewards[0]), bool(play.ended[0])
        return play.observations[0].copy(), reward, ended, False, self._info()

    def _info(self) -> Infos:
        return {"action_mask": self.play.masks[0].copy()}

    def policy_ev(self, policy: Any) -> float:
        """The exact expected reward of a policy: (observation, action_mask) → action."""
        return self.play.policy_ev(policy)

    @property
    def best_ev(self) -> float:
        """The exact reward of the best policy."""
        return self.play.best_ev

    def render(self) -> str | None:
        """The hand and the dealer's open card in words, with render_mode="ansi"."""
        if self.render_mode != "ansi":
            return None
        total, soft, up = self.play.observations[0, :3].astype(int).tolist()
        return f"{'soft ' * soft}{total} against {'A' if up == 1 else up}"


class ManyTablesEnv(VectorEnv):
    """Many tables in step on compiled kernels; after a round's end the next begins at once."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(self, num_envs: int, play: VectorTables, render_mode: str | None) -> None:
        self.num_envs, self.render_mode, self.play = num_envs, render_mode, play
        self.single_observation_space = play.space
        self.single_action_space = spaces.Discrete(play.masks.shape[1])
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[Seen, Infos]:
        """Deal a new round at every table; a seed makes all that follows repeatable."""
        fresh = self._np_random is None
        super().reset(seed=seed)
        _deal(self, fresh or seed is not None)
        return self.play.observations.copy(), {"action_mask": self.play.masks.copy()}

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Seen, NDArray[np.float64], Flags, Flags, Infos]:
        """One action at every table; `final_obs` is what was seen before the last action."""
        play, last = self.play, self.play.observations.copy()
        play.step(np.ascontiguousarray(actions, np.int64), again=True)
        ended, never = play.ended.copy(), np.zeros(self.num_envs, np.bool_)
        info = {"action_mask": play.masks.copy(), "final_obs": last, "_final_obs": ended}
        return play.observations.copy(), play.rewards.copy(), ended, never, info


def _deal(env: OneTableEnv | ManyTablesEnv, anew: bool) -> None:
    """Begin a round at every table, from shuffled cards where all begins anew."""
    if anew:
        env.play.shuffle(int(env.np_random.integers(2**62)))
    env.play.deal()


def check_number(num_envs: int) -> int:
    """How many tables there are, if that can be."""
    if num_envs < 1:
        raise ParameterError(f"num_envs must be 1 or more, not {num_envs}.")
    return num_envs
