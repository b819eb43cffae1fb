"""Our games in OpenSpiel: after `import riverboat.interop.openspiel_registration`

    pyspiel.load_game("riverboat_leduc"), pyspiel.load_game("riverboat_kuhn(players=3)")

are Python games there, for every registered game whose tree can be walked. An action is its
number among the game's actions sorted by text. An information state is "P0 " or "P1 " before our
infoset's text, for there two players must not share one; its tensor is that of action_encoding.py.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from riverboat.games.base import CHANCE, TERMINAL, Game, State
from riverboat.games.registry import game_class, known_games, make_game
from riverboat.interop._action_encoding import CodeBook, book_of
from riverboat.interop.openspiel_game import spiel

spiel()  # says how to install it where it is missing
import pyspiel  # noqa: E402

PREFIX = "riverboat_"
WALKED_TOO = ("liars_dice",)  # Games that are not called small, and can be walked in seconds


class RiverboatGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games, as OpenSpiel sees it; `game` is ours."""

    def __init__(self, game: Game, kind: Any, given: Mapping[str, Any]) -> None:
        self.game = game
        self.book: CodeBook = book_of(game)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.book.actions),
            max_chance_outcomes=max(len(self.book.outcomes), 0),
            num_players=game.num_players,
            min_utility=self.book.utilities[0],
            max_utility=self.book.utilities[1],
            utility_sum=game.utility_sum,
            max_game_length=self.book.max_moves,
        )
        super().__init__(kind, info, dict(given))

    def new_initial_state(self, text: str | None = None) -> RiverboatState:
        return RiverboatState(self, self.game.start())

    def max_chance_nodes_in_history(self) -> int:
        return self.book.max_deals

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        return _Observer(self.book, self.game.num_players)


@dataclasses.dataclass(frozen=True)
class _Held:
    """What a RiverboatState holds. Nothing of it ever changes, so copies of a state share it."""

    game: Game
    book: CodeBook
    state: State

    def __deepcopy__(self, memo: Any) -> _Held:
        return self


class RiverboatState(pyspiel.State):  # type: ignore[misc]
    """A state of ours, `inner`, as OpenSpiel sees it."""

    def __init__(self, game: RiverboatGame, inner: State) -> None:
        super().__init__(game)
        self.held = _Held(game.game, game.book, inner)

    @property
    def inner(self) -> State:
        return self.held.state

    def current_player(self) -> int:
        actor = self.inner.actor
        return int(pyspiel.PlayerId.TERMINAL) if actor == TERMINAL else actor

    def is_terminal(self) -> bool:
        return self.inner.actor == TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        numbers = self.held.book.action_numbers
        return sorted(numbers[action] for action in self.inner.actions())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        numbers = self.held.book.outcome_numbers
        return sorted((numbers[action], p) for action, p in self.inner.chance())

    def _apply_action(self, action: int) -> None:
        after = self.inner.after(self._action_to_string(self.inner.actor, action))
        self.held = dataclasses.replace(self.held, state=after)

    def _action_to_string(self, player: int, action: int) -> str:
        texts = self.held.book.outcomes if player == CHANCE else self.held.book.actions
        return texts[action]

    def returns(self) -> list[float]:
        if self.inner.actor != TERMINAL:
            return [0.0] * self.held.game.num_players
        return list(self.inner.returns())

    def __str__(self) -> str:
        return self.inner.describe(None)


class _Observer:
    """What a player knows: the infoset's text, and the text as a tensor."""

    def __init__(self, book: CodeBook, players: int) -> None:
        self.book, self.players = book, players
        self.tensor = np.zeros(players + book.size, np.float32)
        self.dict = {"player": self.tensor[:players], "infoset": self.tensor[players:]}

    def set_from(self, state: RiverboatState, player: int) -> None:
        self.tensor[: self.players] = 0
        self.tensor[player] = 1
        self.tensor[self.players :] = self.book.encode(state.inner.infoset(player))

    def string_from(self, state: RiverboatState, player: int) -> str:
        return f"P{player} {state.inner.infoset(player)}"


def riverboat_game(game: Game) -> RiverboatGame:
    """Any walkable game of ours as OpenSpiel's, registered or not."""
    return RiverboatGame(game, _kind(game), {})


def _kind(game: Game) -> Any:
    kinds = pyspiel.GameType
    defaults = {f.name: _plain(f.default) for f in dataclasses.fields(game)}  # type: ignore[arg-type]
    total, start = game.utility_sum, game.start()
    utility = kinds.Utility.GENERAL_SUM
    if total is not None:
        utility = kinds.Utility.ZERO_SUM if total == 0 else kinds.Utility.CONSTANT_SUM
    most = 10 if "players" in defaults else game.num_players
    chance = "DETERMINISTIC" if start.actor != CHANCE else "EXPLICIT_STOCHASTIC"
    return kinds(
        short_name=f"{PREFIX}{game.name}",
        long_name=f"Riverboat's {game.title}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=getattr(kinds.ChanceMode, chance),
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=min(2, game.num_players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults,
    )


def _plain(value: Any) -> Any:
    """A parameter as OpenSpiel can hold it."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else value


def register_all() -> tuple[str, ...]:
    """Make our games known to OpenSpiel; their names there. Those it knows already stay."""
    names = []
    for name in known_games():
        if not (game_class(name).small or name in WALKED_TOO):
            continue
        kind = _kind(make_game(name))
        names.append(kind.short_name)
        if kind.short_name not in pyspiel.registered_names():
            pyspiel.register_game(kind, _maker(name, kind))
    return tuple(names)


def _maker(name: str, kind: Any) -> type[RiverboatGame]:
    """What OpenSpiel calls with the parameters to get a game.

    OpenSpiel lets go of it after the interpreter has ended, which a class outlives and a function
    does not.
    """

    class Registered(RiverboatGame):
        def __init__(self, params: Mapping[str, Any] | None = None) -> None:
            given = {key: value for key, value in (params or {}).items() if key != "name"}
            super().__init__(make_game(name, given), kind, given)

    return Registered


register_all()
