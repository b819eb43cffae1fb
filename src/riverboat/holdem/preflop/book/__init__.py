"""Books: what a trained blueprint does before the flop, with the value of every action."""

DOORS = ("make_book", "trained")
