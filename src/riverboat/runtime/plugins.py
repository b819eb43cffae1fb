"""What other packages add: entry points, read when a name is asked for that the house lacks.

A package names its games, players and file kinds in its pyproject.toml:

    [project.entry-points."riverboat.games"]
    coin = "coin_package.rules:Coin"

    [project.entry-points."riverboat.players"]
    cautious = "coin_package.players:cautious"

    [project.entry-points."riverboat.kinds"]
    coin-diary = "coin_package.diary:KIND"

`make_callable` lets a folder be called: `riverboat.games()` though `riverboat.games` is a folder.
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from types import ModuleType
from typing import Any

from riverboat.errors import UsageError


@cache
def named(group: str) -> dict[str, str]:
    """Name → "module:attribute" of every installed package's entry points in a group."""
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=f"riverboat.{group}")}


def find(place: str) -> Any:
    """The object at "module:attribute"; attributes may have dots."""
    module, _, attribute = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for name in attribute.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{place} cannot be used: {error}.") from error
    return found


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call the function of the front door that has the folder's name."""
        name = self.__name__.rpartition(".")[2]
        return find(f"riverboat.front_door:{name}")(*arguments, **options)


def make_callable(name: str) -> None:
    """Let the module of that name be called like the function of the front door."""
    sys.modules[name].__class__ = _Callable
