"""Commands of blackjack."""
