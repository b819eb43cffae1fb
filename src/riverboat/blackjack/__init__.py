"""Casino blackjack: rules, exact values, simulation, charts, search, the casino."""
