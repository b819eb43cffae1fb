"""Commands for twenty-one: its table, dealer, player and tournaments."""
