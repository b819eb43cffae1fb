"""Tournaments of twenty-one: rounds, hosting, archives."""

DOORS = ("archive", "hosting", "rounds")
