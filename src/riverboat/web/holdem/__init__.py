"""Hold'em pages: spots, blueprints and equity."""

DOORS = ("blueprints_page", "equity_page", "preflop_page", "spots_page")
