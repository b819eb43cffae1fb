"""Twenty-one pages: tournaments and learning."""
