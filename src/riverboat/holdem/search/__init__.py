"""Re-solve the rest of a hand while it is played: a player whose blueprint is refined by search."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
