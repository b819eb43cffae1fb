"""The protocol of the Annual Computer Poker Competition: dealer, players, messages."""
