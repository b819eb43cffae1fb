"""Solvers: one family of algorithms on game trees and public trees, and the one run that drives all long work."""

DOORS = ("algorithms", "cfr", "result", "run", "sampling", "solve")
