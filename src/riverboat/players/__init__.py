"""Anything that decides: Player and View, the roster, coaches, a person."""
