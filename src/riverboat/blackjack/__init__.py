"""Casino blackjack: rules, exact values, simulation, charts, search, the casino."""

from riverboat.callable_package import make_callable

make_callable(__name__)
