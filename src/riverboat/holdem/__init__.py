"""Hold'em: rules, blueprints, spots, search, reviews, hand histories and the ACPC's protocol."""
