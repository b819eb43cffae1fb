"""Twenty-one pages: tournaments and learning."""

DOORS = ("learning_page", "tournament_page")
