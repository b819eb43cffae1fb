"""Riverboat deals, solves, learns and plays imperfect-information card games.

    import riverboat as rb

    game = rb.game("leduc")
    result = rb.solve(game, target=1e-6)
    result.strategy["Kh|"]
    rb.match(game, result, "random", hands=2_000, seed=1)

The names stand in __init__.pyi, for editors and type checkers too; each is loaded when it is first
used, so that the import itself costs nothing. docs/python.md shows all of them.
"""

from __future__ import annotations

import lazy_loader

# rb.blackjack, rb.games and rb.players are functions, but the first import of a package sets the
# attribute of its name. These are almost empty, so they are imported now; later imports of what is
# in them leave the functions alone.
from riverboat import blackjack, games, players

__version__ = "0.3.0"

del blackjack, games, players
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
