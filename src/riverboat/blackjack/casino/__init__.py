"""A hundred rounds with points and bids."""
