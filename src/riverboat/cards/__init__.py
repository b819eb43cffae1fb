"""What is true of cards in any game: text, decks, hand strength, equity, ranges, isomorphism."""
