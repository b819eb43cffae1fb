"""Equilibrium and exact value: the CFR family, MCCFR, linear programming, exact blackjack."""
