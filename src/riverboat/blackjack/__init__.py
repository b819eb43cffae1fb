"""Casino blackjack: rules, exact values, simulation, charts, search, the casino."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
