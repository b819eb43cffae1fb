"""The version; other modules read it here, so that none imports the whole package for it."""

__version__ = "0.3.0"
