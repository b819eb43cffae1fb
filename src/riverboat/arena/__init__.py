"""The hand loop, matches and round robins, sittings of a person, the drill, the hand in words."""
