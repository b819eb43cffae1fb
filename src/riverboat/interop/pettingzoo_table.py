"""Our games as PettingZoo environments, in turns (AEC).

    from riverboat.interop.pettingzoo_table import table_env

    env = table_env("leduc")
    env = table_env("holdem", players=6)

An episode is one hand. An observation is a dictionary: `observation`, a vector, and `action_mask`.
Rewards come at the end and are the hand's payoffs. `infos` holds the infoset's text. `ask` lets one
of our players choose: `env.unwrapped.ask(rb.player("leduc", result))` gives an action's number.

Terry et al., "PettingZoo: Gym for multi-agent reinforcement learning" (2021).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.arena.hand import ask_player, chance_move, player_stream
from riverboat.errors import IllegalActionError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, Game, ParameterValue, State
from riverboat.games.registry import make_game
from riverboat.interop._action_encoding import book_of
from riverboat.interop._libraries import library
from riverboat.players.player import Player
from riverboat.runtime.plugins import find

library("gymnasium", "Gymnasium")
library("pettingzoo", "PettingZoo")

from gymnasium import spaces  # noqa: E402
from pettingzoo import AECEnv  # noqa: E402
from pettingzoo.utils import wrappers  # noqa: E402

CODES: dict[str, str] = {"holdem": "riverboat.interop._holdem_encoding:HoldemCodes"}
"""Game → "module:class" of codes of its own, for games too large for those of letters."""
MODES = (None, "ansi")


class TableCodes(Protocol):
    """A game's states as vectors and its actions as numbers 0…A−1."""

    @property
    def actions(self) -> tuple[str, ...]:
        """A name for each number."""

    @property
    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(size,) the least and the greatest value of each place of a vector."""

    def observe(self, state: State, player: int) -> NDArray[np.float32]:
        """(size,) what the player knows."""

    def mask(self, state: State) -> NDArray[np.int8]:
        """(A,) 1 for each action that the acting player may take."""

    def action(self, state: State, number: int) -> Action:
        """The action that a number stands for here."""

    def number(self, state: State, action: Action) -> int:
        """The number that stands for an action here, or comes nearest to it."""


class LetterCodes:
    """Codes of any game: the letters of the infoset's text (action_encoding.py)."""

    def __init__(self, game: Game) -> None:
        self.book = book_of(game)
        self.players = game.num_players

    @property
    def actions(self) -> tuple[str, ...]:
        return self.book.actions

    @property
    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        size = self.players + self.book.size
        return np.zeros(size, np.float32), np.ones(size, np.float32)

    def observe(self, state: State, player: int) -> NDArray[np.float32]:
        seat = np.eye(self.players, dtype=np.float32)[player]
        return np.concatenate([seat, self.book.encode(state.infoset(player))])

    def mask(self, state: State) -> NDArray[np.int8]:
        return self.book.mask(state.actions())

    def action(self, state: State, number: int) -> Action:
        return self.book.actions[number]

    def number(self, state: State, action: Action) -> int:
        return self.book.action_numbers[action]


def codes_of(game: Game) -> TableCodes:
    """The codes that fit the game."""
    codes_path = CODES.get(game.name)
    codes: TableCodes = LetterCodes(game) if codes_path is None else find(codes_path)(game)
    return codes


def table_env(
    game: str | Game, *, render_mode: str | None = None, **parameters: ParameterValue
) -> Any:
    """The environment of a game, with PettingZoo's checks of the order of calls.

    An illegal action ends the episode with a reward of −1 for who took it (TerminateIllegal).
    """
    env: Any = TableEnv(game, render_mode=render_mode, **parameters)
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(env)


class TableEnv(AECEnv):  # type: ignore[misc]
    """A table with one agent at each seat: player_0, player_1, …"""

    def __init__(
        self,
        game: str | Game = "leduc",
        *,
        render_mode: str | None = None,
        **parameters: ParameterValue,
    ) -> None:
        super().__init__()
        self.game = make_game(game, parameters) if isinstance(game, str) else game
        if self.game.num_players < 2:
            raise UsageError(
                f"{self.game.name} is for one player; PettingZoo is for several: take Gymnasium."
            )
        if render_mode not in MODES:
            raise UsageError(f"render_mode is 'ansi' or None, not {render_mode!r}.")
        self.codes = codes_of(self.game)
        self.metadata = {
            "name": f"riverboat_{self.game.name}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        low, high = self.codes.bounds
        count = len(self.codes.actions)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        self._seed(None)
        self.state_: State = self.game.start()

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._seed(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._go_to(self.game.start())

    def _seed(self, seed: int | None) -> None:
        """Chance has a stream of its own: players that are asked cannot work out the cards."""
        self.rng = np.random.default_rng(seed)
        self.player_rng = player_stream(np.random.default_rng(seed).spawn(1)[0])

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self.possible_agents.index(agent)
        none = np.zeros(len(self.codes.actions), np.int8)
        mask = self.codes.mask(self.state_) if self.state_.actor == seat else none
        return {"observation": self.codes.observe(self.state_, seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        number = -1 if action is None else int(action)
        if not (0 <= number < len(self.codes.actions) and self.codes.mask(self.state_)[number]):
            legal = np.flatnonzero(self.codes.mask(self.state_)).tolist()
            raise IllegalActionError(f"{agent} chose {action} where only {legal} are possible.")
        self._clear_rewards()
        self._go_to(self.state_.after(self.codes.action(self.state_, number)))
        self._accumulate_rewards()

    def ask(self, player: Player) -> int:
        """What one of our players does here, as an action's number."""
        choice, _ = ask_player(self.game, self.state_, player, self.player_rng)
        return self.codes.number(self.state_, choice)

    def render(self) -> str | None:
        return self.state_.describe(None) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is open."""

    def _go_to(self, state: State) -> None:
        """Deal until a player acts or the hand is over."""
        while state.actor == CHANCE:
            state = state.after(chance_move(state, self.rng))
        self.state_ = state
        for seat, agent in enumerate(self.agents):
            self.infos[agent] = {"infoset": state.infoset(seat)}
        if state.actor != TERMINAL:
            self.agent_selection = self.possible_agents[state.actor]
            return
        self.rewards = dict(zip(self.agents, state.returns(), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
