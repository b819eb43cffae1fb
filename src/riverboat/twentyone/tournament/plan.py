"""What a tournament needs to go on after its host was stopped: who plays, and how far it has come.

A remote program may join with a token, a word only it knows. Its SHA-256 is kept, and whoever
shows the same token later takes the same place again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from riverboat.twentyone.tournament.rounds import Placing, StageTable, TournamentFormat

__all__ = ["Entrant", "Plan", "Seating", "token_hash"]


def token_hash(token: str) -> str:
    """What is kept of a token; nothing of none."""
    return hashlib.sha256(token.encode()).hexdigest() if token else ""


@dataclass(frozen=True)
class Entrant:
    """Who plays."""

    name: str
    spec: str = ""
    """The player of a local entrant, such as `basic`; empty for a remote program."""
    token: str = ""
    """The hash of a remote program's token."""


@dataclass(frozen=True)
class Seating:
    """The tables of a stage as drawn."""

    stage: int
    final: bool
    first: int
    """Number of its first table; the others follow."""
    tables: list[list[str]]


@dataclass
class Plan:
    """A tournament on its way."""

    name: str
    seed: int
    started: str
    format: TournamentFormat
    entrants: list[Entrant] = field(default_factory=list)
    seating: Seating | None = None
    """Of the stage in play."""
    done: list[StageTable] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    attempt: int = 0
    """How often the host was started again."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Plan:
        """What as_dict gave."""
        seating = facts["seating"]
        return cls(
            str(facts["name"]),
            int(facts["seed"]),
            str(facts["started"]),
            TournamentFormat(**facts["format"]),
            [Entrant(**entrant) for entrant in facts["entrants"]],
            Seating(**seating) if seating else None,
            [
                StageTable(**{**table, "placings": [Placing(**p) for p in table["placings"]]})
                for table in facts["done"]
            ],
            [str(name) for name in facts["withdrawn"]],
            int(facts["attempt"]),
        )
