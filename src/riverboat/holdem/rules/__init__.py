"""The rules of hold'em, pure and immutable."""
