"""The rules, one readable file a game: pure, immutable, no numpy, no input or output."""

from riverboat.callable_package import make_callable

make_callable(__name__)
