"""Commands for hold'em."""
