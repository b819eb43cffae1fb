"""Before the flop: strategies of all seats, solved with the flops that follow."""

DOORS = ("flop_game", "flop_solver", "solution")
