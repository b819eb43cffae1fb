from .algorithms import Algorithm as Algorithm
from .algorithms import CFRConfig as CFRConfig
from .result import Comparison as Comparison
from .result import SolveResult as SolveResult
from .run import Limit as Limit
from .run import Progress as Progress
from .solve import solve as solve
from .solver import TreeSolver as TreeSolver
