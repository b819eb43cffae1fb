"""Rules become arrays: game trees, the sequence form, public trees, and their best responses."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
