"""Pages about twenty-one: learning and tournaments."""
