"""Spots by the UPI protocol that PioSOLVER's scripts and viewers speak."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
