"""The course's game of twenty-one: rules, table, events, log, players."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
