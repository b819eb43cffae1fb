"""The pages of a class."""
