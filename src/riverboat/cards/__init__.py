"""What is true of cards in any game: cards, ranges, hand strength, equity."""

DOORS = (
    "card",
    "combos",
    "equity",
    "isomorphism",
    "plain_strength",
    "preflop",
    "ranges",
    "strength",
)
