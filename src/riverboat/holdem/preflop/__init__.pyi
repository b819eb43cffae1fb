from .allin_solver import solve_preflop
from .flop_question import solve_flop_game
from .following import BookRanges
from .node import PreflopNode
from .push_fold import PushFold
from .questions import make_preflop
from .quiz import PreflopDrill
from .solution import PreflopSolution

__all__ = [
    "BookRanges",
    "PreflopDrill",
    "PreflopNode",
    "PreflopSolution",
    "PushFold",
    "make_preflop",
    "solve_flop_game",
    "solve_preflop",
]
