"""Monte Carlo tree search of a blackjack hand, with a memory across hands."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
