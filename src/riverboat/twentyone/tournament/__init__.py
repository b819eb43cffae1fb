"""Tournaments of twenty-one: rounds, hosting, archive."""
