"""The errors a user can cause. Each message is one sentence that says what to do.

    RiverboatError
    ├── UsageError            contradictory or missing options
    ├── UnknownNameError      an unknown game, algorithm, player or preset
    ├── ParameterError        a game parameter or rule with a value it cannot have
    ├── IllegalActionError    a move the rules do not allow
    ├── GameError             a game of the user's that breaks the contract of games.base
    ├── TooLargeError         work that does not fit in the stated memory or takes too long
    ├── FileFormatError       a file that is damaged, foreign or of a newer version
    └── StorageError          a path that cannot be read or written

The command line prints the message and exits with 2.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


class RiverboatError(Exception):
    """Something the user can mend."""


class UsageError(RiverboatError):
    """Contradictory or missing options."""


class UnknownNameError(RiverboatError):
    """A name that is not in a registry; the message suggests the nearest ones."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
        return cls(f"There is no {kind} called {name!r}; {did_you_mean(name, known)}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known one, or else all of them.

    Of `dcfr:alpha=1` and `leduc?rank=3` the part before the mark counts too.
    """
    names = sorted(known)
    head = re.split(r"[?:(=]", name, maxsplit=1)[0]
    near = [match for text in (name, head) for match in difflib.get_close_matches(text, names, 1)]
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}." if names else "there are none."


class ParameterError(RiverboatError):
    """A parameter with a value it cannot have."""


class IllegalActionError(RiverboatError):
    """A move that the rules do not allow here."""


class GameError(RiverboatError, ValueError):
    """A game of the user's that breaks the contract of games.base; the message names the state."""


class TooLargeError(RiverboatError):
    """Work that does not fit in the stated memory or takes too long."""

    @classmethod
    def in_time(cls, noun: str, count: int, per_second: float) -> TooLargeError:
        """Of `count` things that would take too long at this speed."""
        seconds = count / per_second
        years, days = seconds / 31_557_600, seconds / 86_400
        long = f"{years:,.0f} years" if years >= 2 else f"{days:,.0f} days"
        shown = f"{count:,}" if count < 10**12 else f"{count:.3g}"
        return cls(
            f"{shown} {noun} would take about {long} at {per_second:,.0f} per second;"
            " ask for fewer."
        )


class FileFormatError(RiverboatError):
    """A file that is damaged, of another kind, or of a newer version."""


class StorageError(RiverboatError):
    """A path that cannot be read or written."""


EXTRAS = {
    "web": ("nicegui>=3.0", "segno>=1.6"),
    "plots": ("matplotlib>=3.8",),
    "data": ("pyarrow>=15", "duckdb>=1.0"),
    "ray": ("ray>=2.40", "pyarrow>=15", "duckdb>=1.0"),
    "gpu": ("cupy-cuda12x>=13",),
    "interop": ("open_spiel>=1.5", "pokerkit>=0.5", "gymnasium>=1.0", "pettingzoo>=1.24"),
}
"""Packages of each extra, as in pyproject.toml."""


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra's packages; it works for a checkout too."""
    return "pip install " + " ".join(f"'{package}'" for package in EXTRAS[extra])
