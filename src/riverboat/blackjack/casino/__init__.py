"""Tables of several seats: bots that bid, sessions, and one person's sitting."""
