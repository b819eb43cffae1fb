from .card_abstraction import CardAbstraction, preflop169
from .card_tables import Recipe, find_abstraction
from .deals import Deals
from .equity_buckets import LiveBuckets
from .preflop_store import preflop_table

__all__ = [
    "CardAbstraction",
    "Deals",
    "LiveBuckets",
    "Recipe",
    "find_abstraction",
    "preflop169",
    "preflop_table",
]
