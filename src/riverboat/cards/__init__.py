"""What is true of cards in any game: cards, ranges, hand strength, equity."""
