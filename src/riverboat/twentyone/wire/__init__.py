"""Twenty-one over TCP: codec, lines, dealer and player."""
