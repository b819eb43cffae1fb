"""Monte Carlo tree search of a blackjack hand, with a memory across hands."""
