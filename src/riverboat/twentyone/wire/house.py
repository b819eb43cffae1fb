"""A host with its log: what a dealer and a tournament are, before anything is played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from riverboat.twentyone.log_check import PLAYED
from riverboat.twentyone.table_events import Event, Listener
from riverboat.twentyone.table_log import LogWriter
from riverboat.twentyone.wire.host import Host
from riverboat.twentyone.wire.host_options import HostOptions

__all__ = ["House", "LogOptions"]


@dataclass(frozen=True)
class LogOptions:
    """Where a log goes."""

    path: str | Path
    force: bool = False
    """Whether a log that is there already may be replaced."""


class House:
    """Opens the door, writes down what happens, and closes in good order."""

    def __init__(
        self,
        options: HostOptions,
        log: LogOptions | None,
        seed: int,
        listen: Listener | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        """`listen` hears of every event beside the log, `warn` of what one should know."""
        self._open = True
        self._log = None
        if log is not None:
            self._log = LogWriter(log.path, seed, force=log.force, warn=warn)
        self._other = listen
        self.host = Host(options, self._listener())
        self.host.on_warning = warn
        if self._log is not None:
            self.host.on_idle = self._log.flush

    def _listener(self) -> Listener | None:
        if self._log is None:
            return self._other
        return self._log.write if self._other is None else self._tell_both

    def _tell_both(self, event: Event, table: int) -> None:
        if self._other is not None:
            self._other(event, table)
        if self._log is not None:
            self._log.write(event, table)

    def listen(self) -> int:
        """Open the door; the port."""
        return self.host.listen()

    def close(self, reason: str = PLAYED) -> None:
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
