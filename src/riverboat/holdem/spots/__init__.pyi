from .cursor import SpotCursor
from .devices import solver_kind
from .locks import Lock, parse_lock
from .solve import load_solved, open_solver, run_solver, solve_spot
from .solved import SolvedSpot, load_spot
from .solver import SpotSolver
from .spot import Spot, make_spot

__all__ = [
    "Lock",
    "SolvedSpot",
    "Spot",
    "SpotCursor",
    "SpotSolver",
    "load_solved",
    "load_spot",
    "make_spot",
    "open_solver",
    "parse_lock",
    "run_solver",
    "solve_spot",
    "solver_kind",
]
