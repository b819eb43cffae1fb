"""Riverboat deals, solves, learns and plays imperfect-information card games."""

__version__ = "0.1.0"
