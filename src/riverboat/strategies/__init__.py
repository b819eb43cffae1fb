"""What was learned: look up, save, load, compare, export."""
