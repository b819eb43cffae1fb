"""What was learned: one interface, a registry of file kinds, one load() for every file, export."""
