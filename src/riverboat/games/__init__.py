"""The rules, one readable file per game: pure, immutable, no numpy, no input or output."""

from riverboat.runtime.plugins import make_callable

make_callable(__name__)
