"""Review a player's hands: find decisions that lost expected value."""
