"""What was learned: one interface, a registry of file kinds, one load() for every file, export."""

DOORS = ("any_strategy", "export", "files", "kinds", "public_strategy", "strategy")
