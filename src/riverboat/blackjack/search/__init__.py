"""Monte Carlo tree search of a blackjack hand, with a memory across hands."""

DOORS = ("mcts", "memory", "player", "problem", "tree", "tree_drawing")
