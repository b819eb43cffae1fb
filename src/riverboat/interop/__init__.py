"""Riverboat in other programs: OpenSpiel, Gymnasium, PettingZoo and UPI."""
