"""What the seats of a hold'em table are called, by position."""

from __future__ import annotations

EARLY = ("under the gun", *(f"under the gun +{number}" for number in range(1, 6)))
LATE = ("lojack", "hijack", "cutoff")
SHORT = {"small blind": "SB", "big blind": "BB", "button": "BTN"}
SHORT |= {"lojack": "LJ", "hijack": "HJ", "cutoff": "CO"}


def seat_names(players: int) -> tuple[str, ...]:
    """What the seats of a table are called, by position."""
    if players == 2:
        return ("big blind", "button")
    between = players - 3
    late = min(len(LATE), max(0, between - 1))
    names = EARLY[: between - late] + LATE[len(LATE) - late :]
    return ("small blind", "big blind", *names, "button")


def short_seat_names(players: int) -> tuple[str, ...]:
    """The same in short: SB, BB, UTG, UTG+1, LJ, HJ, CO and BTN."""
    return tuple(
        SHORT[name] if name in SHORT else name.replace("under the gun", "UTG").replace(" ", "")
        for name in seat_names(players)
    )


def seat_name(player: int, players: int) -> str:
    """What the seat of a player, counted from 0, is called."""
    return seat_names(players)[player]
