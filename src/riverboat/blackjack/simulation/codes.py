"""Codes in the tables of the simulation, for kernels of both kinds; a hand's own rows are below."""

from __future__ import annotations

import numpy as np

__all__ = ["DEALER_DONE", "SPLIT", "TERMINAL"]

SPLIT = np.uint64(0xFFFF)
"""The code of "split" among the automaton's answers."""
TERMINAL = np.uint64(0x8000)
"""Codes from here on are a hand's final class (plus this), those below are rows to draw from."""
DEALER_DONE = np.uint64(0x8000)
"""The same for the dealer's automaton."""
