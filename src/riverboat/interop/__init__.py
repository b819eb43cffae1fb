"""Riverboat in other programs: OpenSpiel, Gymnasium and PettingZoo."""
