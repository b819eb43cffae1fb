"""Learning and search by play: Monte Carlo control, Q-learning, tree search."""
