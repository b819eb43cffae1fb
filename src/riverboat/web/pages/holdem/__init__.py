"""Pages about hold'em, and the fields that they share."""
