"""Small spots as a user writes them, each for several tests."""

POLAR = """board = "2s 2h 2d 3c 3d"
pot = 100
stack = 100
[ranges]
oop = "AA,QQ"
ip = "KK"
[sizes.river]
oop = { bet = "a" }
"""
"""Nuts or air against a bluff catcher, one bet of the pot: known in closed form."""
TURN = """board = "Qs Jh 2h 7c"
pot = 60
stack = 90
[ranges]
oop = "AA,QJs,T9s,A5s:0.5"
ip = "KK,AQs,KQs,98s"
[sizes.turn]
oop = { bet = "50%", raise = "a" }
ip = { bet = "50%", raise = "a" }
"""
FLOP = """board = "Qs Jh 2h"
pot = 20
stack = 20
[ranges]
oop = "AsAh,QdJd"
ip = "KsKh,9d8d"
[sizes.flop]
oop = { bet = "a" }
"""
"""Two hands each and one bet: solved in a moment."""
