"""OpenSpiel's games by their texts: loaded, made sequential, and refused with one sentence."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from riverboat.errors import ParameterError, UnknownNameError, UsageError
from riverboat.interop.libraries import library

__all__ = ["canonical_text", "load", "spiel"]

LONGEST = 10_000
"""Characters of a game's text."""


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
    if name.startswith("python_"):
        library("open_spiel.python.games", "OpenSpiel's Python games")
    if name.startswith("riverboat_"):
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


def canonical_text(game: Any) -> str:
    """The game's name with those parameters that differ from the defaults, sorted."""
    type_, given = game.get_type(), game.get_parameters()
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
