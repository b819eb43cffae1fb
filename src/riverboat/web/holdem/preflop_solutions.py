"""Solutions before the flop that pages open: the shipped book, and files of the library."""

from __future__ import annotations

from functools import lru_cache

from riverboat.errors import RiverboatError, UsageError
from riverboat.holdem.preflop.solution import SHIPPED, PreflopSolution
from riverboat.web.app.library import Library


@lru_cache(maxsize=4)
def _loaded(path: str, changed: float) -> PreflopSolution:
    """The solution in a file; its time of change makes a new one another key."""
    return PreflopSolution.load(path)


def open_solution(library: Library, name: str) -> PreflopSolution:
    """The shipped book, or a file of the library; the same sentence for all that is neither."""
    if name == SHIPPED:
        return _loaded(SHIPPED, 0.0)
    try:
        path = library.path(name)
        known = path.is_file()
    except (UsageError, OSError):
        known = False
    if not known:
        raise UsageError(f"There is no {name[:60]!r} in the library.")
    try:
        return _loaded(str(path), path.stat().st_mtime)
    except RiverboatError as error:
        # A page does not say where the library lies.
        raise UsageError(str(error).replace(str(path), name)) from None
