from .cursor import SpotCursor
from .exploit import SpotExploit, exploit_spot
from .locks import Lock, parse_lock
from .node_comparison import NodeComparison, compare_nodes
from .solve import open_solver, run_solver, solve_spot
from .solved import SolvedSpot, load_spot
from .solver import SpotSolver, make_solver
from .spot import Spot, make_spot

__all__ = [
    "Lock",
    "NodeComparison",
    "SolvedSpot",
    "Spot",
    "SpotCursor",
    "SpotExploit",
    "SpotSolver",
    "compare_nodes",
    "exploit_spot",
    "load_spot",
    "make_solver",
    "make_spot",
    "open_solver",
    "parse_lock",
    "run_solver",
    "solve_spot",
]
