"""Class mode: students, the teacher, rounds and the ranking."""

DOORS = ("room", "student_page", "teacher_page")
