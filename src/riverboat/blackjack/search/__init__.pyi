from .mcts import Budget as Budget
from .mcts import Search as Search
from .mcts import SearchConfig as SearchConfig
from .mcts import SearchResult as SearchResult
from .memory import Knowledge as Knowledge
from .problem import TWENTYONE as TWENTYONE
from .problem import Situation as Situation
from .problem import Table as Table
