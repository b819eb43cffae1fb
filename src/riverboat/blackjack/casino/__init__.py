"""Tables of several seats: bots that bid, sessions, and drills and a table for one person."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
