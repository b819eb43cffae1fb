"""Twenty-one for Gymnasium: `riverboat/TwentyOne-v0`, one game or thousands in step.

    env = gymnasium.make("riverboat/TwentyOne-v0", observe="cards")
    many = gymnasium.make_vec("riverboat/TwentyOne-v0", num_envs=4096)

Actions are 0 stand and 1 hit, both always open. The reward is 1, 0 or −1 at the end. An observation
is the hand's points, 1 where an ace counts 11, and the dealer's open card (1 for an ace); with
observe="cards" ten more numbers are how many A, 2, …, 9, T the hand holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import IllegalActionError, ParameterError
from riverboat.interop._gymnasium_frame import ManyTablesEnv, OneTableEnv, check_number
from riverboat.interop._gymnasium_twentyone_kernels import (
    Games,
    deal_games,
    observe_games,
    step_games,
)
from riverboat.interop._libraries import library
from riverboat.runtime.compiled import stream
from riverboat.twentyone.game import VALUES, is_soft, points
from riverboat.twentyone.learning.information import hands
from riverboat.twentyone.learning.optimum import evaluate, optimum

library("gymnasium", "Gymnasium")
from gymnasium import spaces  # noqa: E402

OBSERVED = {"points": "soft", "cards": "composition"}
"""What is observed → the kind of information, as the exact optimum names it."""
Policy: TypeAlias = Callable[[NDArray[np.float32], NDArray[np.int8]], float]
"""(observation, action_mask) → 1 to hit, 0 to stand, or a probability between them."""


class TwentyOneGames:
    """Games side by side, whatever steps them."""

    def __init__(self, num_games: int, observed: str) -> None:
        if observed not in OBSERVED:
            raise ParameterError(f"observe is one of {', '.join(OBSERVED)}, not {observed!r}.")
        self.observed, num_games = observed, check_number(num_games)
        pack = np.array([min(rank, 10) for rank in range(1, 14)] * 4, np.uint8)
        self.games = Games(
            np.tile(np.sort(pack), (num_games, 1)),
            np.zeros(num_games, np.int64),
            np.zeros((num_games, 10), np.int64),
            np.zeros(num_games, np.uint64),
        )
        self.rewards, self.ended = np.zeros(num_games), np.zeros(num_games, np.bool_)
        self.masks = np.ones((num_games, 2), np.int8)
        high = [31.0, 1.0, 10.0, *([21.0] * 10 if observed == "cards" else [])]
        self.observations = np.zeros((num_games, len(high)), np.float32)
        self.space = spaces.Box(np.zeros(len(high), np.float32), np.array(high, np.float32))

    def shuffle(self, seed: int) -> None:
        """The same seed gives the same games."""
        self.games.cards[:] = np.sort(self.games.cards[0])
        for t in range(len(self.games.words)):
            self.games.words[t] = stream(seed, t)

    def deal(self) -> None:
        """Begin a game at every table."""
        deal_games(self.games)
        self.ended[:] = False
        observe_games(self.games, self.observations)

    def step(self, actions: NDArray[np.int64], *, again: bool) -> None:
        """One action in every game; with `again` the next game follows one that ended."""
        if actions.shape != self.ended.shape:
            raise ParameterError(f"{len(self.ended)} actions are wanted, not {actions.shape}.")
        if actions.min() < 0 or actions.max() > 1:
            raise IllegalActionError("Twenty-one: actions are 0 (stand) and 1 (hit).")
        step_games(self.games, actions, self.rewards, self.ended, again)
        observe_games(self.games, self.observations)

    def policy_ev(self, policy: Policy) -> float:
        """The exact expected reward of a policy, over every hand of the pack."""
        chances, mask = np.zeros((len(hands()), len(VALUES))), np.ones(2, np.int8)
        for h, hand in enumerate(hands()):
            row = np.zeros(self.observations.shape[1], np.float32)
            row[:2] = points(hand), is_soft(hand)
            row[3:] = [hand.count(value) for value in VALUES][: len(row) - 3]
            for up in range(len(VALUES)):
                row[2] = up + 1
                chances[h, up] = float(policy(row.copy(), mask.copy()))
        if chances.min() < 0 or chances.max() > 1:
            raise IllegalActionError("Twenty-one: a policy gives 0 to stand and 1 to hit.")
        return evaluate(chances).reward

    @property
    def best_ev(self) -> float:
        """The exact reward of the best policy for what is observed."""
        return optimum(OBSERVED[self.observed], "reward")[0].reward


class TwentyOneEnv(OneTableEnv):
    """One game; see above."""

    over = "Twenty-one: the game is over; call reset()."
    play: TwentyOneGames

    def __init__(self, *, observe: str = "points", render_mode: str | None = None) -> None:
        super().__init__(TwentyOneGames(1, observe), render_mode)


class TwentyOneVectorEnv(ManyTablesEnv):
    """Many games in step."""

    def __init__(
        self, num_envs: int = 1, *, observe: str = "points", render_mode: str | None = None
    ) -> None:
        super().__init__(num_envs, TwentyOneGames(num_envs, observe), render_mode)
