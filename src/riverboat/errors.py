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
from collections.abc import Iterable, Set

MIN_RATIO = 0.6
"""How similar a name must be to be suggested, as difflib.get_close_matches has it."""
MIN_BEGINNING = 3
"""Letters of a beginning that names what it is the beginning of."""
EXTRAS = {
    "web": (
        "fastapi>=0.115", "uvicorn>=0.30", "jinja2>=3.1", "itsdangerous>=2.1",
        "python-multipart>=0.0.9", "segno>=1.6", "markdown-it-py>=3.0",
    ),
    "plots": ("matplotlib>=3.8",),
    "data": ("pyarrow>=15", "duckdb>=1.0"),
    "ray": ("ray>=2.40", "pyarrow>=15", "duckdb>=1.0"),
    "gpu": ("cupy-cuda12x>=13",),
    "mcp": ("mcp>=2.0,<3",),
    "llm": ("httpx>=0.27",),
    "interop": ("open_spiel>=1.5", "pokerkit>=0.5", "gymnasium>=1.0", "pettingzoo>=1.24"),
}  # fmt: skip
"""Packages of each extra, as in pyproject.toml."""


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
    names = sorted(known) if isinstance(known, Set) else list(known)
    head = re.split(r"[?:(=]", name, maxsplit=1)[0]
    near = _nearest(name, names) or _nearest(head, names)
    if near:
        return f"did you mean {near!r}?"
    return f"known: {', '.join(sorted(names))}." if names else "there are none."


def _nearest(name: str, known: list[str]) -> str | None:
    """Return the similar name that has most of the letters; of several the first.

    difflib alone prefers short names: for `vegas-6d` it would name `vegas-6d-65`, not the usual
    table `vegas-6d-s17`, which stands first among the presets.
    """
    letters: dict[str, int] = {}
    for other in known:
        matcher = difflib.SequenceMatcher(None, other.lower(), name.lower())
        begins = len(name) >= MIN_BEGINNING and other.lower().startswith(name.lower())
        if begins or matcher.ratio() >= MIN_RATIO:
            letters[other] = sum(block.size for block in matcher.get_matching_blocks())
    return max(letters, key=letters.__getitem__, default=None)


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


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra's packages; it works for a checkout too."""
    return "pip install " + " ".join(f"'{package}'" for package in EXTRAS[extra])
