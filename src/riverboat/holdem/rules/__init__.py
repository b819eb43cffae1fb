"""The rules of hold'em for two to ten players: betting, states, seats, prizes."""
