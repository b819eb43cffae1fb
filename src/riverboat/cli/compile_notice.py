"""One line on the screen when a first run compiles, so that seconds of silence have a reason.

Numba is imported only by commands that need it, so this waits for that import, and then for the
first function that really is compiled; one that is read from the cache says nothing.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["NOTICE", "announce_compiling"]

NOTICE = "compiling, once on this machine; some seconds, and later runs start at once"


def announce_compiling() -> None:
    """Say so on standard error, once, if anything is compiled. Only on a screen."""
    if not sys.stderr.isatty():
        return
    if "numba" in sys.modules:
        _listen()
    else:
        sys.meta_path.insert(0, _NumbaFinder())


class _NumbaFinder(MetaPathFinder):
    """Finds numba as everybody does, and listens to its compiler once it is loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "numba":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _ListeningLoader(spec.loader)
        return spec


class _ListeningLoader(Loader):
    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        _listen()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def _listen() -> None:
    from numba.core import event

    class OnceListener(event.Listener):
        said = False

        def on_start(self, found: Any) -> None:
            if not self.said:
                self.said = True
                print(NOTICE, file=sys.stderr, flush=True)

        def on_end(self, found: Any) -> None:
            pass

    event.register("numba:compile", OnceListener())  # type: ignore[no-untyped-call]
