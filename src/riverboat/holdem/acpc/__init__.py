"""The protocol of the Annual Computer Poker Competition: dealer and player."""
