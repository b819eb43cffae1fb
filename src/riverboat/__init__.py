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

# `games`, `players` and `blackjack` are functions of rb and packages as well. Python binds a
# package to its name here when the package is first imported, which would hide the function. So the
# three, whose own modules are almost empty, are imported now and unbound again; the functions have
# the contents of the packages as attributes (the end of api.py), so that both of these work:
#     rb.games()        import riverboat.games.kuhn as kuhn
from riverboat import blackjack, games, players
from riverboat.version import __version__ as __version__

del blackjack, games, players
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
