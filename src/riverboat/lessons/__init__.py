"""The lessons' texts and steps, and the checks of assignments."""

DOORS = ("assignments", "check_file", "notebook", "texts")
