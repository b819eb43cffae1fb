"""Hands that were played, as the programs of others write them."""

THREE_HANDED = """PokerStars Hand #8:  Hold'em No Limit ($0.50/$1) - 2024/01/01 10:00:00 ET
Table 'X' 6-max Seat #1 is the button
Seat 1: A ($100 in chips)
Seat 2: B ($100 in chips)
Seat 3: C ($90 in chips)
Seat 4: D ($110 in chips)
B: posts small blind $0.50
C: posts big blind $1
*** HOLE CARDS ***
Dealt to A [Ah Kd]
D: raises $1.50 to $2.50
A: calls $2.50
B: folds
C: calls $1.50
*** FLOP *** [2c Kh 9h]
C: checks
D: bets $5
A: raises $10 to $15
C: folds
D: calls $10
*** TURN *** [2c Kh 9h] [3d]
D: checks
A: bets $20
D: calls $20
*** RIVER *** [2c Kh 9h 3d] [3s]
D: checks
A: bets $62.50 and is all-in
D: folds
Uncalled bet ($62.50) returned to A
A collected $78 from pot
*** SUMMARY ***
Total pot $78 | Rake $0
"""
"""Four sit, three see the flop, two the turn; the river's bet is all-in."""
