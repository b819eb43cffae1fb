"""Exact hold'em spots for two and three players: ask (spot), solve, read (solved, cursor), lock."""
