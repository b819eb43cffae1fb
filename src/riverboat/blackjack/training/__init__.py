"""The trainer: hands to decide, cards to count, and a record of what is not known yet."""
