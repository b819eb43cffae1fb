from .report import Finding, Review, ReviewOptions, review_hands

__all__ = ["Finding", "Review", "ReviewOptions", "review_hands"]
