"""Casino blackjack: rules, exact values, simulation, charts, search, the casino."""

from riverboat.runtime.plugins import make_callable

make_callable(__name__)
