"""A heads-up player that solves the rest of the hand while it plays."""
