"""Pages about blackjack: chart, hand, dealer, simulation, trainer, and the casino."""
