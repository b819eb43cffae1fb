"""The protocol of the Annual Computer Poker Competition: dealer, players, messages."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
