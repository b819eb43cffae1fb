"""Anything that decides: Player and View, the roster, coaches, a person."""

from riverboat.runtime.plugins import make_callable

make_callable(__name__)
