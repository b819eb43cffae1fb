"""Simulation of shoes on CPU and GPU: charts, card counting, bankrolls."""

DOORS = ("automaton", "counting", "result", "simulate")
