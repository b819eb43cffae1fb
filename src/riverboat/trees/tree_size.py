"""How large a game's tree is, in histories and in bytes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TreeSize", "amount"]


@dataclass(frozen=True)
class TreeSize:
    """How large a game is, and what its tree takes in memory while it is built."""

    players: int
    histories: int
    decisions: int
    chances: int
    terminals: int
    infosets: int
    slots: int

    @property
    def bytes(self) -> int:
        """Peak while the tree is built, sorted and folded; measured, rounded up."""
        per_history, per_terminal = 90 + 8 * self.players, 16 + 40 * self.players
        per_infoset, per_slot = 330, 32
        return (
            per_history * self.histories
            + per_terminal * self.terminals
            + per_infoset * self.infosets
            + per_slot * self.slots
        )


def amount(size: int) -> str:
    """Bytes as a person says them."""
    value, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    return f"{value:.0f} {units[0]}" if units[0] == "bytes" else f"{value:,.1f} {units[0]}"
