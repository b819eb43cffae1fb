"""Exact action values of games that have them in closed form, by the game's name.

Trees answer through action_values.py. A product whose game has a form of its own names a function
here, so that others can ask for its values without importing it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from riverboat.games.base import Action

__all__ = ["EXACT", "exact_values"]

EXACT: dict[str, str] = {"twentyone": "riverboat.twentyone.hints:exact_values"}
"""Game → "module:function" of a function from an infoset to the value of each action there."""


def exact_values(game: str, infoset: str) -> dict[Action, float] | None:
    """What each action is worth with best play after it; None where nobody knows exactly."""
    if game not in EXACT:
        return None
    module, _, attribute = EXACT[game].partition(":")
    function = getattr(importlib.import_module(module), attribute)
    return cast("Callable[[str], dict[Action, float]]", function)(infoset)
