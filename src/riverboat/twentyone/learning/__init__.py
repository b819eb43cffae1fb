"""Exact play of twenty-one, Q tables, learning and its regret."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
