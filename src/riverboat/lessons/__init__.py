"""The lessons and the course kit: texts with cells that run, notebooks, checks of assignments."""
