"""Riverboat in other programs: OpenSpiel, Gymnasium, PettingZoo and UPI."""

DOORS = ("action_encoding", "gymnasium_envs", "holdem_encoding", "libraries", "pettingzoo_table")
