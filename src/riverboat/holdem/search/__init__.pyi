from ._options import SearchOptions
from .player import SearchCoach, SearchPlayer, search_player
from .searcher import Searcher

__all__ = ["SearchCoach", "SearchOptions", "SearchPlayer", "Searcher", "search_player"]
