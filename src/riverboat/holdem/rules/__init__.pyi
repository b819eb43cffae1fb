from .betting import Betting, Street
from .icm import Payouts
from .prizes import PrizeHoldem, for_prizes
from .state import Holdem, HoldemState
from .table import Seats

__all__ = [
    "Betting",
    "Holdem",
    "HoldemState",
    "Payouts",
    "PrizeHoldem",
    "Seats",
    "Street",
    "for_prizes",
]
