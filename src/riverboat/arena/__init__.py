"""Tables, matches, tournaments, their logs, and the servers and clients that carry them."""
