"""Before the flop: all-in or fold, games of two with the flops that follow, books, ranges."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
