"""The hand loop, matches and round robins, sittings of a person, the drill, the hand in words."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
