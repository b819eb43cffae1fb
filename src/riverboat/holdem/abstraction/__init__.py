"""How hold'em becomes small: bets, buckets, tables, blueprints."""
