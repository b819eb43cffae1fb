from .files import convert_hands, read_hand_file, read_hands
from .hand import PhhHand, RefusedHand
from .phh import read_phh_file, write_phh

__all__ = [
    "PhhHand",
    "RefusedHand",
    "convert_hands",
    "read_hand_file",
    "read_hands",
    "read_phh_file",
    "write_phh",
]
