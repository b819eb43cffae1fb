"""Games by name. A new game is one file and one line here.

Other packages add theirs by register_game() or by entry points of the group `riverboat.games`.
A name with a colon belongs to a family: `openspiel:leduc_poker` is a game of OpenSpiel.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from riverboat.errors import (
    ParameterError,
    RiverboatError,
    UnknownNameError,
    UsageError,
    did_you_mean,
)
from riverboat.games.base import Game, ParameterValue
from riverboat.runtime.plugins import find, named, program_error

GAMES: dict[str, str | type[Game]] = {
    "rps": "riverboat.games.rock_paper_scissors:RockPaperScissors",
    "kuhn": "riverboat.games.kuhn:Kuhn",
    "leduc": "riverboat.games.leduc:Leduc",
    "liars_dice": "riverboat.games.liars_dice:LiarsDice",
    "showdown": "riverboat.games.showdown:Showdown",
    "duel": "riverboat.games.duel:Duel",
    "twentyone": "riverboat.twentyone.game:TwentyOne",
    "blackjack": "riverboat.blackjack.round:Blackjack",
    "holdem": "riverboat.holdem.rules.state:Holdem",
    "omaha": "riverboat.holdem.rules.omaha:Omaha",
    "shortdeck": "riverboat.holdem.rules.short_deck:ShortDeck",
}
ALIASES = {
    "rock_paper_scissors": "rps",
    "kuhn_poker": "kuhn",
    "leduc_poker": "leduc",
    "leduc_holdem": "leduc",
    "liar's_dice": "liars_dice",
    "texas_holdem": "holdem",
    "plo": "omaha",
    "pot_limit_omaha": "omaha",
    "omaha_holdem": "omaha",
    "short_deck": "shortdeck",
    "short_deck_holdem": "shortdeck",
    "six_plus": "shortdeck",
    "six_plus_holdem": "shortdeck",
    "twenty_one": "twentyone",
}
"""Other names people write, OpenSpiel's among them."""
FAMILIES: dict[str, str] = {"openspiel": "riverboat.interop.openspiel_game:OpenSpielGame"}
"""Family → class with `named(text, parameters)`, for all games whose name begins with it."""
AnyGame = TypeVar("AnyGame", bound=Game)
_CONTRACT = ("name", "title", "small", "num_players", "utility_sum", "start", "action_label")
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def game_class(name: str) -> type[Game]:
    """The class behind a registered name, or of a family."""
    family = _family(name)
    if family is not None:
        return cast("type[Game]", family)
    plain = "_".join(name.lower().replace("-", " ").split())
    spellings = (name, ALIASES.get(plain, plain))
    entry = next((GAMES[n] for n in spellings if n in GAMES), None)
    if entry is None:
        entry = next((named("games")[n] for n in spellings if n in named("games")), None)
    if entry is None:
        raise UnknownNameError.among("game", name, known_games())
    return cast("type[Game]", find(entry)) if isinstance(entry, str) else entry


def _family(name: str) -> Any:
    """The class of the family that a name with a colon belongs to, else None."""
    target = FAMILIES.get(name.partition(":")[0].strip().lower())
    return find(target) if target is not None and ":" in name else None


def rules_text(kind: type[Game]) -> str:
    """A game's rules in prose, with their source and parameters: the text of its module."""
    return (sys.modules[kind.__module__].__doc__ or "").strip()


def known_games() -> dict[str, str | type[Game]]:
    """The house's games and those that other packages bring."""
    return {
        **GAMES,
        **{name: target for name, target in named("games").items() if name not in GAMES},
    }


def register_game(cls: type[AnyGame]) -> type[AnyGame]:
    """Make a game class known by its `name`; as a decorator too. A name that is taken is refused.

    The same class may come again, so that a notebook's cell can be run twice.
    """
    missing = [part for part in _CONTRACT if not hasattr(cls, part)]
    if missing or not dataclasses.is_dataclass(cls):
        what = f"lacks {', '.join(missing)}" if missing else "is not a dataclass"
        raise UsageError(f"{cls.__name__} {what}; riverboat.games.base says what a game has.")
    known = GAMES.get(cls.name)
    same = isinstance(known, type) and (known.__module__, known.__qualname__) == (
        cls.__module__,
        cls.__qualname__,
    )
    if (known is not None and not same) or cls.name in ALIASES:
        raise UsageError(f"There is a game {cls.name!r} already; take another name.")
    GAMES[cls.name] = cls
    return cls


def make_game(name: str, parameters: Mapping[str, ParameterValue | str] | None = None) -> Game:
    """A game from its name and parameters; texts are read by the parameter's type."""
    family = _family(name)
    if family is not None:
        return cast(Game, family.named(name.partition(":")[2], parameters or {}))
    cls = game_class(name)
    hints = _types(cls)
    known = [f.name for f in dataclasses.fields(cast(Any, cls))]
    values: dict[str, object] = {}
    for key, value in (parameters or {}).items():
        if key not in known:
            raise ParameterError(f"{name} has no parameter {key!r}; {did_you_mean(key, known)}")
        values[key] = _read(name, key, value, hints[key])
    try:
        return cls(**values)
    except RiverboatError:
        raise
    except Exception as error:  # of a game of the user's
        raise ParameterError(f"{name} cannot be made: {program_error(error)}.") from error


def parse_assignments(texts: Iterable[str]) -> dict[str, str]:
    """`["players=3"]` as `{"players": "3"}`."""
    values: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key:
            raise ParameterError(f"A parameter is written name=value, not {text!r}.")
        if key in values:
            raise ParameterError(f"The parameter {key!r} is given twice.")
        values[key] = value.strip()
    return values


def _types(cls: type[Game]) -> dict[str, Any]:
    """Parameter → type; by the defaults where annotations name what their module lacks."""
    try:
        return get_type_hints(cls)
    except NameError:  # a class from a cell whose names are gone
        fields = dataclasses.fields(cast(Any, cls))
        kinds = {f.name: type(f.default) for f in fields}
        return {name: tuple[int, ...] if kind is tuple else kind for name, kind in kinds.items()}


def _read(game: str, key: str, value: object, hint: Any) -> object:
    """`value` as the type `hint` names: int, float, bool, str or tuple[int, ...]."""
    try:
        if hint is bool:
            return value if isinstance(value, bool) else _BOOLEANS[str(value).lower()]
        if hint is int:
            if isinstance(value, bool) or (isinstance(value, float) and value != int(value)):
                raise ValueError(value)
            return int(cast(Any, value))
        if hint is float:
            return float(cast(Any, value))
        if get_origin(hint) is tuple and get_args(hint)[0] is int:
            if isinstance(value, int) and not isinstance(value, bool):
                return (value,)
            parts = value.split(",") if isinstance(value, str) else cast(Any, value)
            return tuple(int(part) for part in parts)
        return str(value)
    except (KeyError, OverflowError, TypeError, ValueError):
        wanted = {bool: "true or false", int: "a whole number", float: "a number"}
        raise ParameterError(
            f"{game}: {key} takes {wanted.get(hint, 'whole numbers with commas between')},"
            f" not {value!r}."
        ) from None
