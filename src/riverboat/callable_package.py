"""Packages that can be called: `riverboat.games()` though `riverboat.games` is a folder too."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from riverboat.plugins import find

__all__ = ["make_callable"]


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function of the front door that has the folder's name."""
        name = self.__name__.rpartition(".")[2]
        return find(f"riverboat.front_door:{name}")(*arguments, **options)


def make_callable(name: str) -> None:
    """Let the module of that name be called like the function of the front door."""
    sys.modules[name].__class__ = _Callable
