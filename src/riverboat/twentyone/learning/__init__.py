"""Exact play of twenty-one, Q tables, learning and its regret."""
