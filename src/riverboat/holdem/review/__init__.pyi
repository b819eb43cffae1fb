from .hand_spots import HandDecision, HandSpot, hand_decisions, spot_from_hand
from .report import Finding, Review, ReviewOptions, review_hands

__all__ = [
    "Finding",
    "HandDecision",
    "HandSpot",
    "Review",
    "ReviewOptions",
    "hand_decisions",
    "review_hands",
    "spot_from_hand",
]
