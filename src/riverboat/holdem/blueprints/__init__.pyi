from .blueprint import Blueprint
from .game_config import AbstractGame, HoldemConfig
from .lbr import local_best_response
from .measure import Strength
from .trainer import HoldemTrainer
from .walk import Decision, look

__all__ = [
    "AbstractGame",
    "Blueprint",
    "Decision",
    "HoldemConfig",
    "HoldemTrainer",
    "Strength",
    "local_best_response",
    "look",
]
