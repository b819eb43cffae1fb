"""Anything that picks an action: a strategy, a search, a rule of thumb, a human, a socket."""
