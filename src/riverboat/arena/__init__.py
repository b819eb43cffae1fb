"""The hand loop with its events, matches, sittings of a person, the drill, the hand in words."""

DOORS = ("drill", "hand", "match", "narration", "sitting")
