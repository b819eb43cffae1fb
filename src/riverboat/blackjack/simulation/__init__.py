"""Simulation of shoes on CPU and GPU: charts, card counting, bankrolls."""
