"""OpenSpiel's games as games of Riverboat: `openspiel:leduc_poker`, with parameters in brackets.

    game = make_game("openspiel:goofspiel(num_cards=4,imp_info=True,points_order=descending)")

Every game whose chance can be listed is a Game here. Players who move at the same time move one
after the other without seeing each other's move (OpenSpiel's turn-based transform). A game is
known by one text, whatever the order of its parameters and with defaults left out, so that a
strategy's file finds its game again.

Lanctot et al., "OpenSpiel: a framework for reinforcement learning in games" (2019).
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import InitVar, dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, cast

from riverboat.errors import IllegalActionError, ParameterError, UnknownNameError, UsageError
from riverboat.games.base import CHANCE, TERMINAL, Action, ParameterValue
from riverboat.interop._libraries import library

LONGEST = 10_000  # Characters of a game's text
FAMILY = "openspiel"
OVER = -4  # OpenSpiel's number for nobody: the play is over


def spiel() -> Any:
    """The module pyspiel."""
    return library("pyspiel", "OpenSpiel")


def load(text: str) -> tuple[Any, Any]:
    """The game a text names, and the same game made sequential, as pyspiel objects."""
    text = text.strip()
    name = text.partition("(")[0].strip()
    if not name or len(text) > LONGEST or "\0" in text:
        raise UsageError(
            "An OpenSpiel game is written openspiel:NAME or openspiel:NAME(key=value,…)."
        )
    pyspiel = spiel()
    if "python_" in text:  # also as the game within another
        library("open_spiel.python.games", "OpenSpiel's Python games")
    if "riverboat_" in text:
        library("riverboat.interop.openspiel_registration", "Riverboat for OpenSpiel")
    known = pyspiel.registered_names()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "pyspiel.registered_names() lists them."
        raise UnknownNameError(f"OpenSpiel has no game {name!r}; {hint}")
    try:
        with _no_chatter():
            game = pyspiel.load_game(text)
            _check_kind(name, game)
            simultaneous = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
            return game, pyspiel.convert_to_turn_based(game) if simultaneous else game
    except (pyspiel.SpielError, LookupError, ValueError, TypeError) as error:
        raise ParameterError(f"OpenSpiel refuses {text!r}: {_sentence(error)}.") from None


def canonical_text(game: Any, text: str) -> str:
    """The name of a game loaded from `text`, with parameters that differ from the defaults, sorted.

    Some games within which another game is played have a name of their own that nothing can load
    ("rnr_kuhn_poker"), or forget their parameters: their name is made of the text.
    """
    type_, given = game.get_type(), game.get_parameters()
    written = spiel().game_parameters_from_string(text)
    name = written.pop("name")
    if name != type_.short_name or not written.keys() <= given.keys():
        types = {known.short_name: known for known in spiel().registered_games()}
        type_, given = types[name], written
    defaults = type_.parameter_specification
    other = {key: value for key, value in given.items() if defaults.get(key) != value}
    if not other:
        return str(type_.short_name)
    inside = ",".join(f"{key}={_value(other[key])}" for key in sorted(other))
    return f"{type_.short_name}({inside})"


def _value(value: Any) -> str:
    """A parameter as OpenSpiel reads it; a game within a game is written in brackets."""
    if not isinstance(value, dict):
        return str(value)
    inside = ",".join(f"{key}={_value(v)}" for key, v in sorted(value.items()) if key != "name")
    return f"{value['name']}({inside})"


def _check_kind(name: str, game: Any) -> None:
    """Refuse what has no tree of histories with known chances."""
    type_ = game.get_type()
    if type_.dynamics.name == "MEAN_FIELD":
        raise UsageError(f"openspiel:{name} is a mean-field game, not one of single players.")
    if type_.chance_mode.name == "SAMPLED_STOCHASTIC":
        raise UsageError(
            f"openspiel:{name} draws its chance itself and does not say with what probabilities,"
            " so it cannot be used here."
        )


def _sentence(error: Exception) -> str:
    """OpenSpiel's complaint in one line, without the place in its source."""
    text = " ".join(str(error).split())
    if text.startswith("/") and " " in text:
        text = text.partition(" ")[2]
    return (text or type(error).__name__).rstrip(".")[:300]


@contextmanager
def _no_chatter() -> Iterator[None]:
    """OpenSpiel writes its errors to the process's standard error before it raises them."""
    sys.stderr.flush()
    try:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is no standard error to keep clean
        yield
        return
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        with suppress(OSError):
            os.close(kept)
            os.close(nowhere)


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
    key: ClassVar[Any]  # Key

    def __post_init__(self, text: str) -> None:
        original, inner = load(text)
        canonical = canonical_text(original, text)
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
    words = [state.action_to_string(player, number) for number in numbers]
    return own_words(player, words, numbers)


def own_words(player: int, words: Sequence[str], numbers: Sequence[int]) -> list[Action]:
    """OpenSpiel's words for actions; with their numbers where words alone are not enough."""
    texts = list(words)
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
