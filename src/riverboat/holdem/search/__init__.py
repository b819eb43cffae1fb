"""Re-solve the rest of a hand while it is played: a player whose blueprint is refined by search."""
