"""How good a strategy is: exploitability, action values, matches exact and sampled."""

DOORS = ("action_values", "exploitability", "head_to_head", "sampled_matches")
