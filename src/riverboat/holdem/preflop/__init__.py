"""Before the flop: all-in or fold, games of two with the flops that follow, books, ranges."""

DOORS = (
    "charts", "flop_game", "flop_question", "flop_solver", "following", "questions", "quiz",
    "solution",
)  # fmt: skip
