"""Card abstractions: hands that a strategy does not tell apart, as buckets by street."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
