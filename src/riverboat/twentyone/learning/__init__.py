"""Exact play of twenty-one, Q tables, learning and its regret."""

DOORS = ("information", "learner", "online", "optimum", "q_table", "regret")
