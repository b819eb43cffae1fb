"""Class mode: students, the teacher, rounds and the ranking."""
