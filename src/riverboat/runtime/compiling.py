"""Who hears that Numba compiles: functions named before Numba is imported, which takes a second."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_waiting: list[tuple[Callable[[], None], Callable[[], None]]] = []


def call_when_compiling(start: Callable[[], None], end: Callable[[], None]) -> None:
    """Call `start` and `end` around each compilation of a kernel, with Numba's lock held."""
    _waiting.append((start, end))
    if "riverboat.runtime.compiled" in sys.modules:
        register_listeners()


def register_listeners() -> None:
    """Register what waits with Numba's event API; `runtime.compiled` calls it when imported."""
    from numba.core import event

    class Listener(event.Listener):
        def __init__(self, start: Callable[[], None], end: Callable[[], None]) -> None:
            self.start, self.end = start, end

        def on_start(self, event: Any) -> None:
            self.start()

        def on_end(self, event: Any) -> None:
            self.end()

    while _waiting:
        event.register("numba:compile", Listener(*_waiting.pop()))  # type: ignore[no-untyped-call]
