"""Twenty-one over TCP: the codec, a client, the dealer's server."""
