"""Twenty-one over TCP: the codec, a client, the dealer's server."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
