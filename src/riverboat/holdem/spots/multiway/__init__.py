"""Exact hold'em spots for three players: ask (question), solve (solver3), read (solved3)."""
