"""Work that may be stopped at any time: signals end it in good order, and it saves on the way."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

from riverboat.errors import RiverboatError

__all__ = ["AUTOSAVE_SECONDS", "Autosave", "orderly_end"]

AUTOSAVE_SECONDS = 5.0
"""What a kill costs at most; RIVERBOAT_AUTOSAVE sets another number of seconds."""


def _seconds() -> float:
    try:
        return max(0.0, float(os.environ.get("RIVERBOAT_AUTOSAVE", "")))
    except ValueError:
        return AUTOSAVE_SECONDS


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """Let SIGTERM and SIGHUP (a closed terminal) end the work as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), stop) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


class Autosave:
    """Saves every few seconds when called often; a failure is told once and work goes on."""

    def __init__(self, save: Callable[[], None], every: float | None = None) -> None:
        self._save = save
        self._every = _seconds() if every is None else every
        self._last = time.monotonic()
        self._warned = False

    def __call__(self) -> None:
        if time.monotonic() - self._last < self._every:
            return
        try:
            self._save()
        except RiverboatError as error:
            if not self._warned:
                self._warned = True
                print(f"riverboat: {error}", file=sys.stderr, flush=True)
        self._last = time.monotonic()
