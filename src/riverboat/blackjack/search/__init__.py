"""The searching bot and its memory."""
