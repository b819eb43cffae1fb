"""What reports keep of a node on one board: EV, equity, frequencies and hand groups of all players.

    figures = board_figures(solved.at("r:0:c:c:Ah"))
    figures.strategies["oop"]["check"], figures.groups["ip"]["top pair"]

Strategies are those of the player who acts there and, where that player can check, of those who act
after checks. Groups are shares of a player's range at the node (`node_groups`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from riverboat.holdem.spots.cursor import SpotCursor
from riverboat.holdem.spots.tree import NodeKind

GROUP_KINDS = ("made", "draw")
"""The kinds of groups that a report has."""
Shares = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class BoardFigures:
    """The figures of all players on a board, by name."""

    ev: Mapping[str, float]  # In chips from the node on; with payouts the prize
    equity: Mapping[str, float]
    strategies: Shares  # Player → action → frequency
    groups: Shares  # Player → group of hands → share of the range

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players."""
        return tuple(self.ev)

    def as_dict(self) -> dict[str, Any]:
        """For files; `from_dict` reads it back."""
        return {
            "ev": dict(self.ev),
            "equity": dict(self.equity),
            "strategies": {name: dict(own) for name, own in self.strategies.items()},
            "groups": {name: dict(own) for name, own in self.groups.items()},
        }

    @classmethod
    def from_dict(cls, facts: Any) -> BoardFigures:
        """What `as_dict` gave; TypeError, ValueError or KeyError for anything else."""
        ev, equity = _numbers(facts["ev"]), _numbers(facts["equity"])
        strategies, groups = (
            {str(name): _numbers(own) for name, own in facts[kind].items()}
            for kind in ("strategies", "groups")
        )
        if not ev or ev.keys() != equity.keys() or not groups.keys() | strategies.keys() <= {*ev}:
            raise ValueError("figures of other players")
        return cls(ev, equity, strategies, groups)


def _numbers(given: Any) -> dict[str, float]:
    if not isinstance(given, dict):
        raise TypeError("no figures by name")
    for value in given.values():
        if not isinstance(value, float | int) or isinstance(value, bool):
            raise TypeError("a figure that is no number")
    return {str(name): float(value) for name, value in given.items()}


def board_figures(at: SpotCursor) -> BoardFigures:
    """Return what a report keeps of a node."""
    from riverboat.holdem.spots.node_groups import node_groups  # It is compiled

    sides = [at.summary(player) for player in range(len(at.names))]
    found = node_groups(at)
    kinds = GROUP_KINDS if len(at.board) < 5 else GROUP_KINDS[:1]  # No draws on a river
    rows = [row for kind in kinds for row in found.groups(kind)]
    return BoardFigures(
        {name: side.ev for name, side in zip(at.names, sides, strict=True)},
        {name: side.equity for name, side in zip(at.names, sides, strict=True)},
        {here.names[here.player]: here.mean_strategy() for here in _checked(at) if _met(here)},
        {
            name: {row.name: row.players[p].share for row in rows if row.players[p].share > 0}
            for p, name in enumerate(at.names)
        },
    )


def _met(at: SpotCursor) -> bool:
    """Whether the player who acts ever gets there."""
    return float(at.weights(at.player) @ at.meetings(at.player)) > 0


def _checked(at: SpotCursor) -> Iterator[SpotCursor]:
    """A decision, and those after it that checks lead to on the same street."""
    here = at
    while here.kind == NodeKind.DECISION:
        yield here
        check = next((action for action in here.bet_actions if action.letter == "X"), None)
        if check is None:
            return
        here = here.play(check.words)
