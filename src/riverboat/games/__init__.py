"""The rules, one readable file a game: pure, immutable, no numpy, no input or output."""
