import math


def risk_of_ruin(p, bankroll):
    return 1.0 if p <= 0.5 else ((1 - p) / p) ** bankroll


def growth(p, pays, share):
    return p * math.log(1 + pays * share) + (1 - p) * math.log(1 - share)


def kelly(p, pays):
    return max(0.0, p - (1 - p) / pays)
