"""How good a strategy is: exploitability, action values, matches exact and sampled."""
