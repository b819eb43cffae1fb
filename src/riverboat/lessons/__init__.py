"""The lessons' texts and steps, and the checks of assignments."""
