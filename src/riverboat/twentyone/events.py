"""What happens at twenty-one tables, as typed events, and their form as plain dicts.

A table reports the events of its game, a host those of its port. Each listener makes something of
them: the wire makes messages, a log makes lines, a screen makes a picture. As a dict an event is
its kind, then its fields, without those that hold their default: `Acted(3, 0, "STAND")` is
`{"event": "act", "round": 3, "seat": 0, "action": "STAND"}`. Seats count from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias


class Opened(NamedTuple):
    """A table begins."""

    names: list[str]
    games: int
    attempt: int = 0  # How often this table was begun before, with other cards, and not finished


class Dealt(NamedTuple):
    """A round begins."""

    round: int
    up: str
    hands: list[list[str] | None]  # None for a seat that was folded out


class Asked(NamedTuple):
    """A seat must decide; −1 where it is a player that cannot be seen."""

    round: int
    seat: int


class Acted(NamedTuple):
    """A seat has decided."""

    round: int
    seat: int
    action: str  # HIT or STAND
    card: str = ""


class Folded(NamedTuple):
    """A seat is out for the rest of the match."""

    round: int
    seat: int
    reason: str


class Settled(NamedTuple):
    """A round is over."""

    round: int
    dealer: list[str]
    results: list[str]  # Words of Result, or FORFEIT


class Finished(NamedTuple):
    """All rounds are over."""

    round: int
    scores: list[dict[str, int]]


class Joined(NamedTuple):
    """A peer waits for a table."""

    name: str
    peer: str
    asked_for: str = ""


class Refused(NamedTuple):
    """A connection that got no seat."""

    peer: str
    reason: str


class Left(NamedTuple):
    """Who waited has gone."""

    name: str
    reason: str


class Noted(NamedTuple):
    """Something odd that changed nothing."""

    name: str
    text: str
    seat: int = -1


class Ended(NamedTuple):
    """Nothing more will come."""

    reason: str
    seed: int | None = None


TableEvent: TypeAlias = Dealt | Asked | Acted | Folded | Settled | Finished
HostEvent: TypeAlias = Opened | Joined | Refused | Left | Noted | Ended
Event: TypeAlias = TableEvent | HostEvent
Listener: TypeAlias = Callable[[Event, int], None]
"""Called with an event and the number of its table, −1 for none."""

_KINDS: dict[str, type[Any]] = {
    "table": Opened,
    "deal": Dealt,
    "ask": Asked,
    "act": Acted,
    "fold": Folded,
    "round": Settled,
    "scores": Finished,
    "join": Joined,
    "refuse": Refused,
    "leave": Left,
    "note": Noted,
    "end": Ended,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def as_dict(event: Event) -> dict[str, Any]:
    """The event for a log."""
    default = event._field_defaults
    fields = {
        name: value
        for name, value in zip(event._fields, event, strict=True)
        if name not in default or value != default[name]
    }
    return {"event": _NAMES[type(event)], **fields}


def from_dict(entry: Mapping[str, Any]) -> Event | None:
    """The event of a log's entry; None for an unknown kind, TypeError if a field is missing."""
    kind = _KINDS.get(entry.get("event", ""))
    if kind is None:
        return None
    event: Event = kind(**{name: entry[name] for name in kind._fields if name in entry})
    return event
