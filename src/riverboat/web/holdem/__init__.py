"""Hold'em pages: spots, blueprints and equity."""
