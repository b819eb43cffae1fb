"""Strategy: for every infoset a probability for each action; its file, and its place on a tree.

Infosets are grouped in CSR form: slots `offsets[i]:offsets[i + 1]` of `actions` and
`probabilities` belong to infoset i. Keys are the texts of State.infoset; two players may use the
same text, so an infoset is known by (player, key). A file has the kind "strategy".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from riverboat.errors import UsageError
from riverboat.games.base import Action, Game, ParameterValue, default_parameters, parameters_of
from riverboat.strategies.any_strategy import AnyStrategy, Entry
from riverboat.strategies.files import Contents, read_contents, write_arrays
from riverboat.trees.game_tree import GameTree

KIND = "strategy"
PLAIN = (int, float, bool)


class Lookup(Protocol):
    """What a player, a hint or a viewer needs of anything that was learned."""

    @property
    def game(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, ParameterValue]: ...

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        """The probability of each action, or None where nothing is known."""


@dataclass(frozen=True, eq=False, repr=False)
class Strategy(AnyStrategy):
    """A behaviour strategy for all players of a game whose infosets can be listed."""

    kind: ClassVar[str] = KIND
    game: str
    parameters: Mapping[str, ParameterValue]
    infosets: tuple[str, ...]
    """(I,) keys."""
    players: NDArray[np.int8]
    """(I,) who acts."""
    offsets: NDArray[np.int64]
    """(I + 1,) first slot of each infoset."""
    actions: tuple[Action, ...]
    """(A,) the action of each slot."""
    probabilities: NDArray[np.float64]
    """(A,) sums to one within each infoset."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How it was made: algorithm, iterations, seed, seconds, value, exploitability, nash_conv."""

    @cached_property
    def index(self) -> dict[tuple[int, str], int]:
        """(player, key) → infoset."""
        return {
            (player, key): i
            for i, (player, key) in enumerate(
                zip(self.players.tolist(), self.infosets, strict=True)
            )
        }

    def lookup(self, player: int, infoset: str) -> dict[Action, float] | None:
        i = self.index.get((player, infoset))
        return None if i is None else self._at(i)

    def __len__(self) -> int:
        return len(self.infosets)

    def save(self, path: str | Path) -> None:
        """Write the strategy; the file appears whole or not at all."""
        write_arrays(path, KIND, *strategy_arrays(self))

    def entries(self) -> Iterator[Entry]:
        """Every infoset: player, text, and the probability of each action."""
        for i, (player, key) in enumerate(zip(self.players.tolist(), self.infosets, strict=True)):
            yield player, key, self._at(i)

    def _at(self, i: int) -> dict[Action, float]:
        first, last = int(self.offsets[i]), int(self.offsets[i + 1])
        return dict(
            zip(self.actions[first:last], self.probabilities[first:last].tolist(), strict=True)
        )


