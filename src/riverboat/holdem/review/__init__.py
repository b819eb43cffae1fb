"""A player's hands looked over: where expected value was lost, worst first."""
