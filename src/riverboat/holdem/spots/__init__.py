"""Exact hold'em spots for two and three players: ask (Spot), solve, read (SolvedSpot, SpotCursor).

The names below are loaded when they are first used; reading a question compiles nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