def strategy_arrays(strategy: Strategy) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the header that hold a strategy, for files that hold more than that."""
    arrays: dict[str, NDArray[Any]] = {
        "infosets": _pack(strategy.infosets),
        "players": strategy.players,
        "offsets": strategy.offsets,
        "actions": _pack(strategy.actions),
        "probabilities": strategy.probabilities,
    }
    header: dict[str, Any] = {
        "game": strategy.game,
        "parameters": dict(strategy.parameters),
        "info": dict(strategy.info),
    }
    return arrays, header


def _pack(texts: Sequence[str]) -> NDArray[np.uint8]:
    """Texts as UTF-8 bytes, each ended by a newline."""
    return np.frombuffer("".join(f"{text}\n" for text in texts).encode(), dtype=np.uint8)


def load_strategy(path: str | Path) -> Strategy:
    """Read a strategy; a damaged or foreign file is refused with a sentence."""
    with read_contents(path, KIND) as contents:
        return strategy_in(contents)


def strategy_in(contents: Contents) -> Strategy:
    """The strategy in a file, checked."""
    infosets, actions = _texts(contents, "infosets"), _texts(contents, "actions")
    count, size = len(infosets), len(actions)
    players = contents.array("players", np.int8, shape=(count,), low=0)
    offsets = contents.offsets("offsets", size)
    contents.need(len(offsets) == count + 1, "its arrays do not fit together")
    chances = contents.array("probabilities", np.float64, shape=(size,), low=0.0, high=1.0 + 1e-6)
    sums = np.add.reduceat(chances, offsets[:-1]) if count else np.ones(1)
    contents.need(np.allclose(sums, 1, atol=1e-6), "its probabilities do not add up to 1")
    return Strategy(
        game=contents.text("game"),
        parameters=parameters_in(contents),
        infosets=infosets,
        players=players,
        offsets=offsets.astype(np.int64),
        actions=actions,
        probabilities=chances,
        info=contents.info(),
    )


def parameters_in(contents: Contents) -> dict[str, ParameterValue]:
    """A game's parameters from a file's header; JSON has lists where they have tuples."""
    parameters: dict[str, ParameterValue] = {}
    for key, value in contents.table("parameters").items():
        if isinstance(value, list):
            fits = all(type(number) is int for number in value)
        else:
            fits = value.isprintable() if isinstance(value, str) else type(value) in PLAIN
        contents.need(fits, f"{key} in its header is wrong")
        parameters[key] = tuple(value) if isinstance(value, list) else value
    return parameters


def _texts(contents: Contents, name: str) -> tuple[str, ...]:
    packed = contents.array(name, np.uint8, shape=(None,))
    contents.need(not len(packed) or packed[-1] == ord("\n"), f"the texts of {name} have no end")
    return tuple(packed.tobytes().decode().split("\n")[:-1])


def strategy_on(
    tree: GameTree, probabilities: NDArray[np.float64], info: Mapping[str, Any] | None = None
) -> Strategy:
    """(A,) probabilities of the tree's slots as a Strategy, infosets in the tree's order."""
    return Strategy(
        game=tree.game.name,
        parameters=parameters_of(tree.game),
        infosets=tree.infosets,
        players=tree.players,
        offsets=tree.offsets,
        actions=tree.actions,
        probabilities=probabilities,
        info=dict(info or {}),
    )


def probabilities_on(tree: GameTree, strategy: Lookup) -> NDArray[np.float64]:
    """(A,) the strategy's probabilities for the tree's slots, uniform where it knows nothing."""
    check_same_game(tree.game, strategy)
    if (
        isinstance(strategy, Strategy)
        and strategy.infosets == tree.infosets
        and strategy.actions == tree.actions
        and np.array_equal(strategy.players, tree.players)
        and np.array_equal(strategy.offsets, tree.offsets)
    ):
        return np.asarray(strategy.probabilities, np.float64)
    result = tree.uniform()
    offsets = tree.offsets.tolist()
    for i, (player, key) in enumerate(zip(tree.players.tolist(), tree.infosets, strict=True)):
        known = strategy.lookup(player, key)
        if known is None:
            continue
        first, last = offsets[i], offsets[i + 1]
        row = np.array([known.get(action, 0.0) for action in tree.actions[first:last]])
        if row.sum() > 0:
            result[first:last] = row / row.sum()
    return result


def check_same_game(game: Game, strategy: Lookup, source: str = "The strategy") -> None:
    """Refuse a strategy for another game or for other parameters."""
    mine, theirs = parameters_of(game), dict(strategy.parameters)
    if strategy.game != game.name:
        raise UsageError(f"{source} is for {strategy.game}, not for {game.name}.")
    # A file may be older than a parameter: it then has the default.
    if default_parameters(game) | theirs != mine:
        raise UsageError(
            f"{source} is for {_named(strategy.game, theirs)}, not for"
            f" {_named(game.name, mine)}; give the same parameters."
        )


def _named(name: str, parameters: Mapping[str, object]) -> str:
    return " ".join([name, *(f"{key}={value}" for key, value in parameters.items())])
