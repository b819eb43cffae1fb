"""The rules, one readable file per game: pure, immutable, no numpy, no input or output."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
