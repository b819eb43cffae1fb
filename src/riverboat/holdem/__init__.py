"""Hold'em: rules, abstraction, training, strength, play, ACPC and PHH."""
