"""OpenSpiel's games as games of this house: `openspiel:leduc_poker`, with parameters in brackets.

    game = make_game("openspiel:goofspiel(num_cards=4,imp_info=True,points_order=descending)")

Every game whose chance can be listed is a Game here. Players who move at the same time move one
after the other without seeing each other's move (OpenSpiel's turn-based transform). A game is
known by one text, whatever the order of its parameters and with defaults left out, so that a
strategy's file finds its game again.

Lanctot et al., "OpenSpiel: a framework for reinforcement learning in games" (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, cast

from riverboat.errors import IllegalActionError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, ParameterValue
from riverboat.interop.openspiel_loading import canonical_text, load, spiel

__all__ = [
    "FAMILY",
    "Key",
    "OpenSpielGame",
    "OpenSpielState",
    "action_texts",
    "one_line",
    "own_words",
]

FAMILY = "openspiel"
OVER = -4
"""OpenSpiel's number for nobody: the play is over."""
Key: TypeAlias = Callable[[Any, int], str]
"""(pyspiel state, player) → what the player knows, as OpenSpiel writes it."""


@dataclass(frozen=True, eq=False, repr=False)
class OpenSpielGame:
    """One of OpenSpiel's games; `inner` is its own object, made sequential."""

    text: InitVar[str]

    name: ClassVar[str] = FAMILY
    title: ClassVar[str] = "a game of OpenSpiel"
    small: ClassVar[bool] = False
    # Set for each game, and not among a dataclass' fields, for those are parameters.
    inner: ClassVar[Any]
    key: ClassVar[Any]
    """Key."""

    def __post_init__(self, text: str) -> None:
        original, inner = load(text)
        canonical = canonical_text(original)
        facts = {
            "name": f"{FAMILY}:{canonical}",
            "title": original.get_type().long_name,
            "text": canonical,
            "inner": inner,
            "key": _key_of(original, inner),
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)

    @classmethod
    def named(cls, text: str, parameters: Mapping[str, ParameterValue | str]) -> OpenSpielGame:
        """The game `text` with more parameters, as `-p num_cards=4` gives them."""
        if not parameters:
            return cls(text)
        given = ",".join(f"{key}={value}" for key, value in parameters.items())
        if not text.rstrip().endswith(")"):
            return cls(f"{text}({given})")
        inside = text.rstrip()[:-1].rstrip()
        return cls(f"{inside}{'' if inside.endswith('(') else ','}{given})")

    @property
    def num_players(self) -> int:
        return int(self.inner.num_players())

    @property
    def utility_sum(self) -> float | None:
        total = self.inner.utility_sum()
        return None if total is None else float(total)

    def start(self) -> OpenSpielState:
        return OpenSpielState(self, self.inner.new_initial_state())

    def action_label(self, action: Action) -> str:
        return action

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpielGame) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, eq=False, repr=False)
class OpenSpielState:
    """A state of OpenSpiel; actions are its texts for them."""

    game: OpenSpielGame
    inner: Any

    @cached_property
    def actor(self) -> int:
        player = int(self.inner.current_player())
        return TERMINAL if player == OVER else player

    @cached_property
    def numbers(self) -> dict[Action, int]:
        """Text → OpenSpiel's number of each possible action, chance's too, in its order."""
        if self.actor == TERMINAL:
            return {}
        legal = self.inner.legal_actions()
        return dict(zip(action_texts(self.inner, self.actor, legal), legal, strict=True))

    def actions(self) -> tuple[Action, ...]:
        return tuple(self.numbers) if self.actor >= 0 else ()

    def chance(self) -> tuple[tuple[Action, float], ...]:
        if self.actor != CHANCE:
            return ()
        outcomes = self.inner.chance_outcomes()
        texts = action_texts(self.inner, CHANCE, [number for number, _ in outcomes])
        return tuple((text, p) for text, (_, p) in zip(texts, outcomes, strict=True))

    def after(self, action: Action) -> OpenSpielState:
        number = self.numbers.get(action)
        if number is None:
            raise IllegalActionError(f"{self.game.name}: {action!r} is not possible here.")
        return OpenSpielState(self.game, self.inner.child(number))

    def returns(self) -> tuple[float, ...]:
        if self.actor != TERMINAL:
            raise IllegalActionError(f"{self.game.name}: the play is not over.")
        return tuple(self.inner.returns())

    def infoset(self, player: int) -> str:
        return one_line(self.game.key(self.inner, player))

    def describe(self, player: int | None) -> str:
        if player is None:
            return str(self.inner)
        type_ = self.inner.get_game().get_type()
        if type_.provides_observation_string:
            return str(self.inner.observation_string(player))
        return str(self.game.key(self.inner, player))


def one_line(text: str) -> str:
    """Infosets are lines in files and tables: a line's end becomes a semicolon."""
    return text.strip("\n").replace("\n", "; ") if "\n" in text else text


def action_texts(state: Any, player: int, numbers: Sequence[int]) -> list[Action]:
    """What OpenSpiel's numbers of actions are called here."""
    told = [state.action_to_string(player, number) for number in numbers]
    return own_words(player, told, numbers)


def own_words(player: int, told: Sequence[str], numbers: Sequence[int]) -> list[Action]:
    """OpenSpiel's words for actions; with their numbers where words alone are not enough."""
    texts = list(told)
    if texts and texts[0].startswith(f"[P{player}]"):  # who acts is known
        texts = [text.partition("]")[2] for text in texts]
    if "\n" in "".join(texts):
        texts = [one_line(text) for text in texts]
    if len(set(texts)) < len(texts) or "" in texts:
        texts = [f"{text} #{n}".strip() for text, n in zip(texts, numbers, strict=True)]
    return texts


def _key_of(original: Any, inner: Any) -> Key:
    """How a player's knowledge is written.

    Where nothing is hidden the moves so far say it: the information states of some such games
    (goofspiel's) describe the table alone, and so forget how it came about.
    """
    type_ = original.get_type()
    if type_.information.name == "PERFECT_INFORMATION":
        return _moves if original is inner else _moves_before_this_turn
    if not inner.get_type().provides_information_state_string:
        raise UsageError(
            f"{FAMILY}:{type_.short_name} does not say what its players remember (it has no"
            " information states), so it cannot be used here."
        )
    return cast(Key, spiel().State.information_state_string)


def _moves(state: Any, player: int) -> str:
    text: str = state.history_str()
    return text


def _moves_before_this_turn(state: Any, player: int) -> str:
    return f"{player}: {state.simultaneous_game_state().history_str()}"
