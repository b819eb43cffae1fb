"""Numba as the commands want it: loaded without what it does not need, and not silent.

Numba is imported only by commands that need it, so both things here wait for that import:

- One line on the screen when a first run compiles, so that seconds of silence have a reason. A
  function that is read from the cache says nothing.
- Numba asks at its start whether SciPy's linear algebra is there by importing it, a third of the
  time it takes to start. No kernel here calls it, so the answer is put off until one would.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, TypeAlias

__all__ = ["NOTICE", "prepare_numba"]

NOTICE = "compiling, once on this machine; some seconds, and later runs start at once"
Execute: TypeAlias = Callable[[ModuleType], None]
Hook: TypeAlias = Callable[[Execute, ModuleType], None]
_BLAS = "scipy.linalg.cython_blas"


def prepare_numba() -> None:
    """Arrange both for the moment at which numba is imported."""
    hooks: dict[str, Hook] = {"numba.np.arraymath": _without_asking_for_blas}
    if sys.stderr.isatty():
        hooks["numba"] = _then_listen
    if "numba" not in sys.modules:
        sys.meta_path.insert(0, _Finder(hooks))


class _Finder(MetaPathFinder):
    """Finds modules as everybody does; those with a hook are executed by it."""

    def __init__(self, hooks: dict[str, Hook]) -> None:
        self.hooks = hooks

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        hook = self.hooks.pop(name, None)
        if hook is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _HookedLoader(spec.loader, hook)
        return spec


class _HookedLoader(Loader):
    def __init__(self, loader: Loader, hook: Hook) -> None:
        self.loader, self.hook = loader, hook

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.hook(self.loader.exec_module, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def _without_asking_for_blas(execute: Execute, module: ModuleType) -> None:
    """Answer "not there" to the question, and take the answer back when it has been asked."""
    if _BLAS in sys.modules:
        execute(module)
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]
    try:
        execute(module)
    finally:
        del sys.modules[_BLAS]
    if hasattr(module, "_HAVE_BLAS"):
        vars(module)["_HAVE_BLAS"] = True


def _then_listen(execute: Execute, module: ModuleType) -> None:
    execute(module)
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
