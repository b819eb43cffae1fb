"""Pictures of results, files and games: Matplotlib figures in one style, as SVG, PNG or PDF.

    from riverboat import pictures

    pictures.convergence(rb.solve("leduc", algorithm="cfr+"))    # a notebook shows it
    pictures.save(pictures.kuhn_family(), "kuhn.svg")            # the same bytes each time

Each function takes what it shows (a result, a strategy, rules) and returns a figure. All take
`theme="light"` or `theme="dark"`. `riverboat plot` makes the same pictures at the prompt. The names
are loaded when they are first used, and say how to install Matplotlib where it is missing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riverboat.blackjack.pictures import bankroll_fan, blackjack_landscape, chart
    from riverboat.drawing.figures import THEMES, Picture, check_format, picture_bytes, save
    from riverboat.holdem.range_picture import range_grid
    from riverboat.pictures._convergence_curves import convergence, curves
    from riverboat.pictures._kuhn_picture import kuhn_family
    from riverboat.pictures._solver_paths import SolverPath, regret_path, simplex, solver_path
    from riverboat.pictures._tree_picture import game_tree
    from riverboat.twentyone.learning.surfaces import value_surface

__all__ = [
    "THEMES",
    "Picture",
    "SolverPath",
    "bankroll_fan",
    "blackjack_landscape",
    "chart",
    "check_format",
    "convergence",
    "curves",
    "game_tree",
    "kuhn_family",
    "picture_bytes",
    "range_grid",
    "regret_path",
    "save",
    "simplex",
    "solver_path",
    "value_surface",
]

_NAMES = {
    "blackjack.pictures": ("bankroll_fan", "blackjack_landscape", "chart"),
    "drawing.figures": ("THEMES", "Picture", "check_format", "picture_bytes", "save"),
    "holdem.range_picture": ("range_grid",),
    "pictures._convergence_curves": ("convergence", "curves"),
    "pictures._kuhn_picture": ("kuhn_family",),
    "pictures._solver_paths": ("SolverPath", "regret_path", "simplex", "solver_path"),
    "pictures._tree_picture": ("game_tree",),
    "twentyone.learning.surfaces": ("value_surface",),
}
_FILES = {name: file for file, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _FILES:
        raise AttributeError(f"module 'riverboat.pictures' has no attribute {name!r}")
    import_module("riverboat.drawing.figures")  # it says how to install what is missing
    value: object = getattr(import_module(f"riverboat.{_FILES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
