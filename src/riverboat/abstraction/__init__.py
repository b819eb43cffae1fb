"""How a big game becomes small: hand features, buckets, bet sizes, history codes."""
