"""Exact hold'em spots for two and three players: ask (spot), solve, read (solved, cursor), lock."""

DOORS = ("bet_sizes", "cost", "cursor", "locks", "solve", "solved", "spot")
