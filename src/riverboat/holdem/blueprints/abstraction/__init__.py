"""Card abstraction: hands put into buckets, and deals of them."""

DOORS = ("card_abstraction", "card_tables", "deals", "equity_buckets", "preflop_store")
