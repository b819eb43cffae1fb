"""Bridges to other packages, each one optional file."""
