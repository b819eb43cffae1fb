"""Commands for blackjack."""
