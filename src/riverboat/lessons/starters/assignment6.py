"""Assignment 6: Kelly's rule and the risk of ruin (Lesson 10).

Check it with: riverboat check assignment6 assignment6.py
"""


def risk_of_ruin(p: float, bankroll: int) -> float:
    """The chance ever to lose all chips, betting 1 at a time at even money, winning with p."""
    raise NotImplementedError


def growth(p: float, pays: float, share: float) -> float:
    """How the logarithm of your money grows per bet, if you bet this share of it each time.

    A win, with probability p, pays `pays` for each unit bet; a loss loses the bet.
    """
    raise NotImplementedError


def kelly(p: float, pays: float) -> float:
    """The share of the money that makes growth largest; 0 where no bet is better."""
    raise NotImplementedError
