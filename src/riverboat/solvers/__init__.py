"""Solvers on game trees and public trees, and the one run of all long work."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
