"""The rules, one readable file per game: pure, immutable, no numpy, no input or output."""
