"""Exact values of blackjack hands and rounds, and the best chart."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
