"""A host with its log: what a dealer and a tournament are, before anything is played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from riverboat.twentyone.table_log import LogWriter
from riverboat.twentyone.wire.host import Host, HostOptions

__all__ = ["House"]


class House:
    """Opens the door, writes down what happens, and closes in good order."""

    def __init__(
        self,
        options: HostOptions,
        log: str | Path | None,
        seed: int,
        record: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        """`record` hears of every event in place of the log."""
        self._open = True
        self._log = LogWriter(log, seed) if log is not None else None
        if record is None and self._log is not None:
            record = self._log.write
        self.host = Host(options, record)
        if self._log is not None:
            self.host.on_idle = self._log.flush

    def listen(self) -> int:
        """Open the door; the port."""
        return self.host.listen()

    def close(self, reason: str = "all games played") -> None:
        """Let everybody go and finish the log; the second time nothing happens."""
        if self._open:
            self._open = False
            self.host.close()
            if self._log is not None:
                self._log.close(reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *stopped: object) -> None:
        self.close("stopped")
