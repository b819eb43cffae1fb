from .client import connect, play_session
from .dealer import MatchOrder, host_match
from .definitions import load_game, write_game

__all__ = ["MatchOrder", "connect", "host_match", "load_game", "play_session", "write_game"]
