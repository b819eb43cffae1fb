"""How a host of twenty-one tables treats its peers."""

from __future__ import annotations

from dataclasses import dataclass

from riverboat.errors import ParameterError

__all__ = ["SAFE_PACE", "HostOptions"]

SAFE_PACE = 0.026
"""Seconds between two messages with which every known program that takes one read for one
message gets along."""


@dataclass(frozen=True)
class HostOptions:
    """Times in seconds."""

    host: str = "127.0.0.1"
    port: int = 0
    pace: float | None = SAFE_PACE
    """Pause between two messages to a peer; None pauses for those only whose JOIN does not say
    that they can do without."""
    careful_pace: float = SAFE_PACE
    """The pause for those."""
    decision_timeout: float = 30.0
    join_timeout: float = 10.0
    quiet: float = 0.05
    """Silence after which a message that lacks its NUL is taken as complete."""
    linger: float = 2.0
    """How long a peer may take to close after QUIT."""

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise ParameterError(f"--port must be 0 to 65535, not {self.port}.")
        if self.pace is not None and not 0 <= self.pace <= 10:
            raise ParameterError("--pace-ms must be 0 to 10000, or auto.")
        if not (self.decision_timeout > 0 and self.join_timeout > 0):
            raise ParameterError("A timeout must be more than 0 seconds.")

    @property
    def first_pace(self) -> float:
        """The pause for a peer of which nothing is known yet."""
        return self.careful_pace if self.pace is None else self.pace
