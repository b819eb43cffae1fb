"""The rules of hold'em for two to ten players: betting, states, seats, prizes."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
