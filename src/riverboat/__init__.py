"""Riverboat deals, solves, learns and plays imperfect-information card games.

    import riverboat as rb

    game = rb.game("leduc")
    result = rb.solve(game, target=1e-6)
    result.strategy["Kh|"]
    rb.match(game, result, "random", hands=2_000, seed=1)

The names below are loaded when they are first used, so that the import itself costs nothing.
docs/python.md shows each of them. Editors and type checkers read them from __init__.pyi.
"""

from __future__ import annotations

__version__ = "0.3.0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "AnyStrategy",
    "Card",
    "Game",
    "Player",
    "Range",
    "RiverboatError",
    "State",
    "View",
    "abstraction",
    "best_response",
    "blackjack",
    "compare",
    "equity",
    "evaluate",
    "game",
    "games",
    "load",
    "match",
    "play",
    "player",
    "players",
    "preflop",
    "rank",
    "register",
    "save",
    "simulate",
    "solve",
    "spot",
    "strength",
    "tournament",
    "train",
]

_ELSEWHERE = {
    "CHANCE": "riverboat.games.base",
    "TERMINAL": "riverboat.games.base",
    "AnyStrategy": "riverboat.strategies.any_strategy",
    "Card": "riverboat.cards.card",
    "Game": "riverboat.games.base",
    "Player": "riverboat.players.player",
    "Range": "riverboat.cards.ranges",
    "RiverboatError": "riverboat.errors",
    "State": "riverboat.games.base",
    "View": "riverboat.players.player",
    "compare": "riverboat.front_runs",
    "match": "riverboat.front_runs",
    "play": "riverboat.front_runs",
    "save": "riverboat.strategies.kinds",
    "simulate": "riverboat.front_runs",
    "tournament": "riverboat.front_runs",
}
"""Where a name is that is not in riverboat.front_door."""
_CALLABLE_PACKAGES = ("blackjack", "games", "players")
"""Names that are folders too: importing the folder sets the attribute, so the folder is called."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'riverboat' has no attribute {name!r}")
    from importlib import import_module

    if name in _CALLABLE_PACKAGES:
        return import_module(f"riverboat.{name}")
    found: object = getattr(import_module(_ELSEWHERE.get(name, "riverboat.front_door")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
